/**
 * The files in which Codex keeps its threads, each under the day on which the thread began. A helper that a session starts
 * is a thread with a separate file, whose first line names the session. Of other sessions' files nothing but the first line
 * is read. Format: the session files of Codex CLI. Rule: docs/protocol/tasks.md, section 20.
 */
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { isJsonObject, type JsonObject, parseAnyCharacters } from "../../base/json.ts";
import { hookBytesMax, hookDepthMax, hookNodesMax } from "../../base/limits.ts";
import type { Call } from "../../doors/cli/kernel/command.ts";
import { boundAgent, sessionsFolder } from "../../workspace/agent-sessions.ts";
import { lookForPlace } from "../../workspace/place.ts";
import { firstLineOf } from "./transcript-reading.ts";

/** Most folders of days that are looked through for a session, the latest first. */
const daysMax = 60;

/** The file of a Codex session, under the day on which it began; null: there is none. */
export function codexFile({ config }: Pick<Call, "config">, session: string | null): string | null {
  if (session === null || !/^[0-9a-f-]{36}$/.test(session)) return null;
  for (const day of latestDays(config)) {
    const name = namesIn(day).find((each) => each.startsWith("rollout-") && each.endsWith(`-${session}.jsonl`));
    if (name !== undefined) return join(day, name);
  }
  return null;
}

/** The latest first. */
function latestDays({ codexHome }: Call["config"]): readonly string[] {
  if (codexHome === null) return [];
  const below = (folders: readonly string[]) =>
    folders.flatMap((folder) =>
      namesIn(folder)
        .filter((name) => /^\d+$/.test(name))
        .toSorted((a, b) => b.localeCompare(a))
        .map((name) => join(folder, name)),
    );
  return below(below(below([join(codexHome, "sessions")]))).slice(0, daysMax);
}

/** The names in the folder; none where it cannot be read. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // It is not there, or not for this user.
    return [];
  }
}

/** Most first lines that are read at once; a process that asks again goes on with the next ones. */
const firstLinesMax = 500;

/**
 * The files of the helpers that a session has started, the oldest first; `own`: the session's own file. Left out is a
 * helper's thread that `baton run` has bound to an agent, so that its tokens never count for two.
 */
export async function codexHelperFiles(
  call: Call,
  { session, own }: { readonly session: string | null; readonly own: string },
): Promise<readonly string[]> {
  const days = latestDays(call.config);
  // No helper began before its session.
  const since = days.slice(0, days.indexOf(dirname(own)) + 1).toReversed();
  const found = new Map<string, string>();
  let count = 0;
  for (const { path, thread } of since.flatMap(threadsOn)) {
    let starter = sessionsOfHelpers.get(path);
    if (starter === undefined) {
      if (count === firstLinesMax) continue;
      count++;
      starter = await sessionOfHelper(path, thread);
    }
    if (starter !== null && starter === session) found.set(thread, path);
  }
  return found.size === 0 ? [] : unboundIn(call, found);
}

interface Thread {
  readonly path: string;
  /** Its id. */
  readonly thread: string;
}

/** The threads that began on the day, the oldest first. */
function threadsOn(day: string): readonly Thread[] {
  return namesIn(day)
    .toSorted()
    .flatMap((name) => {
      const thread = /^rollout-.+-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl$/.exec(name)?.[1];
      return thread === undefined ? [] : [{ path: join(day, name), thread }];
    });
}

/** What this process has read: by a thread's file, the session that started it as a helper; null: it is no helper. */
const sessionsOfHelpers = new Map<string, string | null>();
const rememberedMax = 20_000;

async function sessionOfHelper(path: string, thread: string): Promise<string | null> {
  const line = await firstLineOf(path);
  // It is still being written, or may not be read.
  if (line === null) return null;
  const session = namedSession(line, thread);
  if (sessionsOfHelpers.size === rememberedMax) sessionsOfHelpers.clear();
  sessionsOfHelpers.set(path, session);
  return session;
}

/** The session that a file's first line names, where it is that of a helper's thread. */
function namedSession(line: string, thread: string): string | null {
  if (!line.includes('"thread_spawn"')) return null;
  const limits = { bytesMax: hookBytesMax, depthMax: hookDepthMax, nodesMax: hookNodesMax };
  const read = parseAnyCharacters(Buffer.from(line), limits);
  const { type, payload } = read.ok && isJsonObject(read.value) ? read.value : ({} as JsonObject);
  if (type !== "session_meta" || !isJsonObject(payload)) return null;
  const { id, session_id: session, source } = payload;
  const kind = isJsonObject(source) ? source.subagent : null;
  const isHelper = isJsonObject(kind) && isJsonObject(kind.thread_spawn);
  return isHelper && id === thread && typeof session === "string" && session !== id ? session : null;
}

/** The files of the threads, without those that are bound to an agent, in this team or in another one of a hub. */
function unboundIn(call: Call, threads: ReadonlyMap<string, string>): readonly string[] {
  const place = lookForPlace(call);
  if (!place.ok) return [...threads.values()];
  const own = sessionsFolder(place.value.journal);
  const teams = namesIn(own).filter((name) => name.startsWith("team-"));
  const folders = [own, ...teams.map((name) => join(own, name))];
  const isBound = (thread: string) => folders.some((folder) => boundAgent(folder, "codex", thread) !== null);
  return [...threads].filter(([thread]) => !isBound(thread)).map(([, path]) => path);
}
