/**
 * Where a command's answers go: results on standard output, words for people on standard error, and with `--json`
 * nothing on standard output but one JSON value a line. A reader who went away (`| head`) is no error; a disk that is
 * full is.
 */
import { invariant } from "../../../base/invariant.ts";
import { jsonLine } from "../../../base/json.ts";
import type { Problem } from "../../../base/problem.ts";
import { visible } from "../../../base/text.ts";
import type { Note } from "../../../messages/message.ts";
import type { Config } from "../../../perform/workspace/config.ts";
import { type ExitCode, exitCodeOf } from "./exit-codes.ts";

export interface Output {
  readonly json: boolean;
  /** Paint for results, and for words. */
  readonly paint: { readonly stdout: Paint; readonly stderr: Paint };
  /** One result: `value` as a line of JSON with `--json`, else what `text` says for people (null: nothing). */
  result(value: unknown, text: () => string | null): void;
  /** A result that is text by nature, the same with and without `--json` (help, a version). */
  raw(text: string): void;
  /** Words for people. */
  say(text: string): void;
  /** Our own words in a result, with the commands in them named as the caller runs them: `say` does so by itself. */
  named(text: string): string;
  /** The progress of long work, in one line of a terminal that the next line replaces; null: it is over. */
  progress(text: string | null): void;
  notes(notes: readonly Note[]): void;
  /** The problems with what they are about named as this command takes it, for results that hold them. */
  worded(problems: readonly Problem[]): readonly Problem[];
  /** Problems, for people only. */
  problems(problems: readonly Problem[]): void;
  /**
   * Ends a command that could not answer: the problems for people, with `--json` also as `{"problems":[…]}`. Returns
   * the exit code of the first problem. A person who interrupted the command knows that, so it is not printed.
   */
  fail(problem: Problem | readonly Problem[]): ExitCode;
  /** Waits until the results are out; returns `output-failed` where nobody will ever read them. */
  written(): Promise<Problem | null>;
}

/** Where text is written, so that tests and a closed pipe need no process. */
export interface Streams {
  stdout(text: string): void;
  stderr(text: string): void;
  /** Waits until what was given to standard output is written; returns `output-failed` where it could not be. */
  written(): Promise<Problem | null>;
}

/** Colours for terminals. Only our own words are painted; what agents wrote is made visible first and never trusted. */
export interface Paint {
  strong(text: string): string;
  faint(text: string): string;
  good(text: string): string;
  bad(text: string): string;
  warn(text: string): string;
}

/** Which colour each word of a list has. */
type Tones = { readonly [word: string]: keyof Paint };

/** An output onto `streams`. */
export function outputTo(
  streams: Streams,
  options: {
    readonly json: boolean;
    readonly colour: Config["colour"];
    /** Whether the words for people go to a terminal; absent: they do not. */
    readonly isWatched?: () => boolean;
  },
): Output {
  const { colour } = options;
  const paint = {
    get stdout() {
      return paintFor(colour.stdout());
    },
    get stderr() {
      return paintFor(colour.stderr());
    },
  };
  let hasProgress = false;
  const progress = (text: string | null) => {
    if (text === null ? !hasProgress : options.isWatched?.() !== true) return;
    hasProgress = text !== null;
    // Back to the beginning of the line, which is cleared.
    streams.stderr(`\r\u001b[K${text ?? ""}`);
  };
  const say = (text: string) => {
    progress(null);
    streams.stderr(`${text}\n`);
  };
  const tell = (problems: readonly Problem[]) => {
    for (const problem of problems) say(problemText(problem, paint.stderr));
  };
  return {
    json: options.json,
    paint,
    say,
    named: (text) => text,
    progress,
    result: (value, text) => {
      progress(null);
      if (options.json) return streams.stdout(`${jsonLine(value)}\n`);
      const shown = text();
      if (shown !== null) streams.stdout(`${shown}\n`);
    },
    raw: (text) => streams.stdout(`${text}\n`),
    notes: (notes) => {
      for (const note of notes) say(noteText(note, paint.stderr));
    },
    worded: (problems) => problems,
    problems: tell,
    fail: (problem) => {
      const problems = "code" in problem ? [problem] : problem;
      const [first] = problems;
      invariant(first !== undefined, "a command that fails says why");
      if (first.code === "interrupted") return exitCodeOf(first);
      if (options.json) streams.stdout(`${jsonLine({ problems })}\n`);
      tell(problems);
      return exitCodeOf(first);
    },
    written: () => streams.written(),
  };
}

/* Problems and notes laid out for people: what is wrong, where, what was expected, what came, what to do. */

/** The problem in two to five lines. Everything that may hold agent text is made visible. */
export function problemText(problem: Problem, paint: Paint): string {
  const where = problem.path === "" || problem.path === "$" ? "" : ` at ${visible(problem.path)}`;
  const lines = [`${paint.bad(problem.code)}${where}`, `  ${visible(problem.message)}`];
  // A digest tells programs which content is under the id; people compare the entry.
  if (problem.expected !== undefined && problem.code !== "id-conflict")
    lines.push(`  ${paint.faint("expected")}  ${visible(problem.expected)}`);
  if (problem.received !== undefined) lines.push(`  ${paint.faint("received")}  ${visible(problem.received)}`);
  if (problem.hint !== undefined) lines.push(`  ${paint.strong("hint")}      ${visible(problem.hint)}`);
  return lines.join("\n");
}

/** The note in one line. */
export function noteText(note: Note, paint: Paint): string {
  const where = note.path === "" || note.path === "$" ? "" : ` at ${visible(note.path)}`;
  return `${paint.warn("note")}: ${visible(note.message)} ${paint.faint(`(${note.code}${where})`)}`;
}

/** `text` (absent: `word` itself) in the colour of `word`; in none where a newer hub says a word that is not known. */
export function toned(paint: Paint, tones: Tones, word: string, text: string = word): string {
  const tone = Object.hasOwn(tones, word) ? tones[word] : undefined;
  return tone === undefined ? text : paint[tone](text);
}

const controlStart = "\u001b[";

/** Paint that colours (`enabled`) or returns each string unchanged. */
export function paintFor(enabled: boolean): Paint {
  const style = (on: number, off: number) => (text: string) =>
    enabled ? `${controlStart}${on}m${text}${controlStart}${off}m` : text;
  return { strong: style(1, 22), faint: style(2, 22), good: style(32, 39), bad: style(31, 39), warn: style(33, 39) };
}
