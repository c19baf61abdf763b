/**
 * The owner's browser sessions in the record, so that they hold at every hub of the journal and end at every one. The
 * record has the SHA-256 of a session's id: a reader can open nothing with it. Rules: docs/protocol/rights.md, section
 * 7.
 */
import type { Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { ownerName } from "../../message/principal.ts";
import type { OwnerSession } from "../../team/credentials.ts";
import type { TeamEvent } from "../../team/events.ts";
import type { Context } from "../context.ts";
import { asJson } from "../record/content.ts";
import { recordAct } from "../record/recorded-act.ts";

/** The session with this hash, whether it has expired or not; null: it was never opened here, or has ended. */
export async function findSession(context: Context, hash: string): Promise<Result<OwnerSession | null, Problem>> {
  const folded = await context.journal.state(context.team);
  return folded.ok ? ok(folded.value.state.credentials.sessions.get(hash) ?? null) : folded;
}

/** Records that the session is open. Refuses what the journal refuses. */
export function openSession(context: Context, { hash, expiresAtMs }: OwnerSession): Promise<Result<void, Problem>> {
  const openedAtMs = context.clock.now();
  return act(context, "begin-session", { event: "session-opened", hash, openedAtMs, expiresAtMs });
}

/** Records that the session has ended. Refuses what the journal refuses. */
export function endSession(context: Context, hash: string): Promise<Result<void, Problem>> {
  return act(context, "end-session", { event: "session-ended", hash });
}

async function act(
  context: Context,
  name: "begin-session" | "end-session",
  event: Extract<TeamEvent, { readonly event: "session-opened" | "session-ended" }>,
): Promise<Result<void, Problem>> {
  const reply = await recordAct(
    context,
    { agent: ownerName, via: "launcher" },
    {
      name,
      asked: {},
      compared: { name, hash: event.hash },
      named: undefined,
      isTimeless: true,
      decide: () => ok({ receivers: [], content: asJson({ command: { name }, team: [event] }) }),
    },
  );
  if (reply.outcome === "failed") return err(reply.problem);
  const [refused] = reply.outcome === "refused" ? reply.problems : [];
  return refused === undefined ? ok(undefined) : err(refused);
}
