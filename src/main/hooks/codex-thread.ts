/**
 * A thread of Codex whose id is known before its terminal starts: Codex itself makes it, and the terminal resumes it. All
 * threads of a user may run in one daemon, whose environment is that of the first, so only the id tells whose a thread is.
 * Source: docs/protocol/doors.md, section 7.
 */
import type { ChildProcessByStdio } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { systemClock } from "../../base/clock.ts";
import { isJsonObject, type JsonObject, parseBounded } from "../../base/json.ts";
import type { Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { Call } from "../../doors/cli/kernel/command.ts";

/** What a new thread is for. */
export interface ThreadAsked {
  /** The words that start Codex. */
  readonly program: readonly string[];
  /** What Codex and its servers read of their surroundings. */
  readonly environment: Readonly<Record<string, string>>;
  /** The thread's name, as the terminal shows it. */
  readonly name: string;
  /** Takes the new id; a problem ends the thread again. */
  bind(thread: string): Promise<Problem | null>;
}

/** The id of a new thread that is bound; the problem that `bind` found; null: Codex made none in time. */
export async function newThread(call: Call, asked: ThreadAsked): Promise<Result<string, Problem> | null> {
  const [file = "", ...first] = asked.program;
  // Loaded here: most processes with this folder start nothing.
  const child = process.getBuiltinModule("node:child_process").spawn(file, [...first, "app-server"], {
    cwd: call.config.directory,
    env: asked.environment,
    stdio: ["pipe", "pipe", "ignore"],
  });
  const closed = new Promise<void>((resolve) => {
    child.once("error", () => resolve());
    child.once("close", () => resolve());
  });
  // A server that has ended answers nothing, which is noticed there.
  child.stdin.on("error", () => undefined);
  const over = new AbortController();
  try {
    const late = systemClock.wait(threadMsMax, over.signal).then(() => null);
    return await Promise.race([
      boundThread(asking(child), call.config.directory, asked),
      closed.then(() => null),
      late,
    ]);
  } finally {
    over.abort();
    child.kill("SIGTERM");
    await closed;
  }
}

/** Codex starts the thread's MCP servers meanwhile. */
const threadMsMax = 30_000;

/** Sends a call and answers its result; null: it failed. */
type Ask = (method: string, params: JsonObject) => Promise<JsonObject | null>;

async function boundThread(
  ask: Ask,
  cwd: string,
  { name, bind }: ThreadAsked,
): Promise<Result<string, Problem> | null> {
  const begun = await ask("initialize", { clientInfo: { name: "baton", version: "1" } });
  const started = begun === null ? null : await ask("thread/start", { cwd });
  const thread = started !== null && isJsonObject(started.thread) ? started.thread.id : undefined;
  if (typeof thread !== "string") return null;
  const refused = await bind(thread);
  if (refused !== null) return err(refused);
  // A thread is kept only once there is something to keep of it.
  const named = await ask("thread/name/set", { threadId: thread, name });
  return named === null ? null : ok(thread);
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
