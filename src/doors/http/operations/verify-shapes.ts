/** The shapes of verdicts and standings, as `shapes.ts` has the others. */
import { z } from "zod";
import type { AgentStanding } from "../../../evidence/gate.ts";
import { shapeOf } from "../../../operations/shape-of.ts";
import { noteShape, problemShape } from "../../../operations/shapes.ts";
import type { CheckRecord } from "../../../operations/task-verdict.ts";
import { type TaskVerdict, verdictStates } from "../../../operations/task-verdict.ts";
import type { ArtifactVerdict } from "../../../runtime/evidence/artifact-verdicts.ts";
import { artifactFields } from "./shapes.ts";

const texts = z.array(z.string());

const checkShape = shapeOf<CheckRecord>()(
  z.object({
    check: z.string(),
    exitCode: z.int().nullable().describe("null: it could not be started, or was ended"),
    isTimedOut: z.boolean(),
    durationMs: z.int().min(0),
    outputDigest: z.string().describe("SHA-256 of what it printed"),
    outputBytes: z.int().min(0),
  }),
);

const commit = z.string().nullable();

export const taskVerdictShape = shapeOf<TaskVerdict>()(
  z
    .object({
      task: z.string(),
      plan: z.string().nullable(),
      state: z.enum(verdictStates).describe("reported: nothing could be seen; complete: and the plan is summed up"),
      commit: commit.describe("the full id, of several the last; null: it was not found"),
      commits: z.array(z.string()),
      problems: z.array(problemShape),
      notes: z.array(noteShape).describe("what disputes nothing"),
      checks: z.array(checkShape).optional().describe("absent: none were run"),
    })
    .meta({ id: "TaskVerdict" }),
);

export const artifactVerdictShape = shapeOf<ArtifactVerdict>()(
  z.object({ ...artifactFields, message: z.string().nullable().describe("its id") }).meta({ id: "ArtifactVerdict" }),
);

export const standingShape = shapeOf<AgentStanding>()(
  z
    .object({
      agent: z.string(),
      mustClaim: z.boolean().describe("it may only change what it has claimed"),
      tasks: z.array(
        z.object({
          task: z.string(),
          scope: z.object({ allowed: texts, forbidden: texts }).nullable().describe("of the contract; null: none"),
          claimed: texts.nullable().describe("null: the claim names no files yet"),
        }),
      ),
      others: z.array(z.object({ holder: z.string(), task: z.string(), files: texts })).describe("what others hold"),
    })
    .meta({ id: "Standing" }),
);
