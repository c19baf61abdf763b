/**
 * Acknowledging: the reader's own word that everything addressed to it up to a number is dealt with. The only thing
 * that moves its cursor.
 * Source: guarantees.md sections 0 and 1.4.
 */
import { canonical } from "../base/canonical.ts";
import { sha256 } from "../base/digest.ts";
import { type MessageId, messageId } from "../base/ids.ts";
import { type Problem, problem } from "../base/problem.ts";
import type { EntryDraft } from "../journal/entry.ts";
import type { Moment } from "../journal/journal.ts";
import { asJson } from "./content.ts";
import { type Actor, type Context, principalOf } from "./context.ts";
import { notReached, unknownAgent } from "./inbox.ts";
import { refusalDraft } from "./refusal.ts";
import { replyTo } from "./reply.ts";
import type { TeamState } from "./state.ts";
import type { Reply } from "./team.ts";

/**
 * Records that `actor` acknowledges up to `seq`, which also marks it as seen. The same number again is the same act.
 * Refuses `unknown-agent`, and `not-found` for a number the team has not reached.
 */
export async function acknowledge(
  context: Context,
  actor: Actor,
  seq: number,
  options: { readonly id?: string } = {},
): Promise<Reply> {
  const id = messageId(options.id ?? `ack/${actor.agent}/${seq}`);
  const digest = sha256(canonical({ acknowledge: seq }));
  const reply = await replyTo(
    context,
    await context.journal.commit(context.team, {
      once: id === null ? null : { principal: actor.agent, id, digest },
      decide: (state, moment) => decide(context, actor, { seq, id, digest }, state, moment),
    }),
  );
  if (reply.outcome !== "accepted") return reply;
  const marked = await context.journal.mark(context.team, actor.agent, { offered: seq, seen: seq });
  return marked.ok ? reply : { outcome: "failed", problem: marked.error };
}

interface Acknowledgement {
  readonly seq: number;
  readonly id: MessageId | null;
  readonly digest: string;
}

function decide(context: Context, actor: Actor, asked: Acknowledgement, state: TeamState, moment: Moment): EntryDraft {
  const { seq, id, digest } = asked;
  const principal = principalOf(actor, state);
  const fault = faultOf(context, actor, asked, state, moment);
  if (fault !== null) {
    const text = `acknowledge ${seq}`;
    return refusalDraft({
      principal,
      id,
      digest,
      bytes: text.length,
      text,
      dialect: null,
      type: "ack",
      problems: [fault],
    });
  }
  return { kind: "ack", principal, id, digest, receivers: [], content: asJson({ acknowledged: seq }) };
}

function faultOf(
  context: Context,
  actor: Actor,
  asked: Acknowledgement,
  state: TeamState,
  moment: Moment,
): Problem | null {
  if (asked.id === null) {
    return problem("invalid-id", "id", "This cannot be an id.", { expected: "1 to 128 of A-Z a-z 0-9 . _ : / @ -" });
  }
  if (moment.earlier !== null) {
    return problem("id-conflict", "id", `The id was used before, for entry ${moment.earlier.seq}.`, {
      hint: "Use a new id.",
    });
  }
  if (actor.agent !== "owner" && !state.team.roster.has(actor.agent)) return unknownAgent(actor.agent, context.team);
  if (Number.isSafeInteger(asked.seq) && asked.seq >= 1 && asked.seq < moment.seq) return null;
  return notReached(asked.seq, moment.seq - 1);
}
