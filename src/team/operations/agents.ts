/**
 * Operations on the roster: who joins the team, and who leaves it. Rules: docs/protocol/authority.md, sections 11
 * to 16.
 */
import { z } from "zod";
import { type HealthState, healthStates } from "../../health/decide/health.ts";
import type { Marks } from "../../journal/journal.ts";
import { dialectIds } from "../../messages/dialects/registry.ts";
import { departments, roles } from "../../messages/role.ts";
import { count, inForm, moment, operation, shapeOf, shown, time } from "../../perform/operations/define.ts";
import { seq } from "../../perform/operations/shapes.ts";
import { teamModes } from "../state/definition.ts";
import type { Member } from "../state/roster.ts";

const group = "People and agents";

/** How long messages took from their entry to a stage. */
export interface Lag {
  readonly messages: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
}

/**
 * `unreviewed`: its program skips hooks until the person has reviewed them; `untrusted`: until they trust its folder;
 * `unseen`: it was started, and nothing was heard of it yet.
 */
export const unguardedWays = ["unreviewed", "untrusted", "other", "unseen"] as const;
export interface Unguarded {
  readonly because: (typeof unguardedWays)[number];
  /** The head when that was found. */
  readonly seq: number;
  /** When, RFC 3339, and of which process of this machine; absent: not known. */
  readonly at?: string;
  readonly process?: string;
}

/** What an agent's model was shown, as `status` answers it. */
export interface DeliveryState {
  /** The context of the model; null: no hook has named one yet. Another context than that was shown nothing. */
  readonly context: string | null;
  /** Everything up to this number was shown in the context. */
  readonly shown: number;
  /** Everything up to this number was in a hook's answer there, and no later call has confirmed it. */
  readonly injected: number;
  /** The answer of the model at which that was: only a call of a later one confirms it. Null: each later call does. */
  readonly answer: string | null;
  /** The newest claim that the agent was reminded of in the context. */
  readonly told: number;
  /** Whether the agent has stopped or only just begun, and nothing has shown since that it works. */
  readonly idle: boolean;
  /** Since when, RFC 3339; null: it is not, or that is not known. */
  readonly idleSince: string | null;
  /** Whether something wakes it in the context; null: nothing has said so yet. */
  readonly wakes: boolean | null;
  /** The free task for which it was woken last, as `call` named it; null: none. */
  readonly called: string | null;
  /** Why nothing keeps it from files that others hold, until a hook of its has run; null: nothing was found. */
  readonly unguarded: Unguarded | null;
  /** How many characters hooks and calls of tools have put into its contexts in all: what coordination has cost. */
  readonly characters: number;
  /** Absent: no message has reached the stage. */
  readonly lags: Readonly<Partial<Record<"offered" | "injected" | "seen" | "acknowledged", Lag>>>;
}

/** An agent, with how far its mail has come and whether it is there. */
export interface AgentStatus extends Member {
  readonly unread: number;
  readonly marks: Marks;
  /** What its model was shown, and how long its mail took. */
  readonly delivery: DeliveryState;
  readonly acknowledged: number;
  readonly health: HealthState;
  /** It stopped when it was asked to, or nobody waited for it then, and it has not begun again; absent: it did not. */
  readonly stopped?: true;
  /** Its program has ended, and it holds a task; absent: not so. */
  readonly ended?: true;
  /** The free task for which it is to be woken, in the state in which that is now; absent: none. */
  readonly call?: string;
  /** It waits for an answer to a request, or to an escalation that holds it up; absent: it does not. */
  readonly waits?: true;
  /** When it last acted, asked for its mail or showed otherwise that it is there, RFC 3339; null: never. */
  readonly lastSeenAt: string | null;
}

const lagShape = shapeOf<Lag>()(z.object({ messages: count(), p50Ms: moment(), p95Ms: moment() }));

export const agentShape = shapeOf<AgentStatus>()(
  z
    .object({
      agent: z.string(),
      role: z.enum(roles),
      department: z.enum(departments).optional(),
      dialect: inForm("dialect", z.string()),
      source: z.enum(["file", "command"]),
      status: z.enum(["active", "retired"]),
      session: count(),
      unread: seq,
      marks: z.object({ offered: seq, seen: seq }),
      delivery: z
        .object({
          context: z.string().nullable().describe("the context of its model; null: no hook has named one"),
          shown: seq.describe("shown in that context up to here"),
          injected: seq.describe("in a hook's answer there, and not yet confirmed by a later call"),
          answer: z
            .string()
            .nullable()
            .describe("the answer of the model at which that was; null: each later call confirms it"),
          told: seq.describe("the newest claim that it was reminded of"),
          idle: z.boolean().describe("it has stopped, and nothing has shown since that it works"),
          idleSince: time.nullable().describe("since when; null: it is not, or that is not known"),
          wakes: z.boolean().nullable().describe("whether something wakes it; null: nothing has said so yet"),
          called: z.string().nullable().describe("the free task for which it was woken last"),
          unguarded: z
            .object({
              because: z.enum(unguardedWays),
              seq: count(),
              at: time.optional(),
              process: z.string().optional(),
            })
            .nullable()
            .describe("why no hook of its is known to run, the head then, and the process of its program"),
          characters: z.int().min(0).describe("what hooks and calls of tools have put into its contexts in all"),
          lags: z
            .object({ offered: lagShape, injected: lagShape, seen: lagShape, acknowledged: lagShape })
            .partial()
            .describe("from a message's entry to each stage"),
        })
        .describe("what its model was shown"),
      acknowledged: seq,
      mode: z.enum(teamModes).optional().describe("how it works, where that is not the team's team_mode"),
      health: z.enum(healthStates),
      stopped: z
        .literal(true)
        .optional()
        .describe("it stopped when it was asked to, or nobody waited for it then, and it has not begun again"),
      ended: z.literal(true).optional().describe("its program has ended, and it holds a task"),
      call: z.string().optional().describe("the free task for which it is to be woken, in its present state"),
      waits: z.literal(true).optional().describe("it waits for an answer to a request or an escalation"),
      lastSeenAt: time.nullable(),
      registrars: z.array(z.string()).optional().describe("agents that ever registered this name"),
      retiredBy: z
        .string()
        .optional()
        .describe("of a retired agent: the agent that retired it; absent: the owner or the team file did"),
    })
    .meta({ id: "AgentStatus" }),
);

export const listAgents = operation({
  name: "listAgents",
  call: "agents",
  access: "caller",
  says: "The agents of the team.",
  input: z.strictObject({}),
  answer: shown<readonly AgentStatus[]>("agents", "Every agent.", z.array(agentShape)),
  http: { method: "get", path: "/agents", isInEveryHub: true },
  cli: [
    {
      words: "agent list",
      group,
      summary: "the agents of the team",
      description:
        "Prints the agents of the team: role, dialect, state, number of unread messages. A line each. An agent whose program\n" +
        "shows itself (baton mcp) has disappeared when it is a minute late; of any other, its lease is the limit.\n" +
        "A circuit breaker, one a department or one for a team without departments, opens when two agents disappear within five\n" +
        "minutes: new teammates are refused, those at work go on, and agents in task mode are let in. After two minutes one\n" +
        "teammate may try; when it shows life, the breaker closes. The team file may set other numbers (limits).",
      arguments: {},
      examples: [
        { line: "baton agent list", meaning: "a table" },
        { line: "baton agent list --json", meaning: "a line of JSON an agent" },
        { line: "baton agent list --breakers", meaning: "whether new agents are let in, and how to start one" },
        { line: "baton agent list --events >> health.jsonl", meaning: "as other tools keep them" },
      ],
      next: "baton agent register NAME --role ROLE adds one.",
    },
  ],
});

export const registerAgent = operation({
  name: "registerAgent",
  call: "register",
  access: "caller",
  says: "Adds an agent, or brings back a retired one. The owner's and the leads'.",
  input: z.strictObject({
    agent: z.string().describe("the agent's name, such as dev-1"),
    role: z.enum(roles).describe("its role"),
    department: z.enum(departments).optional().describe("its department"),
    dialect: inForm("dialect", z.enum(dialectIds)).optional().describe("absent: the team's first"),
    mode: z.enum(teamModes).optional().describe("task: it has no circuit breaker; absent: the team's"),
    newSession: z.boolean().optional().describe("an agent that is there begins again; its old session is fenced off"),
  }),
  answer: { kind: "reply" },
  http: { method: "post", path: "/agents" },
  cli: [
    {
      words: "agent register",
      group,
      summary: "add an agent",
      description:
        "Adds an agent by an entry in the journal; the team file stays as it is. Registering the same agent again changes\n" +
        "nothing; after retirement, or once it has disappeared, it starts a new session: what it held is free, its old tokens and\n" +
        "programs are refused. While its department's circuit breaker is open, only agents in task mode and those\n" +
        "that the person registers are let in.",
      arguments: {
        agent: { as: "AGENT" },
        role: { as: "--role ROLE" },
        department: { as: "--department DEPARTMENT" },
        dialect: {
          as: "--dialect DIALECT",
          anyWord: true,
          says: "the dialect it reads and writes (default: the team's first)",
        },
        mode: { as: "--mode MODE", says: "task: no circuit breaker keeps it out (default: the team's team_mode)" },
        newSession: { as: "--new-session" },
      },
      examples: [
        { line: "baton agent register dev-1 --role dev", meaning: "a developer" },
        {
          line: "baton agent register ui-1 --role dev --department frontend --dialect yolo/2",
          meaning: "with department and dialect",
        },
        {
          line: "baton agent register dev-1 --role dev --new-session",
          meaning: "another process takes dev-1's place",
        },
      ],
      next: "baton inbox --as AGENT reads its messages.",
      said: "Registered: {agent}, {role} (entry {seq}).",
      unchanged: "Already registered: {agent}, {role} (entry {seq}).",
    },
  ],
  record: { act: "register-agent", line: "registered {agent}[ as {role}][ in {department}]" },
});

export const retireAgent = operation({
  name: "retireAgent",
  call: "retire",
  access: "caller",
  says: "Takes an agent out: it may send nothing more. The owner's and the leads'.",
  input: z.strictObject({
    agent: z.string().describe("the agent's name"),
    reason: z.string().optional().describe("why, for the record"),
  }),
  answer: { kind: "reply" },
  http: { method: "post", path: "/agents/{agent}/retire" },
  cli: [
    {
      words: "agent retire",
      group,
      summary: "retire an agent",
      description:
        "Retires an agent: from then on it may send nothing, and nobody may send to it. What was said stays in the record.",
      arguments: { agent: { as: "AGENT" }, reason: { as: "--reason TEXT" } },
      examples: [
        { line: "baton agent retire dev-2", meaning: "dev-2 leaves the team" },
        { line: "baton agent retire dev-2 --reason 'plan 1-2 is done'", meaning: "with the reason recorded" },
      ],
      next: "baton agent list shows who is left; baton agent register brings it back in a new session.",
      said: "Retired: {agent} (entry {seq}).",
      unchanged: "Already retired: {agent} (entry {seq}).",
    },
  ],
  record: { act: "retire-agent", line: "retired {agent}[: {reason}]" },
});

/** In the order of the document and of help. */
export const agentOperations = [listAgents, registerAgent, retireAgent] as const;
