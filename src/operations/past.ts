/** The team as it was at an entry. Rules: docs/protocol/reading-the-record.md, section 11. */
import { z } from "zod";
import { count, operation, shapeOf, shown, time } from "./define.ts";
import { type PastView, pastViews } from "./reply.ts";

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
  says: "The team as it was at an entry: its status, agents, needs, tasks, board, approvals, escalations, contracts, phases or handoffs.",
  input: z.strictObject({
    seq: z.string().describe("the number of the entry"),
    view: z
      .string()
      .describe("status, agents, needs, tasks, board, approvals, escalations, contracts, phases or handoffs"),
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

export const pastOperations = [showPast, findSeq] as const;
