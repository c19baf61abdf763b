/** What can happen to a team, as facts of the journal. */
import type { DialectId } from "../message/message.ts";
import type { Department, Role } from "../message/role.ts";
import type { TeamDefinition, TeamMode } from "./definition.ts";

/** The team's file was recorded as revision `revision` (1, 2, 3 ...) and is in force from here on. */
export interface TeamRevised {
  readonly event: "team-revised";
  readonly revision: number;
  readonly definition: TeamDefinition;
}

/** An agent was registered by command: for the first time, again after it had been retired, or in a new session. */
export interface AgentRegistered {
  readonly event: "agent-registered";
  readonly agent: string;
  readonly role: Role;
  readonly department?: Department;
  readonly dialect: DialectId;
  /** Absent: the team's. */
  readonly mode?: TeamMode;
  readonly session: number;
  /** The agent that registered it; absent: the person who owns the team, or it was not kept yet. */
  readonly by?: string;
}

/** An agent was taken out by command. It stays so until it is registered again, whatever the file says. */
export interface AgentRetired {
  readonly event: "agent-retired";
  readonly agent: string;
  readonly reason?: string;
}

/** A token was made that proves `agent`; the token itself is nowhere but with the agent. */
export interface TokenIssued {
  readonly event: "token-issued";
  readonly tokenId: string;
  readonly agent: string;
  /** SHA-256 of the token, 64 hex digits. */
  readonly hash: string;
  readonly session: number;
}

/** A token proves nobody any more. */
export interface TokenRevoked {
  readonly event: "token-revoked";
  readonly tokenId: string;
}

export type TeamEvent = TeamRevised | AgentRegistered | AgentRetired | TokenIssued | TokenRevoked;
