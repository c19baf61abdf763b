/** Codex's server: it answers what is asked of threads and hooks, or runs a terminal's session: `codex app-server`. */
import type { ChildProcessByStdio } from "node:child_process";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
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

/** Whether Codex's user has said that one of these places of a folder is trusted. */
export async function trustsFolder(asked: CodexAsked, places: readonly string[]): Promise<boolean> {
  const read = await askCodex(asked, (ask) => ask("config/read", { cwd: asked.directory, includeLayers: false }));
  const { projects } = read !== null && isJsonObject(read.config) ? read.config : {};
  const known = projects !== undefined && isJsonObject(projects) ? projects : {};
  return places.some((place) => {
    const project = known[place];
    return project !== undefined && isJsonObject(project) && project.trust_level === "trusted";
  });
}

/**
 * Starts the server of one terminal's session, which this process becomes, and ends it with that. A thread in a server is
 * woken at once; one in the terminal's process finds its queue ten seconds later. `words` are the server's, its socket is in
 * `folder`. Answers the words by which the terminal finds it; null: this Codex has none, or not in time.
 */
export async function startSessionServer(
  { program, environment, directory }: CodexAsked,
  {
    words,
    folder,
    signal,
  }: { readonly words: readonly string[]; readonly folder: string; readonly signal: AbortSignal },
): Promise<readonly string[] | null> {
  const socket = join(folder, `${socketStart}${process.pid}`);
  if (Buffer.byteLength(socket) > socketBytesMax) return null;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  rmSync(socket, { force: true });
  const server = [...program, "app-server", "--listen", `unix://${socket}`, ...words];
  const child = process
    .getBuiltinModule("node:child_process")
    .spawn("/bin/sh", ["-c", asLongAsParent, "sh", socket, ...server], {
      cwd: directory,
      env: environment,
      detached: true,
      stdio: "ignore",
    });
  let hasEnded = false;
  const over = () => {
    hasEnded = true;
  };
  child.once("error", over).once("exit", over);
  const until = systemClock.monotonic() + answerMsMax;
  while (!hasEnded && !signal.aborted && systemClock.monotonic() < until) {
    if (existsSync(socket)) return ["--remote", `unix://${socket}`];
    await systemClock.wait(lookMs, signal);
  }
  if (!hasEnded && child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  return null;
}

/** The server that has these words, and the number of its terminal's process; null: it is not one of those. */
export function sessionServerOf(
  words: readonly string[],
): { readonly address: string; readonly terminal: string } | null {
  const address = words.find((word) => word.startsWith("unix://") && word.includes(`/${socketStart}`));
  return address === undefined ? null : { address, terminal: address.slice(address.lastIndexOf("-") + 1) };
}

const socketStart = "codex-server-";
/** The shortest that any system allows, less what ends it. */
const socketBytesMax = 103;
const lookMs = 20;

/** Its own group is ended, since the program may be a script that starts another; a turn that runs has a moment to end. */
const asLongAsParent = `socket=$1; shift; "$@" & server=$!
while kill -0 $server && kill -0 $PPID; do sleep 1; done 2>/dev/null
rm -f "$socket"; kill -0 $server 2>/dev/null || exit
trap '' TERM; kill -TERM 0; sleep 2; kill -KILL 0`;

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
