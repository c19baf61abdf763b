/**
 * Operations on circuit breakers, and what happened to them and to agents as yolo/1 writes it.
 * Rules: docs/protocol/asking.md, sections 17 to 19.
 */
import { z } from "zod";
import type { JsonObject } from "../base/json.ts";
import { departments } from "../messages/role.ts";
import { operation, shapeOf, shown, time } from "../perform/operations/define.ts";
import { type TeamMode, teamModes } from "../team/state/definition.ts";
import { breakerStates } from "./decide/breakers.ts";
import type { BreakerScope } from "./state.ts";

/** A circuit breaker. */
export interface BreakerView {
  readonly department: BreakerScope;
  readonly state: (typeof breakerStates)[number];
  /** Disappearances that count. */
  readonly failures: number;
  /** When it last opened, RFC 3339; null: never. */
  readonly openedAt: string | null;
  readonly lastProbeAt: string | null;
  /** The agent that was let in to try; null: none. */
  readonly probe: string | null;
  /** Until when it is open, or its probe is waited for; null: neither. */
  readonly until: string | null;
  /** As what a further agent is best started: `task` where a new teammate would be refused. */
  readonly spawn: TeamMode;
}

export const breakerShape = shapeOf<BreakerView>()(
  z
    .object({
      department: z.enum([...departments, "team"]),
      state: z.enum(breakerStates),
      failures: z.int().min(0).describe("disappearances that count"),
      openedAt: time.nullable(),
      lastProbeAt: time.nullable(),
      probe: z.string().nullable().describe("the agent that was let in to try"),
      until: time.nullable().describe("until when it is open, or its probe is waited for"),
      spawn: z.enum(teamModes).describe("as what a further agent is best started"),
    })
    .meta({ id: "Breaker" }),
);

const written = z.array(z.record(z.string(), z.unknown()));

export const listBreakers = operation({
  name: "listBreakers",
  call: "breakers",
  access: "caller",
  says: "The circuit breakers, one a department, each with the advice as what a further agent is started.",
  input: z.strictObject({}),
  answer: shown<readonly BreakerView[]>("breakers", "Every breaker.", z.array(breakerShape)),
  http: { method: "get", path: "/breakers" },
  cliOption: {
    of: "agent list",
    as: "--breakers",
    says: "the circuit breakers instead: whether new agents are let in",
  },
});

export const closeBreaker = operation({
  name: "closeBreaker",
  call: "closeBreaker",
  access: "caller",
  says: "Closes a circuit breaker, with the reason. The owner's alone.",
  input: z.strictObject({
    scope: z.string().optional().describe("a department, or team; absent: the only one that is not closed"),
    reason: z.string().describe("why agents may be let in again"),
  }),
  answer: { kind: "reply" },
  http: { method: "post", path: "/breakers/close" },
  cli: [
    {
      words: "breaker close",
      group: "People and agents",
      summary: "let agents in again",
      description:
        "Closes a circuit breaker, by the person who owns the team and by nobody else: new agents are let in again, and who\n" +
        "disappeared before counts no more. The reason is recorded and shown.",
      arguments: {
        scope: { as: "SCOPE", says: "a department, or team (default: the only one that is not closed)" },
        reason: { as: "--reason TEXT" },
      },
      examples: [
        {
          line: "baton breaker close --reason 'the network was down'",
          meaning: "the only one that is not closed",
        },
        { line: "baton breaker close backend --reason 'the machine was full'", meaning: "one of several" },
      ],
      next: "baton agent list --breakers shows the state of each.",
      said: "Closed; new agents are let in again (entry {seq}).",
    },
  ],
  record: { act: "close-breaker", line: "closed the circuit breaker[ of {scope}][: {reason}]" },
});

export const listAgentEvents = operation({
  name: "listAgentEvents",
  call: "agentEvents",
  access: "caller",
  says: "Every agent_health_event of the record, as yolo/1 spells it. Costs the whole record.",
  input: z.strictObject({}),
  answer: shown<readonly JsonObject[]>("events", "Oldest first.", written),
  http: { method: "get", path: "/agents/events" },
  cliOption: {
    of: "agent list",
    as: "--events",
    says: "all that happened to them instead, an agent_health_event of yolo/1 a line",
  },
});

export const listBreakerEvents = operation({
  name: "listBreakerEvents",
  call: "breakerEvents",
  access: "caller",
  says: "Every circuit_breaker_state of the record, as yolo/1 spells it. Costs the whole record.",
  input: z.strictObject({}),
  answer: shown<readonly JsonObject[]>("events", "Oldest first.", written),
  http: { method: "get", path: "/breakers/events" },
  cliOption: {
    of: "agent list",
    as: "--breaker-events",
    says: "all that happened to the breakers instead, a circuit_breaker_state of yolo/1 a line",
  },
});

/** In the order of the document and of help. */
export const breakerOperations = [listBreakers, closeBreaker, listAgentEvents, listBreakerEvents] as const;
