/**
 * A team's definition as its file says it: dialects, policy, agents, widened routing, limits, own messages. Pure data; reading the
 * YAML is `team-file.ts`, what is in force is a recorded revision (`revision.ts`).
 */
import { escalationSecondsDefault, leaseSecondsDefault } from "../base/limits.ts";
import type { DialectId } from "../message/message.ts";
import type { OwnMessage } from "../message/own-message.ts";
import type { Department, Role } from "../message/role.ts";

/** `enforce`: a fault refuses. `observe`: schema and authorisation faults are recorded as notes and delivered. */
export type Policy = "enforce" | "observe";

/** `teammate`: developers claim tasks themselves. `task`: a lead hands them out. Absent in a definition: `teammate`. */
export type TeamMode = "teammate" | "task";

export interface AgentDefinition {
  readonly agent: string;
  readonly role: Role;
  readonly department?: Department;
  /** Absent: the team's first dialect. */
  readonly dialect?: DialectId;
}

/** A widening of a message's typical receivers. Senders are the seeds' alone. */
export interface RoutingWidening {
  readonly dialect: DialectId;
  readonly type: string;
  readonly receivers: readonly Role[];
}

/** Limits of a team's own. Sizes may lie below the protocol's (`base/limits.ts`), never above. */
export interface TeamLimits {
  readonly messageBytes?: number;
  readonly inboxPage?: number;
  /** How long a claim lives without a sign of life of its holder; absent: `leaseSecondsDefault`. */
  readonly leaseSeconds?: number;
  /** How long a level may be silent about an escalation before it is passed by; absent: `escalationSecondsDefault`. */
  readonly escalationSeconds?: number;
}

/**
 * How long after one sign of life beside the record the next is kept: nearer ones say nothing new, and each costs a
 * write. Whoever judges an agent's silence must wait that much longer.
 */
export function signsApartMsOf(definition: TeamDefinition | null): number {
  return Math.min(10_000, leaseMsOf(definition) / 10);
}

/** How long claims of the team live without a sign of life of their holder, in milliseconds. */
export function leaseMsOf(definition: TeamDefinition | null): number {
  return (definition?.limits.leaseSeconds ?? leaseSecondsDefault) * 1_000;
}

/** How long a level of the team may be silent about an escalation, in milliseconds. */
export function levelSilentMsOf(definition: TeamDefinition | null): number {
  return (definition?.limits.escalationSeconds ?? escalationSecondsDefault) * 1_000;
}

export interface TeamDefinition {
  readonly name: string;
  /** In the order they are tried; never empty. */
  readonly dialects: readonly DialectId[];
  readonly policy: Policy;
  readonly teamMode?: TeamMode;
  readonly agents: readonly AgentDefinition[];
  readonly routing: readonly RoutingWidening[];
  readonly limits: TeamLimits;
  /** Message types of the team's own, by name; absent where it has none. */
  readonly messages?: readonly OwnMessage[];
}
