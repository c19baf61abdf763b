/** The shapes of what a hub says of its journal and of who asks. */
import { z } from "zod";
import type { VerifyReport } from "../../../journal/journal.ts";
import { roles } from "../../../message/role.ts";
import { shapeOf } from "../../../operations/shape-of.ts";
import { problemShape, texts } from "../../../operations/shapes.ts";
import { headShape } from "./shapes.ts";

export const verifyShape = shapeOf<VerifyReport>()(
  z
    .object({
      ok: z.boolean(),
      teams: z.array(z.object({ team: z.string(), entries: z.int(), head: headShape })),
      problems: z.array(problemShape),
    })
    .meta({ id: "VerifyReport" }),
);

/** Whether the journal takes entries, and what is missing or broken where it does not. */
const conditionShape = z
  .discriminatedUnion("condition", [
    z.object({ condition: z.literal("ready") }),
    z.object({ condition: z.literal("regressed"), team: z.string(), head: headShape, anchor: headShape }),
    z.object({ condition: z.literal("failed"), problem: problemShape }),
  ])
  .meta({ id: "JournalCondition" });

export const callerShape = z
  .object({
    agent: z.string(),
    role: z.enum(roles).nullable(),
    via: z.enum(["token", "launcher"]),
    team: z.string().nullable().describe("the only team of a token; null: every team"),
    teams: texts,
    version: z.string(),
    journal: conditionShape,
  })
  .meta({ id: "Caller" });
