/**
 * Operations of an agent on its own inbox, and how it shows that it is there.
 * Rules: docs/protocol/record.md, section 5, and docs/protocol/asking.md, sections 17 to 19.
 */
import { z } from "zod";
import type { Json } from "../base/json.ts";
import type { DialectId, Note } from "../messages/message.ts";
import { count, inForm, operation, shapeOf, shown, time } from "../perform/operations/define.ts";
import { noteShape, operationId, seq } from "../perform/operations/shapes.ts";
import { unguardedWays } from "../team/operations/agents.ts";

/** A message as its reader gets it: in the reader's own dialect, or as prose where that has no counterpart. */
export interface Delivery {
  readonly seq: number;
  readonly id: string | null;
  readonly dialect: DialectId | null;
  readonly type: string | null;
  readonly sender: string;
  readonly recordedAt: string;
  /** The wire object in the reader's dialect, or a string for prose. */
  readonly message: Json;
  /** False: accepted under `observe`, only to be shown; nothing follows from it, and the reader must not act on it. */
  readonly effect: boolean;
  /** What was noted when it was accepted, the errors that `observe` accepted among it. */
  readonly notes: readonly Note[];
}

/** Messages that an agent has not acknowledged, in order. */
export interface InboxPage {
  readonly deliveries: readonly Delivery[];
  /** Addressed messages after the cursor, in all. */
  readonly unread: number;
  /** The reader's cursor: everything up to here is acknowledged. */
  readonly acknowledged: number;
}

const inboxShape = shapeOf<InboxPage>()(
  z
    .object({
      deliveries: z.array(
        z.object({
          seq,
          id: z.string().nullable(),
          dialect: inForm("dialect", z.string()).nullable(),
          type: z.string().nullable(),
          sender: z.string(),
          recordedAt: time,
          message: z.unknown().describe("the wire object in the reader's dialect, or a string for prose"),
          effect: z.boolean(),
          notes: z.array(noteShape),
        }),
      ),
      unread: seq,
      acknowledged: seq,
    })
    .meta({ id: "InboxPage" }),
);

const upTo = z.int().min(0).describe("the number of an entry");

export const readInbox = operation({
  name: "readInbox",
  call: "inbox",
  byHand: "It waits, and its caller may stop it.",
  access: "caller",
  says: "What waits for the calling agent; with `wait`, waits for the first message.",
  input: z.strictObject({
    after: z.int().optional(),
    limit: z.int().min(1).max(1_000).optional(),
    wait: z.number().min(0).optional().describe("seconds"),
  }),
  answer: shown<InboxPage>(null, "A page, in order.", inboxShape),
  http: { method: "get", path: "/agents/{agent}/inbox" },
  handWritten: ["inbox"],
});

export const markSeen = operation({
  name: "markSeen",
  call: "seen",
  byHand: "It is a mark next to the record, so it has no receipt.",
  access: "caller",
  says: "Says that the agent's next step used its messages up to a number.",
  input: z.strictObject({ seq: upTo, id: operationId }),
  answer: shown<{ readonly seq: number }>(null, "Marked.", z.object({ seq: z.int() })),
  http: { method: "post", path: "/agents/{agent}/seen" },
});

export const markShown = operation({
  name: "markShown",
  call: "shown",
  byHand: "It is a note next to the record, so it has no receipt.",
  access: "caller",
  says: "Says what a hook or a tool has shown to the agent's model, and in which of its contexts.",
  input: z.strictObject({
    context: z.string().min(1).max(64).nullable().describe("of the model; null: the one that was named last"),
    seq: z.int().min(0).describe("everything up to this number was shown"),
    injected: z.boolean().optional().describe("a hook put it into the context"),
    named: z
      .array(z.int().min(1))
      .max(100)
      .optional()
      .describe(
        "those of the messages that the hook only named, as too long; nothing from the first of them on is acknowledged",
      ),
    after: z.int().min(0).optional().describe("a tool returned, whole, what comes after this number"),
    answer: z
      .string()
      .max(64)
      .optional()
      .describe("the answer of the model at which it was injected; only a call of a later one confirms it"),
    begins: z.boolean().optional().describe("the context begins here"),
    told: z.int().min(0).optional().describe("the newest claim that the agent was reminded of"),
    idle: z.boolean().optional().describe("whether the agent waits from now on, or works"),
    wakes: z.boolean().optional().describe("whether something wakes the agent in this context"),
    called: z.string().max(300).optional().describe("the free task for which it is woken, as `call` in its status"),
    unguarded: z.enum(unguardedWays).optional().describe("why its program may run no hook of Baton's"),
    process: z.string().max(64).optional().describe("the process of that program"),
    characters: z.int().min(0).max(100_000_000).optional().describe("how much was put into the context"),
    id: operationId,
  }),
  answer: shown<{ readonly seq: number }>(null, "Noted.", z.object({ seq: z.int() })),
  http: { method: "post", path: "/agents/{agent}/shown" },
});

export const heartbeat = operation({
  name: "heartbeat",
  call: "attend",
  byHand: "It is a mark next to the record, so it has no receipt.",
  access: "caller",
  says: "Shows that the agent is there, as asking for its mail does. A program that names itself with the header Baton-Program speaks for the agent from the first time on, and fences off the one before.",
  input: z.strictObject({ id: operationId }),
  answer: shown<{ readonly agent: string; readonly everyMs: number }>(
    null,
    "Noted; a program that speaks for the agent is to come again within everyMs milliseconds.",
    z.object({ agent: z.string(), everyMs: inForm(count(), z.number()) }),
  ),
  http: { method: "post", path: "/agents/{agent}/alive" },
});

export const leaveTeam = operation({
  name: "leaveTeam",
  call: "leave",
  byHand: "It is asked once as a program ends, and never repeated.",
  access: "caller",
  says: "Says that the program named by the header Baton-Program ends in order.",
  input: z.strictObject({ id: operationId }),
  answer: shown<{ readonly agent: string }>(null, "Noted.", z.object({ agent: z.string() })),
  http: { method: "post", path: "/agents/{agent}/leave" },
});

export const acknowledge = operation({
  name: "acknowledge",
  call: "acknowledge",
  byHand: "Its id is made of the agent and the number, and its entry is of a separate kind.",
  access: "caller",
  says: "Acknowledges everything addressed to the calling agent up to a number.",
  input: z.strictObject({ seq: upTo }),
  answer: { kind: "reply" },
  http: { method: "post", path: "/agents/{agent}/ack" },
  handWritten: ["ack"],
});

/** In the order of the document. */
export const inboxOperations = [readInbox, markSeen, markShown, heartbeat, leaveTeam, acknowledge] as const;
