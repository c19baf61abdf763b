/**
 * The order that an agent gets at its start: one line of JSON on its standard input, because other users could see its
 * token among the arguments. Written and read by this program alone, so both sides share one type.
 */

import { invariant } from "../src/base/invariant.ts";
import { isJsonObject, type Json, parseBounded } from "../src/base/json.ts";
import { type CastMember, castMembers } from "./cast.ts";
import type { Changes } from "./changes.ts";
import type { HubAccess } from "./doors/http-door.ts";

/** Moments in the work on a task: read about it, claimed, committed, reported it. Only then is the contract acknowledged. */
export const moments = ["read", "claimed", "committed", "sent"] as const;
export type Moment = (typeof moments)[number];

/** Where in its work an agent is to stop and wait, as long work would, until it is reported to go on or ended. */
export interface Hold {
  readonly at: Moment;
  readonly task: string;
}

export interface AgentOrder extends HubAccess {
  /** Directory of the scratch repository. */
  readonly repository: string;
  /** Pause before each step, for people who watch, in milliseconds; 0: none. */
  readonly paceMs: number;
  /** How often this agent was started before. */
  readonly livesBefore: number;
  readonly holds: readonly Hold[];
  /** What it writes for each task. */
  readonly changes: Changes;
  /** What it writes for tasks of others, once the lead asks it to take them over. */
  readonly standsIn: Changes;
  /** Program and arguments that start `baton` itself, for agents that come over MCP. */
  readonly baton: readonly string[];
}

/** The order as one line. */
export function writeOrder(order: AgentOrder): string {
  return JSON.stringify(order);
}

/** The order that a line holds, and who is meant; null for anything else. */
export function readOrder(line: string): { readonly order: AgentOrder; readonly member: CastMember } | null {
  const parsed = parseBounded(line);
  if (!parsed.ok || !isJsonObject(parsed.value)) return null;
  const value: { readonly [key: string]: Json } = parsed.value;
  const member = castMembers.find(({ agent }) => agent === value.agent);
  if (member === undefined || typeof value.token !== "string" || typeof value.hub !== "string") return null;
  // Only this program writes orders (writeOrder); the three fields tell a person who types into it what is wrong.
  return { order: parsed.value as unknown as AgentOrder, member };
}

/* Moments at which an agent waits, as long work would, until its starter lets it continue. */
export interface Holds {
  /** Lets work go on past the moment that a line names, now or when it comes; other lines mean nothing. */
  lift(line: string): void;
  /** Resolves when the moment is lifted. */
  lifted(moment: Moment): Promise<void>;
}

/** Holds that are all still in force. */
export function makeHolds(): Holds {
  const waiting = new Map(moments.map((moment) => [moment as string, Promise.withResolvers<void>()]));
  return {
    lift: (line) => waiting.get(line)?.resolve(),
    lifted: (moment) => {
      const hold = waiting.get(moment);
      invariant(hold !== undefined, "every moment has a hold");
      return hold.promise;
    },
  };
}
