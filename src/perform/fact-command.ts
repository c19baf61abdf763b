/** A fact as it is put before the deciders: with who says it, to whom, when, and what the team's file says of that. */
import type { BreakerScope } from "../health/state.ts";
import type { Level } from "../messages/authority/chain-of-command.ts";
import type { Fact } from "../messages/facts.ts";
import type { Principal } from "../messages/principal.ts";
import type { Role } from "../messages/role.ts";
import type { Setting } from "../phases/decide/phase-facts.ts";
import type { Company } from "../phases/state/phase-state.ts";
import type { AskedAgent } from "../shutdown/decide/shutdowns.ts";

/** A fact with what its sender cannot choose. */
export interface FactCommand {
  readonly fact: Fact;
  /** The message's type on the wire. */
  readonly type: string;
  /** The id by which answers name this message: the wire's, or the one it was sent under. */
  readonly wireId: string;
  readonly principal: Principal;
  /** The chain of agents that registered the sender's name, as in `Judge`; absent: none did. */
  readonly registrars?: readonly string[];
  /** Whether the sender passes on what the user decided, as the team file lets it; absent: it speaks for itself. */
  readonly speaksForUser?: boolean;
  /** The sender's session, and how long its claims last without a heartbeat. */
  readonly session: number;
  readonly leaseMs: number;
  /** The breaker that lets the sender begin to work; null or absent: none does. */
  readonly breaker?: BreakerScope | null;
  /** Whether progress says that a task is done; false where another message of its dialect does. */
  readonly completes: boolean;
  /** A repository is at hand: reported work counts as done once it is verified. Absent: once it is reported. */
  readonly awaitsVerdict?: boolean;
  /** The team's scope is advisory; absent: it is strict. */
  readonly isAdvisory?: boolean;
  /** What a task depends on is done only once it has landed; absent: once it is reported or verified. */
  readonly landsFirst?: boolean;
  /** Progress of the sender on a task that nobody holds claims the task; absent: it does not. */
  readonly claimsByProgress?: boolean;
  readonly receivers: readonly string[];
  /** Whether somebody receives it who is at that level for that agent; absent: nobody asks. */
  readonly isReachedAt?: (level: Level, originator: string) => boolean;
  /** The role of an agent of the team; absent: nobody asks. */
  readonly roleOf?: (agent: string) => Role | null;
  /** Roles that may answer an approval. */
  readonly answererRoles: readonly Role[];
  /** Whom a request to stop asks, and whom it leaves alone; absent for every other fact. */
  readonly asked?: readonly AskedAgent[];
  /** A request to stop names nobody. */
  readonly asksEverybody?: boolean;
  /** The chain of levels above the sender, for what goes up; absent for every other fact. */
  readonly chain?: readonly Level[];
  /** How long a level may be silent about what went up. */
  readonly levelSilentMs: number;
  /**
   * Whom it concerns where several departments are at work, and what the team can say; absent: one team, of which
   * nothing is known.
   */
  readonly company?: Company;
  readonly setting?: Setting;
  /** The seq that the message will have. */
  readonly seq: number;
  /** When it is accepted, by the accepting machine's clock. */
  readonly atMs: number;
}
