/**
 * A hub as a door reaches it: what must be known to speak to one, and what it then offers. The way itself (HTTP) lives
 * in its own door; who composes doors hands it on as a value.
 */
import type { TeamName } from "../base/ids.ts";
import type { Problem } from "../base/problem.ts";
import type { Result } from "../base/result.ts";
import type { JournalRecord } from "../record/handlers/record.ts";
import type { WorkingTeam } from "./team.ts";

/** Where a hub is and as whom it is spoken to. */
export interface HubAddress {
  /** `http:` or `https:`, with a port and a path before the hub's own where there is one; no user, no query. */
  readonly url: string;
  /** The credential; null: none was given. Never in a URL, a problem or a log. */
  readonly token: string | null;
  /** The team that is meant; null: the one the token is for. */
  readonly team: string | null;
  /**
   * The agent that the caller expects to be; null: the token's agent. Refused with `identity-mismatch` when the token
   * proves another.
   */
  readonly agent: string | null;
  /** The program that speaks for the agent from here on; absent: one that comes and goes. */
  readonly program?: string;
  /** How long one question waits for its answer, in milliseconds; absent: as long as is bearable. */
  readonly answerMsMax?: number;
  /** Words for a person: that a stream was interrupted and goes on. */
  say(words: string): void;
  /** Ends waiting and reading; what is being recorded is finished. */
  readonly signal: AbortSignal;
}

/** A hub that has said who its caller is. */
export interface HubConnection {
  /** The name that the hub knows its caller by. */
  readonly agent: string;
  /** The teams that the caller may speak of. */
  readonly teams: readonly TeamName[];
  /** The team, as a local journal would give it. Refuses `unknown-team` where it is not clear which is meant. */
  team(): Result<WorkingTeam, Problem>;
  /** The journal behind the hub; the owner's only, which the hub itself decides. */
  record(): JournalRecord;
}

/**
 * Asks the hub who the caller is. Refuses `wrong-usage` (no such URL), `unauthenticated` (no token, or an unknown one),
 * `token-revoked`, `identity-mismatch`, `too-many-requests`, `interrupted`, `hub-unreachable`, `not-a-hub`.
 */
export type ConnectHub = (address: HubAddress) => Promise<Result<HubConnection, Problem>>;
