/** Work checked against git: verdicts on what was reported, and what agents may change. Rules: docs/protocol/verdicts.md. */
import { z } from "zod";
import { operation, shapeOf, shown } from "../../perform/operations/define.ts";
import { type TaskVerdict, verdictStates } from "../../perform/operations/reply.ts";
import { checkShape, ifSeq, noteShape, placeShape, problemShape, texts } from "../../perform/operations/shapes.ts";
import { type EditAnswer, editAnswerShape, head, permissionsShape } from "../../tasks/operations/claims.ts";
import { checkAnswers } from "../../tasks/state/task-state.ts";
import { artifactFields } from "../../team/operations/status.ts";
import type { ArtifactView } from "../decide/artifact-disputes.ts";
import type { EditPermissions } from "../decide/gate.ts";

/** What the repository shows of one message's artifacts. */
export interface ArtifactVerdict extends ArtifactView {
  /** The message's id. */
  readonly message: string | null;
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
      place: placeShape.optional().describe("where verified work is"),
      checks: z.array(checkShape).optional().describe("each as it last ran; absent: none did"),
    })
    .meta({ id: "TaskVerdict" }),
);

const artifactVerdictShape = shapeOf<ArtifactVerdict>()(
  z.object({ ...artifactFields, message: z.string().nullable().describe("its id") }).meta({ id: "ArtifactVerdict" }),
);

export const verifyTasks = operation({
  name: "verifyTasks",
  call: "verify",
  byHand: "It reads a repository, which is on the hub's machine or on the caller's.",
  access: "caller",
  says:
    "Judges reported completions now, by the hub's repository. What is new is recorded where the caller may judge: " +
    "the owner, leads, architects and qa. Checks that may run and have not run then. Asking again changes nothing more.",
  input: z.strictObject({
    tasks: z.array(z.string()).optional().describe("absent: all that are reported as complete"),
  }),
  answer: shown<readonly TaskVerdict[]>("tasks", "A verdict a task.", z.array(taskVerdictShape)),
  http: { method: "post", path: "/verify" },
});

export const answerCheck = operation({
  name: "answerCheck",
  call: "answerCheck",
  access: "caller",
  says:
    "The owner's word on a check that a contract names and the team file does not: it runs on the reports that there are (once), " +
    "on later ones too (always), or on none (no). The owner's alone.",
  input: z.strictObject({
    check: z.string().describe("the command, to the letter"),
    as: z.enum(checkAnswers).describe("once, always or no"),
    ifSeq,
  }),
  answer: { kind: "reply" },
  http: { method: "post", path: "/checks/answer" },
  cli: [
    {
      words: "check",
      group: "Work",
      summary: "let a check of a contract run, or not",
      description:
        "Answers for the owner whether a check runs that a contract names and the team file does not list: on the reports that\n" +
        "there are (once), on later ones too (always), or on none (no). Work that changes how its checks run is asked about each\n" +
        "time. The next baton verify runs what may run, a hub does it by itself.",
      arguments: { check: { as: "COMMAND", says: "as baton needs shows it" }, as: { as: "ANSWER" } },
      isOwners: true,
      examples: [
        { line: "baton check 'npm run e2e' once", meaning: "on what is reported now" },
        { line: "baton check 'npm run e2e' no", meaning: "not here" },
      ],
      next: "baton verify runs the checks that may run.",
      said: "Answered: {check} (entry {seq}).",
    },
  ],
  record: { act: "answer-check", line: "answered {as} to the check {check}", touches: ["tasks"] },
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

export const listPermissions = operation({
  name: "listPermissions",
  call: "permissions",
  byHand: "The gate asks it, next to questions that only the machine with the files can answer.",
  access: "caller",
  says: "What agents may change in the repository, by contracts and claims: what the gate for git asks.",
  input: z.strictObject({
    when: z.enum(["now", "ever"]).describe("what is held now, or what was held or reported ever"),
    agent: z.string().optional().describe("absent: the owner and every agent"),
  }),
  answer: shown<readonly EditPermissions[]>(
    "permissions",
    "The edit permissions of each agent.",
    z.array(permissionsShape),
  ),
  http: { method: "get", path: "/permissions" },
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
    isCommit: z
      .boolean()
      .optional()
      .describe("the gate has refused a commit that has them; a finding is recorded and its readers notified"),
    isPush: z
      .boolean()
      .optional()
      .describe("the gate has refused a push of them; a finding is recorded and its readers notified"),
    unseenSince: z
      .string()
      .max(40)
      .optional()
      .describe("RFC 3339: they changed after it, and Baton did not see by whom; only what others hold is a finding"),
    isLeft: z
      .boolean()
      .optional()
      .describe("the tool that was to write them has left them as they are committed: the agent holds them no more"),
    head,
  }),
  answer: shown<EditAnswer>(null, "Whether it may.", editAnswerShape),
  http: { method: "post", path: "/edits" },
});

/** In the order of the document. */
export const verificationOperations = [verifyTasks, answerCheck, verifyArtifacts, listPermissions, editFiles] as const;
