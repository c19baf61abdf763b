/** What can happen to a team, as facts of the journal. */
import type { DialectId } from "../message/message.ts";
import type { Department, Role } from "../message/role.ts";
import type { TeamDefinition } from "./definition.ts";

/** The team's file was recorded as revision `revision` (1, 2, 3 ...) and is in force from here on. */
export interface TeamRevised {
  readonly event: "team-revised";
  readonly revision: number;
  readonly definition: TeamDefinition;
}

/** An agent was registered by command, for the first time or again after it had been retired. */
export interface AgentRegistered {
  readonly event: "agent-registered";
  readonly agent: string;
  readonly role: Role;
  readonly department?: Department;
  readonly dialect: DialectId;
  readonly session: number;
}

/** An agent was taken out by command. It stays so until it is registered again, whatever the file says. */
export interface AgentRetired {
  readonly event: "agent-retired";
  readonly agent: string;
  readonly reason?: string;
}

export type TeamEvent = TeamRevised | AgentRegistered | AgentRetired;
