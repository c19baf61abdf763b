/**
 * Objects of a repository by name, through one `git cat-file --batch` that is asked again and again. Every object's
 * content is hashed and compared with its id, so an object that somebody exchanged is not taken for the one it replaces.
 * Questions that are asked together are written together, so that many small objects cost one round trip.
 */
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { hash } from "node:crypto";
import type { Readable } from "node:stream";
import { type Clock, systemClock } from "../../base/clock.ts";
import { invariant } from "../../base/invariant.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { type Git, notStarted, tooSlow, unreadable } from "./git.ts";

/** The kinds of object that git has. */
export type ObjectKind = "commit" | "tree" | "blob" | "tag";

export interface GitObject {
  /** The full id. */
  readonly id: string;
  readonly kind: ObjectKind;
  readonly content: Buffer;
}

/** What a name stands for: an object, none, or several. */
export type Found = GitObject | "missing" | "ambiguous";

export interface ObjectReader extends AsyncDisposable {
  /**
   * The object of a name made of hex digits, alone or followed by `^{commit}`. Problems: `too-large` (more than
   * `bytesMax`), `timed-out`, `git-missing`, `repository-unreadable`.
   */
  read(name: string, bytesMax: number): Promise<Result<Found, Problem>>;
}

const headerBytesMax = 4096;
const answerMsMax = 60_000;
const safeName = /^[0-9a-f]{4,64}(?:\^\{commit\})?$/;

interface Session {
  readonly child: ChildProcessWithoutNullStreams;
  readonly bytes: ByteStream;
  readonly failed: Promise<NodeJS.ErrnoException>;
  readonly ended: Promise<void>;
  words: string;
}

/** A question that waits for its turn; `written`: to which process it was put already, null: to none. */
interface Question {
  readonly name: string;
  readonly bytesMax: number;
  written: Session | null;
}

/** Reads objects with `git`. Its process starts with the first question and again after it was ended or broke off. */
export function objectReader(git: Git, clock: Clock = systemClock): ObjectReader {
  let session: Session | null = null;
  let last: Promise<unknown> = Promise.resolve();
  const end = async (): Promise<void> => {
    const ending = session;
    session = null;
    if (ending === null) return;
    ending.child.kill("SIGKILL");
    // Answers that nobody takes any more would keep the process from being over.
    ending.child.stdout.destroy();
    await ending.ended;
  };
  const waiting = new Set<Question>();
  // How many of them the process that runs was not asked yet, since one before it ended: nothing overtakes them.
  let unwritten = 0;
  const put = (question: Question): Session => {
    session ??= begin(git);
    session.child.stdin.write(`${question.name}\n`);
    question.written = session;
    return session;
  };
  const ask = async (question: Question): Promise<Result<Found, Problem>> => {
    const isWritten = question.written !== null && question.written === session;
    if (!isWritten) unwritten--;
    const asked = isWritten && session !== null ? session : put(question);
    const over = new AbortController();
    const answer = await Promise.race([
      takeAnswer(asked, question.name, question.bytesMax),
      asked.failed.then((problem): Result<Found, Problem> => err(notStarted(problem))),
      clock.wait(answerMsMax, over.signal).then((): Result<Found, Problem> => err(tooSlow(["cat-file"], answerMsMax))),
    ]);
    over.abort();
    // After an error the position in the process's output is unknown.
    if (!answer.ok) {
      await end();
      unwritten = waiting.size;
    }
    return answer;
  };
  return {
    read: (name, bytesMax) => {
      invariant(safeName.test(name), "objects are named by hex digits");
      const question: Question = { name, bytesMax, written: null };
      if (unwritten === 0) put(question);
      else unwritten++;
      waiting.add(question);
      const turn = last.then(() => {
        waiting.delete(question);
        return ask(question);
      });
      last = turn;
      return turn;
    },
    [Symbol.asyncDispose]: async () => {
      await last;
      await end();
    },
  };
}

function begin(git: Git): Session {
  const child = git.start(["cat-file", "--batch"]);
  const { promise: failed, resolve: fail } = Promise.withResolvers<NodeJS.ErrnoException>();
  const { promise: ended, resolve: finish } = Promise.withResolvers<void>();
  const session: Session = { child, bytes: bytesOf(child.stdout), failed, ended, words: "" };
  child.on("error", (problem) => {
    fail(problem);
    finish();
  });
  child.on("close", () => finish());
  child.stdin.on("error", () => {
    // It ended; the missing answer tells.
  });
  child.stderr.setEncoding("utf8");
  child.stderr.on("data", (text: string) => {
    session.words = (session.words + text).slice(-headerBytesMax);
  });
  return session;
}

async function takeAnswer(session: Session, name: string, bytesMax: number): Promise<Result<Found, Problem>> {
  const header = (await session.bytes.line(headerBytesMax))?.toString("latin1") ?? null;
  if (header === null) return brokeOff(session);
  if (header === `${name} missing`) return ok("missing");
  if (header === `${name} ambiguous`) return ok("ambiguous");
  const [id = "", kind = "", size = ""] = header.split(" ");
  if (!isKind(kind) || !/^\d{1,15}$/.test(size)) return err(unreadable(name, header));
  const bytes = Number(size);
  if (bytes > bytesMax) return err(tooLarge(id, kind, bytes, bytesMax));
  const content = await session.bytes.take(bytes + 1);
  if (content === null) return brokeOff(session);
  const object = { id, kind, content: content.subarray(0, bytes) };
  return idOf(object) === id ? ok(object) : err(exchanged(object));
}

async function brokeOff(session: Session): Promise<Result<Found, Problem>> {
  await Promise.race([session.ended, session.failed]);
  return err(unreadable("git cat-file", session.words));
}

function isKind(word: string): word is ObjectKind {
  return word === "commit" || word === "tree" || word === "blob" || word === "tag";
}

function idOf({ id, kind, content }: GitObject): string {
  const whole = Buffer.concat([Buffer.from(`${kind} ${content.length}\0`, "latin1"), content]);
  return hash(id.length === 64 ? "sha256" : "sha1", whole, "hex");
}

function tooLarge(id: string, kind: string, bytes: number, bytesMax: number): Problem {
  return makeProblem("too-large", id, `The ${kind} has ${bytes} bytes; at most ${bytesMax} are read.`, {
    expected: `at most ${bytesMax} bytes`,
    received: `${bytes} bytes`,
  });
}

function exchanged({ id, kind }: GitObject): Problem {
  return makeProblem("repository-unreadable", id, `The content of this ${kind} does not belong to its id.`, {
    hint: "Run git fsck: the repository is damaged, or somebody exchanged an object.",
  });
}

/* A stream of bytes, taken by lines and by counts as its protocol says. */
interface ByteStream {
  /** The bytes up to the next line feed, without it; null: the stream ended, or the line is too long. */
  line(bytesMax: number): Promise<Buffer | null>;
  /** Exactly `count` bytes; null: the stream ended before. */
  take(count: number): Promise<Buffer | null>;
}

const lineFeed = 0x0a;

/** Takes over the stream; nobody else may read it. */
function bytesOf(stream: Readable): ByteStream {
  const chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let held: Buffer[] = [];
  let count = 0;
  const more = async (): Promise<boolean> => {
    try {
      const next = await chunks.next();
      if (next.done === true) return false;
      held.push(next.value);
      count += next.value.length;
      return true;
    } catch {
      // A pipe that broke off is one that ended; the process behind it says why.
      return false;
    }
  };
  const cut = (bytes: number): Buffer => {
    const whole = held.length === 1 && held[0] !== undefined ? held[0] : Buffer.concat(held);
    held = bytes === whole.length ? [] : [whole.subarray(bytes)];
    count -= bytes;
    return whole.subarray(0, bytes);
  };
  return {
    line: async (bytesMax) => {
      for (;;) {
        const whole = held.length === 1 && held[0] !== undefined ? held[0] : Buffer.concat(held);
        held = [whole];
        const end = whole.indexOf(lineFeed);
        if (end >= 0) return cut(end + 1).subarray(0, end);
        if (whole.length > bytesMax || !(await more())) return null;
      }
    },
    take: async (wanted) => {
      while (count < wanted) if (!(await more())) return null;
      return cut(wanted);
    },
  };
}
