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

/* What the record counts. Rules: docs/protocol/record.md, section 22. */

/** Counts of a part of the record's time. Lists of counts have one number for each of `starts`. */
export interface TeamMetrics {
  /** The last entry that it knows of. */
  readonly seq: number;
  readonly bucketSeconds: number;
  /** When each part begins. */
  readonly starts: readonly string[];
  readonly agents: readonly {
    readonly agent: string;
    /** Messages and operations that were accepted. */
    readonly accepted: readonly number[];
    readonly refused: readonly number[];
    /** Reports that were found disputed or gone since, when they were made. */
    readonly disputed: readonly number[];
    /** Those of them whose tasks a later verdict confirmed. */
    readonly repaired: readonly number[];
    /** Tasks of which this agent made the first report that they are done, by what became of that report. */
    readonly firstReports: {
      readonly verified: number;
      readonly disputed: number;
      readonly superseded: number;
      readonly open: number;
    };
    /** From a message to its acknowledgement; null: nothing was acknowledged. */
    readonly acknowledgedMs: { readonly p50: number; readonly p95: number } | null;
  }[];
  /** Refusals by their first reason, the most frequent first. */
  readonly codes: readonly { readonly code: string; readonly refused: readonly number[] }[];
  /** Who sent how much to whom, the most first; at most 1,000. */
  readonly pairs: readonly { readonly from: string; readonly to: string; readonly messages: number }[];
  /** The tasks of now at the end of each part: those that were there, reported as done, verified, and contradicted. */
  readonly work: {
    readonly tasks: readonly number[];
    readonly reported: readonly number[];
    readonly verified: readonly number[];
    /** Disputed or gone then, until another report. */
    readonly disputed: readonly number[];
  };
  /** What was reported in all, whenever that was. */
  readonly tokens: readonly {
    readonly plan: string;
    readonly task: string;
    readonly reporter: string;
    readonly tokens: number;
  }[];
}

const counts = z.array(count());

const metricsShape = shapeOf<TeamMetrics>()(
  z
    .object({
      seq: count("the last entry that it knows of"),
      bucketSeconds: count(),
      starts: z.array(time).describe("when each part begins; lists of counts have one number a part"),
      agents: z.array(
        z.object({
          agent: z.string(),
          accepted: counts.describe("messages and operations"),
          refused: counts,
          disputed: counts.describe("reports that were found disputed or gone since, when they were made"),
          repaired: counts.describe("those of them whose tasks a later verdict confirmed"),
          firstReports: z
            .object({ verified: count(), disputed: count(), superseded: count(), open: count() })
            .describe("of the first reports that tasks are done"),
          acknowledgedMs: z
            .object({ p50: z.number(), p95: z.number() })
            .nullable()
            .describe("from a message to its acknowledgement"),
        }),
      ),
      codes: z.array(z.object({ code: z.string(), refused: counts })).describe("the most frequent first"),
      pairs: z
        .array(z.object({ from: z.string(), to: z.string(), messages: count() }))
        .describe("the most first, at most 1,000"),
      work: z
        .object({ tasks: counts, reported: counts, verified: counts, disputed: counts })
        .describe(
          "at the end of each part: the tasks that there were, were reported as done, are verified, and were disputed or gone",
        ),
      tokens: z
        .array(z.object({ plan: z.string(), task: z.string(), reporter: z.string(), tokens: count() }))
        .describe("that were reported in all"),
    })
    .meta({ id: "TeamMetrics" }),
);

export const teamMetrics = operation({
  name: "teamMetrics",
  call: "metrics",
  access: "caller",
  says: "What the record counts: accepted, refused and disputed by agent, reasons of refusals, who writes to whom, tokens.",
  input: z.strictObject({
    from: z.string().optional().describe("recorded at or after this RFC 3339 time"),
    to: z.string().optional().describe("recorded before this RFC 3339 time"),
    bucket: z.int().min(1).optional().describe("seconds of one part; at least as many as make 500 parts"),
  }),
  answer: shown<TeamMetrics>(null, "The counts.", metricsShape),
  http: { method: "get", path: "/metrics", isLarge: true },
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

export const laneOperations = [showLanes, teamMetrics, showPast, findSeq] as const;
