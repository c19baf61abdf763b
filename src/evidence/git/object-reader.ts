/**
 * Objects of a repository by name, through two programs that live on and are asked line by line: `git cat-file
 * --batch-check` says what a name is, `--batch` also brings its bytes. Git holds each object to its id.
 */
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { type Clock, systemClock } from "../../base/clock.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { type Git, notStarted, tooSlow, unreadable } from "./git.ts";

/** The kinds of object that git has. */
type ObjectKind = "commit" | "tree" | "blob" | "tag";

/** What a name stands for. */
export interface ObjectFacts {
  /** The full id. */
  readonly id: string;
  readonly kind: ObjectKind;
  readonly size: number;
}

export interface GitObject extends Pick<ObjectFacts, "id" | "kind"> {
  readonly content: Buffer;
}

/** What a name stands for: an object, none, or several. */
export type Found = GitObject | "missing" | "ambiguous";

export interface ObjectReader extends AsyncDisposable {
  /**
   * What a name is, such as `COMMIT:PATH` (a submodule's pointer is an object that is not here); null: nothing that is here.
   * Problems: `timed-out`, `git-missing`, `repository-unreadable`.
   */
  facts(name: string): Promise<Result<ObjectFacts | null, Problem>>;
  /** The object of a name. Problems: as of `facts`, and `too-large` (more than `bytesMax`). */
  read(name: string, bytesMax: number): Promise<Result<Found, Problem>>;
}

const answerMsMax = 60_000;
const wordsBytesMax = 4_096;

/** Reads objects with `git`. Its programs start with the first question, and again after they ended. */
export function objectReader(git: Git, clock: Clock = systemClock): ObjectReader {
  let [asked, read]: (Session | null)[] = [null, null];
  const factsOf = async (name: string): Promise<Result<Answer, Problem>> => {
    if (asked?.isOver() !== false) asked = sessionOf(git, false, clock);
    return await asked.ask(name);
  };
  return {
    facts: async (name) => {
      const found = await factsOf(name);
      if (!found.ok) return found;
      return ok(typeof found.value === "string" ? null : found.value);
    },
    read: async (name, bytesMax) => {
      const known = await factsOf(name);
      if (!known.ok) return known;
      if (typeof known.value === "string") return ok(known.value);
      const { id, kind, size } = known.value;
      if (size > bytesMax) return err(tooLarge(known.value, bytesMax));
      if (read?.isOver() !== false) read = sessionOf(git, true, clock);
      const found = await read.ask(id);
      if (!found.ok) return found;
      if (typeof found.value === "string") return ok(found.value);
      return ok({ id, kind, content: found.value.content });
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all([asked?.end(), read?.end()]);
      asked = read = null;
    },
  };
}

/** What one question brought. */
type Answer = (ObjectFacts & { readonly content: Buffer }) | "missing" | "ambiguous";

/** One program that is asked again and again. */
interface Session {
  isOver(): boolean;
  ask(name: string): Promise<Result<Answer, Problem>>;
  end(): Promise<void>;
}

function sessionOf(git: Git, isWhole: boolean, clock: Clock): Session {
  const child = git.start(["cat-file", isWhole ? "--batch" : "--batch-check"]);
  const waiting: ((answer: Result<Answer, Problem>) => void)[] = [];
  let [words, isOver] = ["", false];
  let guard: AbortController | null = null;
  const { promise: ended, resolve: finish } = Promise.withResolvers<void>();
  const stop = (why: Problem): void => {
    isOver = true;
    guard?.abort();
    for (const answer of waiting.splice(0)) answer(err(why));
  };
  const watch = (): void => {
    const watching = new AbortController();
    guard = watching;
    void clock.wait(answerMsMax, watching.signal).then(() => {
      if (watching.signal.aborted) return;
      stop(tooSlow(["cat-file"], answerMsMax));
      child.kill("SIGKILL");
    });
  };
  takeAnswers(child, isWhole, (answer) => {
    waiting.shift()?.(ok(answer));
    guard?.abort();
    guard = null;
    if (waiting.length > 0) watch();
  });
  child.stderr.setEncoding("utf8");
  child.stderr.on("data", (text: string) => {
    words = (words + text).slice(-wordsBytesMax);
  });
  child.stdin.on("error", () => {
    // It ended; that it did is told.
  });
  child.on("error", (cause) => {
    stop(notStarted(cause));
    finish();
  });
  child.on("close", () => {
    stop(unreadable("git cat-file", words));
    finish();
  });
  return {
    isOver: () => isOver,
    ask: (name) => {
      // Nothing that git knows has such a name in a place that its answers could be told apart.
      if (/[\n\0]/.test(name)) return Promise.resolve(ok("missing"));
      if (isOver) return Promise.resolve(err(unreadable("git cat-file", words)));
      const { promise, resolve } = Promise.withResolvers<Result<Answer, Problem>>();
      waiting.push(resolve);
      if (guard === null) watch();
      child.stdin.write(`${name}\n`);
      return promise;
    },
    end: async () => {
      stop(unreadable("git cat-file", "it was ended"));
      child.kill("SIGKILL");
      // Answers that nobody takes any more would keep the process from being over.
      child.stdout.destroy();
      await ended;
    },
  };
}

const lineFeed = 10;

/** Takes the program's output apart. */
function takeAnswers(
  { stdout }: ChildProcessWithoutNullStreams,
  isWhole: boolean,
  take: (answer: Answer) => void,
): void {
  let held: Buffer[] = [];
  let [size, need] = [0, 1];
  stdout.on("data", (piece: Buffer) => {
    held.push(piece);
    size += piece.length;
    while (size >= need) {
      const [only] = held;
      const all = held.length === 1 && only !== undefined ? only : Buffer.concat(held);
      held = [all];
      const end = all.indexOf(lineFeed);
      const known = end < 0 ? null : answerIn(all.toString("utf8", 0, end));
      const length = isWhole && known !== null && typeof known !== "string" ? known.size + 1 : 0;
      need = end < 0 ? size + 1 : end + 1 + length;
      if (known === null || size < need) continue;
      const rest = all.subarray(need);
      const content = all.subarray(end + 1, Math.max(end + 1, need - 1));
      [held, size, need] = [rest.length === 0 ? [] : [rest], rest.length, 1];
      take(typeof known === "string" ? known : { ...known, content });
    }
  });
}

function answerIn(line: string): ObjectFacts | "missing" | "ambiguous" {
  const [id = "", kind = "", size = ""] = line.split(" ");
  if (/^[0-9a-f]{40,64}$/.test(id) && isKind(kind) && /^\d{1,15}$/.test(size)) return { id, kind, size: Number(size) };
  return line.endsWith(" ambiguous") ? "ambiguous" : "missing";
}

function isKind(word: string): word is ObjectKind {
  return word === "commit" || word === "tree" || word === "blob" || word === "tag";
}

function tooLarge({ id, kind, size }: ObjectFacts, bytesMax: number): Problem {
  return makeProblem("too-large", id, `The ${kind} has ${size} bytes; at most ${bytesMax} are read.`, {
    expected: `at most ${bytesMax} bytes`,
    received: `${size} bytes`,
  });
}
