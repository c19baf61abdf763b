/**
 * Acts that come through a door without a message, under the id that makes each happen once: recorded with what follows
 * from it, or as a refusal.
 * Source: docs/protocol/journal.md, section 1.
 */
import { argument } from "../../base/argument.ts";
import { canonical, sha256 } from "../../base/canonical.ts";
import { type MessageId, messageId } from "../../base/ids.ts";
import type { Json } from "../../base/json.ts";
import { newMessageId } from "../../base/new-ids.ts";
import type { Problem } from "../../base/problem.ts";
import type { Result } from "../../base/result.ts";
import type { EntryDraft } from "../../journal/entry.ts";
import type { Attempt, Moment } from "../../journal/journal.ts";
import type { Principal } from "../../message/principal.ts";
import type { Reply } from "../../operations/reply.ts";
import { type Actor, type Context, principalOf } from "../context.ts";
import { commandRefusal } from "../delivery/refusal.ts";
import { replyTo } from "../reply.ts";
import type { TeamState } from "../state.ts";
import { replacedFault } from "../team/superseded-session.ts";
import { commitInTime } from "../timers.ts";
import { idConflict, invalidId } from "./act-id.ts";
import type { ActName } from "./act-line.ts";

/** An operation, as it is requested. */
export interface AskedAct {
  readonly name: ActName;
  /** What it was asked with; a refusal shows its beginning. */
  readonly asked: unknown;
  /** What makes it the same act under the same id. */
  readonly compared: Json;
  /** The id it was given; without one it gets a new one. */
  readonly named: string | undefined;
  /** With this operation the actor's program begins, so it cannot have been superseded. */
  readonly isBeginning?: true;
  /** Pure; asked under the write lock. */
  decide(
    state: TeamState,
    moment: Moment,
    by: { readonly principal: Principal; readonly id: MessageId },
  ): Result<Pick<EntryDraft, "receivers" | "content">, readonly Problem[]>;
  /** No deadline has to do with it, so it is recorded as it comes; else behind those that have passed. */
  readonly isTimeless?: true;
}

/**
 * Records the operation, or its refusal. Refuses `invalid-id`, `id-conflict`, `session-replaced`, and what the
 * operation's decision refuses.
 */
export async function recordAct(context: Context, actor: Actor, act: AskedAct): Promise<Reply> {
  const { name, asked, named } = act;
  const id = named === undefined ? newMessageId() : messageId(named);
  if (id === null) {
    return { outcome: "refused", receipt: null, problems: [invalidId(named ?? "", argument("id"))], notes: [] };
  }
  const digest = sha256(canonical(act.compared));
  const attempt: Attempt<TeamState> = {
    once: { principal: actor.agent, id, digest },
    decide(state, moment): EntryDraft {
      const principal = principalOf(actor, state);
      const refuse = (problems: readonly Problem[]): EntryDraft =>
        commandRefusal({ principal, id, digest, name, asked, problems });
      if (moment.earlier !== null) return refuse([idConflict(id, moment.earlier, argument("id"))]);
      const replaced = act.isBeginning === true ? null : replacedFault(state, actor);
      if (replaced !== null) return refuse([replaced]);
      const decided = act.decide(state, moment, { principal, id });
      if (!decided.ok) return refuse(decided.error);
      return { kind: "command", principal, id, digest, ...decided.value };
    },
  };
  const { journal, team } = context;
  const committed = await (act.isTimeless === true
    ? journal.commit(team, attempt)
    : commitInTime(context, attempt, actor));
  return replyTo(context, committed);
}
