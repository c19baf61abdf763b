/**
 * A thread of Codex whose id is known before its terminal starts: Codex itself makes it, and the terminal resumes it. All
 * threads of a user may run in one daemon, whose environment is that of the first, so only the id tells whose a thread is.
 * Source: docs/protocol/doors.md, section 7.
 */
import type { ChildProcessByStdio } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { systemClock } from "../../base/clock.ts";
import { isJsonList, isJsonObject, type JsonObject, parseBounded } from "../../base/json.ts";
import type { Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";

/** A thread of before: the newest of the folder, or the one with this id or name. */
export type EarlierThread = { readonly isLast: true } | { readonly named: string };

/** What a thread is for. */
export interface ThreadAsked {
  /** The words that start Codex. */
  readonly program: readonly string[];
  /** What Codex and its servers read of their surroundings. */
  readonly environment: Readonly<Record<string, string>>;
  /** Where the thread works. */
  readonly directory: string;
  /** The name of a new thread, as the terminal shows it. */
  readonly name: string;
  /** The thread to go on with; null: a new one. */
  readonly earlier: EarlierThread | null;
  /** Takes the id; a problem ends a new thread again. */
  bind(thread: string): Promise<Problem | null>;
}

/** The id of the thread, which is bound; the problem that `bind` found; null: Codex made or found none in time. */
export async function openThread(asked: ThreadAsked): Promise<Result<string, Problem> | null> {
  const { earlier } = asked;
  if (earlier !== null && "named" in earlier && threadIdForm.test(earlier.named)) return bound(asked, earlier.named);
  return await askCodex(asked, (ask) => boundThread(ask, asked));
}

/** Asks a server of Codex, which ends then; null: it could not be asked in time. */
export async function askCodex<Answer>(
  { program, environment, directory }: Pick<ThreadAsked, "program" | "environment" | "directory">,
  question: (ask: Ask) => Promise<Answer | null>,
): Promise<Answer | null> {
  const [file = "", ...first] = program;
  // Loaded here: most processes with this folder start nothing.
  const child = process.getBuiltinModule("node:child_process").spawn(file, [...first, "app-server"], {
    cwd: directory,
    env: environment,
    stdio: ["pipe", "pipe", "ignore"],
  });
  const closed = new Promise<void>((resolve) => {
    child.once("error", () => resolve());
    child.once("close", () => resolve());
  });
  // A server that has ended answers nothing, which is noticed there.
  child.stdin.on("error", () => undefined);
  const over = new AbortController();
  const asked = async (): Promise<Answer | null> => {
    const ask = asking(child);
    const begun = await ask("initialize", { clientInfo: { name: "baton", version: "1" } });
    return begun === null ? null : await question(ask);
  };
  try {
    const late = systemClock.wait(threadMsMax, over.signal).then(() => null);
    return await Promise.race([asked(), closed.then(() => null), late]);
  } finally {
    over.abort();
    child.kill("SIGTERM");
    await closed;
  }
}

/** Codex starts the thread's MCP servers meanwhile. */
const threadMsMax = 30_000;

/** Sends a call and answers its result; null: it failed. */
export type Ask = (method: string, params: JsonObject) => Promise<JsonObject | null>;

const threadIdForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

async function boundThread(ask: Ask, asked: ThreadAsked): Promise<Result<string, Problem> | null> {
  const { directory, name, earlier } = asked;
  if (earlier !== null) {
    const found = await earlierThread(ask, directory, earlier);
    return found === null ? null : await bound(asked, found);
  }
  const started = await ask("thread/start", { cwd: directory });
  const thread = started !== null && isJsonObject(started.thread) ? started.thread.id : undefined;
  if (typeof thread !== "string") return null;
  const done = await bound(asked, thread);
  if (!done.ok) return done;
  // A thread is kept only once there is something to keep of it.
  const named = await ask("thread/name/set", { threadId: thread, name });
  return named === null ? null : done;
}

async function bound({ bind }: ThreadAsked, thread: string): Promise<Result<string, Problem>> {
  const refused = await bind(thread);
  return refused === null ? ok(thread) : err(refused);
}

/** The id of a thread of before: the newest one that fits. */
async function earlierThread(ask: Ask, cwd: string, earlier: EarlierThread): Promise<string | null> {
  const wanted = "named" in earlier ? { searchTerm: earlier.named } : { cwd, limit: 1 };
  const page = await ask("thread/list", { ...wanted, sortKey: "updated_at" });
  const threads = page !== null && isJsonList(page.data) ? page.data.filter(isJsonObject) : [];
  const found = threads.find(({ name }) => !("named" in earlier) || name === earlier.named);
  return typeof found?.id === "string" ? found.id : null;
}

/** Calls of Codex's own server, a line each. */
function asking({ stdin, stdout }: ChildProcessByStdio<Writable, Readable, null>): Ask {
  const waiting = new Map<number, (result: JsonObject | null) => void>();
  let rest = "";
  stdout.setEncoding("utf8").on("data", (text: string) => {
    const lines = `${rest}${text}`.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const read = parseBounded(line);
      const { id, result } = read.ok && isJsonObject(read.value) ? read.value : {};
      if (typeof id === "number") waiting.get(id)?.(isJsonObject(result) ? result : null);
    }
  });
  return (method, params) =>
    new Promise((resolve) => {
      const id = waiting.size;
      waiting.set(id, resolve);
      stdin.write(`${JSON.stringify({ id, method, params })}\n`);
      if (method === "initialize") stdin.write(`${JSON.stringify({ method: "initialized" })}\n`);
    });
}
