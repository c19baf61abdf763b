/** What a decision knows in addition to the state: who acts, when, and the rules of the team file. */
import { steadyNow } from "../base/clock.ts";
import type { MessageId } from "../base/ids.ts";
import type { BreakerScope } from "../health/state.ts";
import { agentSessionOf } from "../health/view/breaker-scope.ts";
import type { Moment } from "../journal/journal.ts";
import type { Principal } from "../messages/principal.ts";
import { claimsRuleOf, landsFirstIn, leaseMsOf, levelSilentMsOf, scopeRuleOf } from "../team/state/definition.ts";
import { awaitsVerdict, type TeamContext } from "./context.ts";
import type { TeamState } from "./state.ts";

/** The rules of the team file, with its defaults. */
export interface TeamRules {
  /** How long a claim lasts without a heartbeat. */
  readonly leaseMs: number;
  /** How long a level may leave an escalation unanswered. */
  readonly levelSilentMs: number;
  /** Files outside a contract are noted, not refused. */
  readonly isAdvisory: boolean;
  /** Claims are made by the first edit. */
  readonly claimsByEdits: boolean;
  /** A report counts as done only once it is verified. */
  readonly awaitsVerdict: boolean;
  /** What a task depends on is done only once it has landed. */
  readonly landsFirst: boolean;
}

/** Who acts, in which entry, when, and by which rules. */
export interface At {
  readonly by: Principal;
  /** The id of the operation. */
  readonly id: MessageId;
  /** The session of an agent of the team; 0: it is no agent of the team. */
  readonly session: number;
  /** The circuit breaker that the agent works under; null: none. */
  readonly breaker: BreakerScope | null;
  /** The seq that the entry will have. */
  readonly seq: number;
  readonly moment: Moment;
  /** The accepting machine's steady clock. */
  readonly atMs: number;
  readonly rules: TeamRules;
}

/** What a decision at the head knows. */
export function atHead(context: TeamContext, state: TeamState, moment: Moment, by: Principal, id: MessageId): At {
  const { definition } = state.team;
  const { session, scope } = agentSessionOf(state, by.agent);
  return {
    by,
    id,
    session,
    breaker: scope,
    seq: moment.seq,
    moment,
    atMs: steadyNow(context.clock),
    rules: {
      leaseMs: leaseMsOf(definition),
      levelSilentMs: levelSilentMsOf(definition),
      isAdvisory: scopeRuleOf(definition) === "advisory",
      claimsByEdits: claimsRuleOf(definition) === "edits",
      awaitsVerdict: awaitsVerdict(context, state),
      landsFirst: landsFirstIn(definition),
    },
  };
}
