/** The record over time, as numbers that a page draws. Rules: docs/protocol/record.md, section 22. */
import { z } from "zod";
import { type Outcome, outcomes } from "../../perform/line-outcome.ts";
import { count, operation, shapeOf, shown, time } from "../../perform/operations/define.ts";
import { type PastView, pastViews } from "../../perform/operations/reply.ts";
import { texts } from "../../perform/operations/shapes.ts";
import { claimEnds } from "../../tasks/operations/task-shapes.ts";

/** Entries as columns, one number an entry and column. Agents, kinds, outcomes and tasks are places in their lists. */
export interface Lanes {
  /** The last entry that it knows of. */
  readonly seq: number;
  /** The times of the first and the last entry in it; null: there is none. */
  readonly from: string | null;
  readonly to: string | null;
  readonly agents: readonly string[];
  /** What entries say: a message's fact, an operation's name, else the kind of the entry. */
  readonly kinds: readonly string[];
  readonly outcomes: readonly (Outcome | null)[];
  readonly tasks: readonly string[];
  readonly entries: {
    /** The first as it is, each other as the distance to the one before; so are times, in milliseconds. */
    readonly seq: readonly number[];
    readonly at: readonly number[];
    readonly sender: readonly number[];
    readonly receivers: readonly (readonly number[])[];
    readonly kind: readonly number[];
    readonly outcome: readonly number[];
    /** -1: none. */
    readonly task: readonly number[];
    /** The number of the entry that began its thread; 0: it is in none. */
    readonly thread: readonly number[];
  };
  /** Times in milliseconds; `to` null: it is held. */
  readonly claims: readonly {
    readonly agent: number;
    readonly task: number;
    readonly seq: number;
    readonly from: number;
    readonly to: number | null;
    readonly end: (typeof claimEnds)[number];
    readonly outcome: number;
  }[];
  /** Who acknowledged up to which entry, and when in milliseconds. */
  readonly acknowledged: readonly { readonly agent: number; readonly seq: number; readonly at: number }[];
}

const numbers = z.array(z.int());

const lanesShape = shapeOf<Lanes>()(
  z
    .object({
      seq: count("the last entry that it knows of"),
      from: time.nullable(),
      to: time.nullable(),
      agents: texts,
      kinds: texts,
      outcomes: z.array(z.enum(outcomes).nullable()),
      tasks: texts,
      entries: z
        .object({
          seq: numbers.describe("the first as it is, each other as the distance to the one before"),
          at: numbers.describe("the same, in milliseconds"),
          sender: numbers.describe("a place in agents"),
          receivers: z.array(numbers),
          kind: numbers.describe("a place in kinds"),
          outcome: numbers.describe("a place in outcomes"),
          task: numbers.describe("a place in tasks; -1: none"),
          thread: numbers.describe("the number of the entry that began its thread; 0: none"),
        })
        .describe("one number an entry and column"),
      claims: z.array(
        z.object({
          agent: z.int(),
          task: z.int(),
          seq: count(),
          from: z.number(),
          to: z.number().nullable(),
          end: z.enum(claimEnds),
          outcome: z.int(),
        }),
      ),
      acknowledged: z
        .array(z.object({ agent: z.int(), seq: count(), at: z.number() }))
        .describe("who acknowledged up to which entry, and when in milliseconds"),
    })
    .meta({ id: "Lanes" }),
);

export const showLanes = operation({
  name: "showLanes",
  call: "lanes",
  access: "caller",
  says: "The record over time as columns of numbers: entries with sender, receivers, kind, outcome and task, and claims.",
  input: z.strictObject({
    from: z.string().optional().describe("recorded at or after this RFC 3339 time"),
    to: z.string().optional().describe("recorded before this RFC 3339 time"),
  }),
  answer: shown<Lanes>(null, "The lanes.", lanesShape),
  http: { method: "get", path: "/lanes", isLarge: true },
});

/* The team as it was at an entry. Rules: docs/protocol/record.md, section 22. */

/** A look as it was at an entry. */
export interface Past {
  readonly seq: number;
  readonly at: string;
  readonly view: PastView;
  /** What the operation of that name shows, such as the list of tasks. */
  readonly value: unknown;
}

const pastShape = shapeOf<Past>()(
  z
    .object({
      seq: count("the entry"),
      at: time.describe("when it was recorded"),
      view: z.enum(pastViews),
      value: z.unknown().describe("what the operation of that view shows"),
    })
    .meta({ id: "Past" }),
);

export const showPast = operation({
  name: "showPast",
  call: "past",
  access: "caller",
  says: "The team as it was at an entry: its status, agents, needs, tasks, board, approvals, escalations, contracts, phases, handoffs or the last messages.",
  input: z.strictObject({
    seq: z.string().describe("the number of the entry"),
    view: z
      .string()
      .describe("status, agents, needs, tasks, board, approvals, escalations, contracts, phases, handoffs or recent"),
  }),
  answer: shown<Past>(null, "The look.", pastShape),
  http: { method: "get", path: "/at/{seq}/{view}", isLarge: true },
});

/** The last entry that was recorded at a time or before; 0 and null: none was. */
export interface EntryAtTime {
  readonly seq: number;
  readonly at: string | null;
}

export const findSeq = operation({
  name: "findSeq",
  call: "seqAt",
  access: "caller",
  says: "The last entry that was recorded at a time or before.",
  input: z.strictObject({ time: z.string().describe("RFC 3339") }),
  answer: shown<EntryAtTime>(
    null,
    "Its number and time; 0: none was.",
    shapeOf<EntryAtTime>()(z.object({ seq: count(), at: time.nullable() }).meta({ id: "EntryAtTime" })),
  ),
  http: { method: "get", path: "/seq" },
});

export const laneOperations = [showLanes, showPast, findSeq] as const;
