/**
 * Lines of words that are given twice, where a journal lies and where there is only a hub, and what they answer in both
 * places but for what chance, time and place put into it.
 */
import { called } from "./called.ts";
import { type Finished, start } from "./command.ts";
import { gather } from "./gathering.ts";

/** A line that is given in both places. */
export interface Line {
  /** Absent: the owner. */
  readonly as?: string;
  readonly words: readonly string[];
  readonly input?: string | Uint8Array;
  /** How it must end; absent: in the same way in both places. */
  readonly code?: number;
  /** It goes on until it is interrupted, which it is once it has printed the entry of this number. */
  readonly until?: number;
}

/** A line where it is given: in which folder, as whom and towards which hub. */
export interface Given {
  readonly place: string;
  readonly line: Line;
  readonly who: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
}

/** A way to run a line. */
type Run = (given: Given) => Promise<Finished>;

/** How a line is run in each of the two places. */
interface Form {
  readonly line: Line;
  readonly run: readonly [one: Run, other: Run];
}

/** What a line answers in both places; a process runs in parallel with the other place, calls run one after another. */
export async function together(
  [runOne, runOther]: Form["run"],
  one: Given,
  other: Given,
): Promise<readonly [Finished, Finished]> {
  if (runOne === byCall && runOther === byCall) return [await runOne(one), await runOther(other)];
  return await Promise.all([runOne(one), runOther(other)]);
}

/**
 * With `--json`, which prints all there is; and where `isShown` says so also for people, towards the hub as a process
 * where `isProcess` says so. What goes on until it is interrupted is a process in both places.
 */
export function inBothForms(line: Line, isShown: boolean, isProcess: boolean): readonly Form[] {
  const asJson = { ...line, words: [...line.words, "--json"] };
  return [
    ...(isShown ? [{ line, run: runOf(line, [byCall, isProcess ? inProcess : byCall]) }] : []),
    { line: asJson, run: runOf(asJson, [byCall, byCall]) },
  ];
}

function runOf({ until }: Line, usual: Form["run"]): Form["run"] {
  return until === undefined ? usual : [inProcess, inProcess];
}

const byCall: Run = ({ place, line, who, variables }) => called(place, [...line.words, ...who], line.input, variables);

const inProcess: Run = async ({ place, line, who, variables }) => {
  const words = [...line.words, ...who];
  const { until } = line;
  const child = start(place, words, variables);
  const seen = gather(child);
  // A command stops reading what is too long; that the rest is not taken is no error here.
  child.stdin?.on("error", () => undefined);
  child.stdin?.end(line.input ?? "");
  if (until === undefined) return await seen.end();
  await seen.until(
    (stdout) => (stdout.includes(`#${until} `) || stdout.includes(`"seq":${until},`)) && stdout.endsWith("\n"),
  );
  child.kill("SIGINT");
  return await seen.end();
};

/** What chance, time, place and the way of asking put into an answer, taken out. */
export function plain(text: string): string {
  return (
    text
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, "TIME")
      // A time for people: the clock's, with the day where it is another one.
      .replaceAll(/(?:\d{4}-\d\d-\d\d )?\b\d\d:\d\d:\d\d\b/g, "TIME")
      // Lines to run name the agent where no token does.
      .replaceAll(/(baton [a-z][^\n"`]*?) --as [\w-]+/g, "$1")
      .replaceAll(/named by (?:--as|the hub's token|nobody: the owner acts)/g, "named by WAY")
      .replaceAll(/"by":"(?:option|nobody|token)"/g, '"by":"WAY"')
      .replaceAll(/"at":"(?:PATH|http:[^"]*|[^"]*journal\.db)"/g, '"at":"PLACE"')
      .replaceAll(/^ {2}(?:journal|hub {4}) {2}\S+$/gm, "  PLACE")
      .replaceAll(/last seen (?:now|\d+ (?:s|min|h) ago)/g, "last seen AGE")
      // An age, and what is between it and the next column.
      .replaceAll(/(?:just now|for \d+ (?:s|min|h)) +/g, "for AGE ")
      .replaceAll(/ (?:now|\d+ (?:s|min|h)) +/g, " AGE ")
      .replaceAll(/\bask-[0-9a-f]{20}\b/g, "ask-ID")
      .replaceAll(/baton_[\w-]{43}/g, "SECRET")
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, "UUID")
      // How long mail took, for programs and for people.
      .replaceAll(/"p(50|95)Ms":\d+/g, '"p$1Ms":TIME')
      // Lines that hooks tell an agent to run name the hub, or none.
      .replaceAll(/"characters":\d+/g, '"characters":N')
      .replaceAll(/about \d+ tokens by hooks/g, "about N tokens by hooks")
      .replaceAll(/mail seen after [\d.]+ m?s \(95 %: [\d.]+ m?s\)/g, "mail seen after TIME")
      .replaceAll(/\b[0-9a-f]{64}\b/g, "HASH")
      // A hub may run on another Node than this process.
      .replaceAll(/(sqlite version |"sqliteVersion":")[\d.]+/g, "$1N")
      // Of a refusal what tells a repeat: it is of a document whose checksum differs here.
      .replaceAll(/"same":"[0-9a-f]{16}"/g, '"same":"HASH"')
      .replaceAll(/\b[0-9a-f]{12}\b/g, "TOKEN")
      // Moments, each in milliseconds of this century.
      .replaceAll(/\b1[789]\d{11}\b/g, "MS")
      .replaceAll(/("(?:bytes|logBytes|pages|freePages)":)\d+/g, "$1N")
      .replaceAll(/\d+ bytes, log bytes \d+, pages \d+, free pages \d+/g, "N bytes")
      .replaceAll(/[^\s"]*\/(?:copy\.db|\.baton\/journal\.db)/g, "PATH")
      .replaceAll(/[^\s"]*baton-e2e-[^\s"]*\/none/g, "PATH/none")
      .replaceAll(/[^\s"]*baton-e2e-[^\s"]*/g, "FOLDER")
      .replaceAll(/"via":"(?:launcher|token)"/g, '"via":"WAY"')
      .replaceAll(/by (?:launcher|token)$/gm, "by WAY")
  );
}
