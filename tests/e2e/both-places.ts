/**
 * Lines of words that are given twice, where a journal lies and where there is only a hub, and what they answer in both
 * places but for what chance, time and place put into it.
 */
import { called } from "./called.ts";
import { type Finished, start } from "./command.ts";
import { gather } from "./gathering.ts";

/** A line and how it ends. */
export interface Line {
  /** Absent: the owner. */
  readonly as?: string;
  readonly words: readonly string[];
  readonly input?: string | Uint8Array;
  readonly code: number;
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

/** What a line answers in both places; processes run at the same time, calls one after another. */
export async function together(run: Run, one: Given, other: Given): Promise<readonly [Finished, Finished]> {
  return run === inProcess ? await Promise.all([run(one), run(other)]) : [await run(one), await run(other)];
}

/** With `--json`, which prints all there is; and the first of a command also for people, as a process, as what goes on. */
export function inBothForms(given: readonly Line[]): readonly { readonly line: Line; readonly run: Run }[] {
  const asJson = given.map((line) => ({ ...line, words: [...line.words, "--json"] }));
  return [
    ...given.slice(0, 1).map((line) => ({ line, run: inProcess })),
    ...asJson.map((line) => ({ line, run: line.until === undefined ? byCall : inProcess })),
  ];
}

const byCall: Run = ({ place, line, who, variables }) => called(place, [...line.words, ...who], line.input, variables);

const inProcess: Run = async ({ place, line, who, variables }) => {
  const words = [...line.words, ...who];
  const { until } = line;
  const child = start(place, words, variables);
  const seen = gather(child);
  // A command stops reading what is too long; that the rest is not taken is no fault here.
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
  return text
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, "TIME")
    .replaceAll(/baton_[\w-]{43}/g, "SECRET")
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, "UUID")
    .replaceAll(/\b[0-9a-f]{64}\b/g, "HASH")
    .replaceAll(/\b[0-9a-f]{12}\b/g, "TOKEN")
    .replaceAll(/("(?:openedAtMs|issuedAtMs|startedAtMs|dueAtMs|atMs|expiredAtMs)":)\d+/g, "$1MS")
    .replaceAll(/("(?:bytes|logBytes|pages|freePages)":)\d+/g, "$1N")
    .replaceAll(/\d+ bytes and \d+ in the write-ahead log/g, "N bytes")
    .replaceAll(/[^\s"]*\/(?:copy\.db|\.baton\/journal\.db)/g, "PATH")
    .replaceAll(/[^\s"]*baton-e2e-[^\s"]*\/none/g, "PATH/none")
    .replaceAll(/[^\s"]*baton-e2e-[^\s"]*/g, "FOLDER")
    .replaceAll(/"via":"(?:launcher|token)"/g, '"via":"WAY"')
    .replaceAll(/by (?:launcher|token)$/gm, "by WAY");
}
