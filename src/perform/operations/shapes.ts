/**
 * Shapes that the answers of several operations share: problems, notes, receipts, the outcome of an operation. Each is
 * compared by the compiler with the type that it describes.
 */
import { z } from "zod";
import type { Problem } from "../../base/problem.ts";
import type { Receipt } from "../../journal/entry.ts";
import type { Note } from "../../messages/message.ts";
import { type CheckRecord, type Finding, findingStates } from "../../tasks/state/task-state.ts";
import type { RevisionChange } from "../../team/state/revision-changes.ts";
import { count, hash, inForm, type ReplyAnswer, shapeOf, word } from "./define.ts";

export const seq = z.int().min(0);
/** What a decision gives back of what was shown. */
export const ifSeq = z
  .int()
  .min(0)
  .optional()
  .describe("decide only if nothing of it was changed after this entry, up to which the caller looked");
export const texts = z.array(z.string());

/** The id by which what is changed is the same operation when it comes again. */
export const operationId = z
  .string()
  .optional()
  .describe("the id of the operation, for retries; or the header Idempotency-Key");

export const headShape = z.object({ seq, hash: hash(), epoch: count() });

export const problemShape = shapeOf<Problem>()(
  z
    .object({
      code: inForm("code", z.string()),
      path: z.string().describe("where: a JSON path, a header, or the subject's name"),
      message: z.string(),
      expected: z.string().optional(),
      received: z.string().optional(),
      hint: z.string().optional(),
    })
    .meta({ id: "Problem" }),
);

/** What a team file changes in one place. */
export const changeShape = shapeOf<RevisionChange>()(
  z.object({
    place: z.string().describe("where, in the words of the team file"),
    before: z.string().nullable(),
    after: z.string().nullable(),
    waits: z.boolean().describe("whether it takes effect only when it is confirmed"),
  }),
);

export const noteShape = shapeOf<Note>()(
  z
    .object({
      code: word(),
      path: z.string(),
      message: z.string(),
      from: z.string().optional().describe("what was written, as shortened JSON"),
      to: z.string().optional().describe("what it was read as"),
    })
    .meta({ id: "Note" }),
);

/** A check as a verdict reports it. */
export const checkShape = shapeOf<CheckRecord>()(
  z.object({
    check: z.string(),
    exitCode: z.int().nullable().describe("null: it could not be started, or was ended"),
    isTimedOut: z.boolean(),
    durationMs: z.int().min(0),
    outputDigest: hash("SHA-256 of what it printed"),
    outputBytes: z.int().min(0),
    sandbox: z.string().describe("what kept it inside; none: nothing did"),
    commit: z.string(),
    tree: z.string().describe("the id of the commit's tree"),
  }),
);

/** What was found about a report, of a verdict and of a judge's finding alike. */
export const foundFields = {
  commit: z.string().nullable().describe("the full id, of several the last; null: it was not found"),
  commits: texts.optional().describe("all of a report that names several"),
  files: texts.nullable().describe("paths that the commits change; null: they are not known"),
  problems: z.array(problemShape),
  notes: z.array(noteShape).optional(),
  seq: count("the entry that recorded it"),
};

/** Where verified work was at the last look. */
export const placeShape = z.object({
  at: z
    .enum(["branch", "landed", "reverted", "gone", "settled"])
    .describe("landed: on the main branch; reverted: a commit took it back there; settled: somebody decided"),
  branch: z.string().nullable(),
  since: z.string().nullable().describe("the commit of the main branch on which it was found first"),
  isChanged: z.boolean().describe("some of it was changed there later"),
});

/** What a judge found about a report that could not see its work. */
export const findingShape = shapeOf<Finding>()(
  z
    .object({
      judge: z.string().describe("baton; in older entries also a verifier"),
      state: z.enum(findingStates).describe("undecided: it cannot see the work"),
      ...foundFields,
    })
    .meta({ id: "Finding" }),
);

export const receiptShape = shapeOf<Receipt>()(
  z
    .object({
      team: inForm("team", z.string()),
      seq,
      id: inForm("id", z.string()).nullable(),
      digest: hash().nullable(),
      hash: hash(),
      prevHash: hash(),
      epoch: count(),
      durability: z.enum(["fsync", "os", "memory"]),
      duplicate: z.boolean(),
    })
    .meta({ id: "Receipt" }),
);

export const acceptedFields = {
  outcome: z.literal("accepted"),
  receipt: receiptShape,
  receivers: texts,
  notes: z.array(noteShape),
};
const acceptedAlone = z.object(acceptedFields).meta({ id: "Accepted" });

/** What is answered where it was accepted: the receipt with what is given besides, under the name of that. */
export function acceptedShape({ more }: Pick<ReplyAnswer, "more">): z.ZodType {
  if (more === undefined) return acceptedAlone;
  const shape = z.object({ ...acceptedFields, ...more.shape });
  const { id } = more.meta() ?? {};
  return id === undefined ? shape : shape.meta({ id });
}

/** The answer of operations that claim a task. */
export const grantAnswer = {
  kind: "reply",
  says: "Granted, durable.",
  repeated: "The same act had been granted before.",
  denies: true,
  more: z
    .object({
      granted: z.literal(true),
      task: z.string(),
      token: count("the fencing token: a later grant of the task has a higher one"),
      expiresAt: word("without a heartbeat of the holder until then, the claim may go to another"),
      files: texts,
      order: z
        .object({
          number: count(),
          title: z.string().optional(),
          description: z.string().optional(),
          criteria: texts.optional().describe("what must be true once it is done; evidence answers them by number"),
          checks: texts.optional().describe("commands to run before the report"),
          labels: texts.optional(),
          dependsOn: texts.optional(),
        })
        .optional()
        .describe("what is to be done"),
    })
    .meta({ id: "Grant" }),
} as const satisfies ReplyAnswer;
