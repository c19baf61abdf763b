/** The shapes of tasks and claims, as `shapes.ts` has the others. */
import { z } from "zod";
import { type TaskView, taskStates } from "../../coordination/board.ts";
import { acceptedFields, problemShape, shapeOf } from "./shapes.ts";

const texts = z.array(z.string());
const time = z.string().describe("RFC 3339, UTC");

export const taskShape = shapeOf<TaskView>()(
  z
    .object({
      task: z.string().describe("the id as first written"),
      plan: z.string().nullable(),
      title: z.string().nullable(),
      state: z.enum(taskStates),
      files: texts.describe("those of the claim, else of the task"),
      dependsOn: texts,
      blockedBy: texts,
      holder: z.string().nullable(),
      token: z.int().nullable().describe("the claim's fencing token"),
      expiresAt: time.nullable(),
      commit: z.string().nullable(),
      problems: z.array(problemShape).describe("why it is disputed or stale"),
    })
    .meta({ id: "Task" }),
);

/** A grant. */
export const grantShape = z
  .object({
    ...acceptedFields,
    granted: z.literal(true),
    task: z.string(),
    token: z.int().describe("the fencing token: a later grant of the task has a higher one"),
    expiresAt: time.describe("without a sign of life of the holder until then, the claim may go to another"),
    files: texts,
  })
  .meta({ id: "Grant" });
