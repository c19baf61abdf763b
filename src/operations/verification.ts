/** Work checked against git: verdicts on what was reported, and what agents may change. Rules: docs/protocol/verdicts.md. */
import { z } from "zod";
import type { Problem } from "../base/problem.ts";
import type { ArtifactView } from "../coordination/artifacts/artifacts.ts";
import type { EditPermissions } from "../evidence/gate.ts";
import type { Note } from "../message/message.ts";
import { operation, shapeOf, shown } from "./define.ts";
import { type TaskVerdict, verdictStates } from "./reply.ts";
import { checkShape, noteShape, problemShape, texts } from "./shapes.ts";
import { artifactFields } from "./status.ts";

/** What the repository shows of one message's artifacts. */
export interface ArtifactVerdict extends ArtifactView {
  /** The message's id. */
  readonly message: string | null;
}

/** Whether an agent may write files. */
export interface EditAnswer {
  /** Why not, by file; empty: it may. */
  readonly problems: readonly Problem[];
  /** What is worth knowing and denies nothing. */
  readonly notes: readonly Note[];
  /** Files that the agent holds from now on. */
  readonly taken: readonly string[];
}

const taskVerdictShape = shapeOf<TaskVerdict>()(
  z
    .object({
      task: z.string(),
      plan: z.string().nullable(),
      state: z.enum(verdictStates).describe("reported: nothing could be seen; complete: and the plan is summed up"),
      commit: z.string().nullable().describe("the full id, of several the last; null: it was not found"),
      commits: texts,
      problems: z.array(problemShape),
      notes: z.array(noteShape).describe("what disputes nothing"),
      checks: z.array(checkShape).optional().describe("absent: none were run"),
    })
    .meta({ id: "TaskVerdict" }),
);

const artifactVerdictShape = shapeOf<ArtifactVerdict>()(
  z.object({ ...artifactFields, message: z.string().nullable().describe("its id") }).meta({ id: "ArtifactVerdict" }),
);

const standingShape = shapeOf<EditPermissions>()(
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
      others: z
        .array(
          z.object({
            holder: z.string(),
            task: z.string().describe("empty: it edits the files and holds no task"),
            files: texts,
            isEdit: z.boolean().optional().describe("it holds them because it edits them; absent: by a claim"),
            since: z.string().optional().describe("RFC 3339"),
          }),
        )
        .describe("what others hold"),
    })
    .meta({ id: "Standing" }),
);

const editAnswerShape = shapeOf<EditAnswer>()(
  z
    .object({
      problems: z.array(problemShape).describe("empty: it may write them"),
      notes: z.array(noteShape),
      taken: texts.describe("files that the agent holds from now on"),
    })
    .meta({ id: "EditAnswer" }),
);

export const verifyTasks = operation({
  name: "verifyTasks",
  call: "verify",
  byHand: "It reads a repository, which is on the hub's machine or on the caller's.",
  access: "caller",
  says:
    "Judges reported completions now, by the hub's repository. What is new is recorded where the caller may judge: " +
    "the owner, leads, architects and qa. Asking again changes nothing more.",
  input: z.strictObject({
    tasks: z.array(z.string()).optional().describe("absent: all that are reported as complete"),
    runChecks: z.boolean().optional().describe("also the plans' checks, where the hub's operator allows it"),
    checkSeconds: z.number().positive().max(3_600).optional().describe("the longest time of one check"),
  }),
  answer: shown<readonly TaskVerdict[]>("tasks", "A verdict a task.", z.array(taskVerdictShape)),
  http: { method: "post", path: "/verify" },
});

export const verifyArtifacts = operation({
  name: "verifyArtifacts",
  call: "verifyArtifacts",
  byHand: "It reads a repository, which is on the hub's machine or on the caller's.",
  access: "caller",
  says: "Judges the artifacts that messages name in the same way.",
  input: z.strictObject({}),
  answer: shown<readonly ArtifactVerdict[]>("messages", "A verdict a message.", z.array(artifactVerdictShape)),
  http: { method: "post", path: "/verify/artifacts" },
});

export const listStandings = operation({
  name: "listStandings",
  call: "standings",
  byHand: "The gate asks it, next to questions that only the machine with the files can answer.",
  access: "caller",
  says: "What agents may change in the repository, by contracts and claims: what the gate for git asks.",
  input: z.strictObject({
    when: z.enum(["now", "ever"]).describe("what is held now, or what was held or reported ever"),
    agent: z.string().optional().describe("absent: the owner and every agent"),
  }),
  answer: shown<readonly EditPermissions[]>("standings", "The edit permissions of each agent.", z.array(standingShape)),
  http: { method: "get", path: "/standings" },
});

export const editFiles = operation({
  name: "editFiles",
  call: "editFiles",
  byHand: "It is asked before each edit: its answer is no receipt, and what it records is the hub's to say.",
  access: "caller",
  says:
    "Asks before files are written: what others hold, and what contract or claim do not allow, are problems. In a team whose " +
    "claims are made by edits the agent then holds the files.",
  input: z.strictObject({
    files: texts.describe("paths from the repository's root"),
    isWritten: z
      .boolean()
      .optional()
      .describe("they are written already; a finding is recorded and its readers notified"),
  }),
  answer: shown<EditAnswer>(null, "Whether it may.", editAnswerShape),
  http: { method: "post", path: "/edits" },
});

/** In the order of the document. */
export const verificationOperations = [verifyTasks, verifyArtifacts, listStandings, editFiles] as const;
