/**
 * Acknowledging: the reader's own word that everything addressed to it up to a number is dealt with. The only thing
 * that moves its cursor.
 * Source: docs/protocol/journal.md, sections 1 and 5.
 */

import { argument } from "../../base/argument.ts";
import { canonical, sha256 } from "../../base/canonical.ts";
import { type MessageId, messageId } from "../../base/ids.ts";
import type { Problem } from "../../base/problem.ts";
import type { EntryDraft } from "../../journal/entry.ts";
import type { Moment } from "../../journal/journal.ts";
import { ownerName } from "../../message/principal.ts";
import type { Reply } from "../../operations/reply.ts";
import { unknownAgent } from "../../team/agent-names.ts";
import { type Actor, type Context, principalOf } from "../context.ts";
import { asJson, commandRefusal } from "../record/content.ts";
import { idConflict, invalidId, replyTo } from "../record/recorded-act.ts";
import type { TeamState } from "../state.ts";
import { isReadBeforeStop, retiredProblem } from "../team/session-endings.ts";
import { replacedProblem } from "../team/superseded-session.ts";
import { commitInTime } from "../timers.ts";
import { noteAcknowledged } from "./delivery-note.ts";
import { notReached } from "./inbox.ts";

/**
 * Records that `actor` acknowledges up to `seq`, which also marks it as seen. The same number again is the same act.
 * Refuses `unknown-agent`, `retired-agent`, and `not-found` for a number the team has not reached.
 */
export async function acknowledge(
  context: Context,
  actor: Actor,
  seq: number,
  options: { readonly id?: string } = {},
): Promise<Reply> {
  const named = options.id ?? `ack/${actor.agent}/${seq}`;
  const id = messageId(named);
  const digest = sha256(canonical({ acknowledge: seq }));
  const reply = await replyTo(
    context,
    await commitInTime(
      context,
      {
        once: id === null ? null : { principal: actor.agent, id, digest },
        decide: (state, moment) => decide(actor, { seq, id, named, digest }, state, moment),
      },
      actor,
    ),
  );
  if (reply.outcome !== "accepted") return reply;
  const marked = await context.journal.mark(context.team, actor.agent, { offered: seq, seen: seq });
  const noted = marked.ok ? await noteAcknowledged(context, actor.agent, seq) : marked;
  return noted.ok ? reply : { outcome: "failed", problem: noted.error };
}

interface Acknowledgement {
  readonly seq: number;
  readonly id: MessageId | null;
  /** The id as it was given. */
  readonly named: string;
  readonly digest: string;
}

function decide(actor: Actor, asked: Acknowledgement, state: TeamState, moment: Moment): EntryDraft {
  const { seq, id, digest } = asked;
  const principal = principalOf(actor, state);
  const fault = faultOf(actor, asked, state, moment);
  if (fault !== null) {
    return commandRefusal({ principal, id, digest, name: "ack", asked: { acknowledge: seq }, problems: [fault] });
  }
  return { kind: "ack", principal, id, digest, receivers: [], content: asJson({ acknowledged: seq }) };
}

function faultOf(actor: Actor, asked: Acknowledgement, state: TeamState, moment: Moment): Problem | null {
  if (asked.id === null) return invalidId(asked.named, argument("id"));
  if (moment.earlier !== null) return idConflict(asked.id, moment.earlier, argument("id"));
  if (actor.agent !== ownerName && !state.team.roster.has(actor.agent))
    return unknownAgent(actor.agent, state.team.roster.keys());
  const retired = isReadBeforeStop(state, actor.agent, asked.seq) ? null : retiredProblem(state, actor.agent);
  const ended = retired ?? replacedProblem(state, actor);
  if (ended !== null) return ended;
  if (Number.isSafeInteger(asked.seq) && asked.seq >= 1 && asked.seq < moment.seq) return null;
  return notReached(asked.seq, moment.seq - 1);
}
