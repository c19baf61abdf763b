/**
 * A thread of Codex whose id is known before its terminal starts: Codex itself makes it, and the terminal resumes it. All
 * threads of a user may run in one daemon, whose environment is that of the first, so only the id tells whose a thread is.
 * Source: docs/protocol/doors.md, section 7.
 */
import { isJsonList, isJsonObject } from "../../base/json.ts";
import type { Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { type Ask, askCodex, type CodexAsked } from "../install/codex-server.ts";

/** A thread of before: the newest of the folder, or the one with this id or name. */
export type EarlierThread = { readonly isLast: true } | { readonly named: string };

/** What a thread is for. */
export interface ThreadAsked extends CodexAsked {
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
