/** A server of Codex that answers questions about the user's threads and hooks. Source: `codex app-server`. */
import type { ChildProcessByStdio } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { systemClock } from "../../base/clock.ts";
import { isJsonObject, type JsonObject, parseBounded } from "../../base/json.ts";

/** Which Codex is asked. */
export interface CodexAsked {
  /** The words that start Codex. */
  readonly program: readonly string[];
  /** What Codex and its servers read of their surroundings. */
  readonly environment: Readonly<Record<string, string>>;
  /** Where it works. */
  readonly directory: string;
}

/** Asks a server of Codex, which ends then; null: it could not be asked in time. */
export async function askCodex<Answer>(
  { program, environment, directory }: CodexAsked,
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
    const late = systemClock.wait(answerMsMax, over.signal).then(() => null);
    return await Promise.race([asked(), closed.then(() => null), late]);
  } finally {
    over.abort();
    child.kill("SIGTERM");
    await closed;
  }
}

/** Codex starts the thread's MCP servers meanwhile. */
const answerMsMax = 30_000;

/** Sends a call and answers its result; null: it failed. */
export type Ask = (method: string, params: JsonObject) => Promise<JsonObject | null>;

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
