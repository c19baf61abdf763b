/**
 * What the operations on tasks show: tasks, the board, contracts, what became of a plan. Rules: docs/protocol/tasks.md.
 */
import { z } from "zod";
import type { Problem } from "../../base/problem.ts";
import { type CollisionView, collisionKinds } from "../../evidence/state.ts";
import type { Note } from "../../messages/message.ts";
import { type Outcome, outcomes } from "../../perform/line-outcome.ts";
import { count, hash, labelled, operation, shapeOf, shown, time } from "../../perform/operations/define.ts";
import {
  checkShape,
  findingShape,
  noteShape,
  placeShape,
  problemShape,
  seq,
  texts,
} from "../../perform/operations/shapes.ts";
import { type RemoteAskView, remoteAskShape } from "../../remotes/operations.ts";
import type { EditView } from "../decide/edit-claims.ts";
import { type FileRuling, fileRulings } from "../state/contract-files.ts";
import type { ContractView } from "../state/contract-terms.ts";
import type { PlanSummaryView } from "../state/plan-summary.ts";
import { type CheckRecord, endings, filesKinds, priorities } from "../state/task-state.ts";
import type { Board } from "../view/board.ts";
import { reportVerdicts, type TaskState, type TaskView, taskStates } from "../view/task-view.ts";

const contractShape = shapeOf<ContractView>()(
  z
    .object({
      tokensUsed: z.number().describe("tokens that the plan's reports say were used"),
      plan: z.string(),
      revision: count(),
      hash: hash(),
      terms: z.object({
        planId: z.string(),
        phaseId: z.string(),
        objective: z.string(),
        tasks: texts,
        allowedPaths: texts,
        forbiddenPaths: texts,
        mustHaves: texts,
        dependsOn: texts,
        verificationChecks: texts,
        tokenBudget: z.number().nullable(),
      }),
      revisions: z.array(
        z.object({
          revision: count(),
          hash: hash(),
          previousHash: hash().nullable(),
          seq,
          issuedBy: z.string(),
          permit: z.string().nullable(),
        }),
      ),
    })
    .meta({ id: "Contract" }),
);

export const listContracts = operation({
  name: "listContracts",
  call: "contracts",
  access: "caller",
  says: "The contract in force of every plan, with its revisions.",
  input: z.strictObject({}),
  answer: shown<readonly ContractView[]>("contracts", "Every contract.", z.array(contractShape)),
  http: { method: "get", path: "/contracts" },
  handWritten: ["contract show"],
});

export const contractOperations = [listContracts] as const;

/** A plan's summary; `date`: when it was recorded, else when it was asked for, RFC 3339. */
export interface PlanReport extends PlanSummaryView {
  readonly date: string;
}

export const taskShape = shapeOf<TaskView>()(
  z
    .object({
      task: z.string().describe("the id as first written"),
      number: count("stands for its id in every command").optional(),
      plan: z.string().nullable(),
      title: z.string().nullable(),
      priority: labelled("priority", z.enum(priorities).optional().describe("absent: normal")),
      labels: labelled("labels", texts.optional()),
      agent: labelled("for", z.string().optional().describe("who shall do it; absent: anybody")),
      state: z.enum(taskStates),
      files: texts.describe("those of the claim, else of the task"),
      filesKind: z.enum(filesKinds).describe("none: the task needs no change in files"),
      dependsOn: texts,
      blockedBy: labelled("waits for", texts.describe("tasks; a plan that has no tasks, or too many to be named")),
      holder: z.string().nullable(),
      token: count().nullable().describe("the claim's fencing token"),
      expiresAt: time.nullable(),
      reporter: z.string().nullable().describe("who last reported its state"),
      failed: labelled("failed", z.string().optional().describe("who last reported that it failed; absent: nobody")),
      commit: z.string().nullable().describe("of several the last"),
      commits: texts,
      report: count().nullable().describe("the entry that last changed its state"),
      verdict: z
        .enum(reportVerdicts)
        .nullable()
        .describe(
          "of the repository, on a report of complete; unavailable: there is none to ask; unneeded: the task needs no files; null: no such report",
        ),
      disputes: count("how many reports on it the repository contradicted, also those that are repaired by now"),
      heldUpBy: labelled("disputed", texts.describe("disputed artifacts because of which its plan is not summed up")),
      heldUpByMore: labelled("and more", count("how many more there are; absent: none").optional()),
      problems: z.array(problemShape).describe("why it is disputed or gone"),
      notes: z.array(noteShape).describe("what its verdict notes and does not dispute"),
      place: placeShape.optional().describe("where its verified work was at the last look; absent: nobody has looked"),
      unseen: findingShape.optional().describe("why the report could not be judged; absent: it was, or nobody looked"),
      seq: count("the entry that last changed its state"),
    })
    .meta({ id: "Task" }),
);

/** A file of a task, and what of it is known; null: nobody has said, or the repository was not asked. */
export interface TaskFile {
  readonly path: string;
  readonly changed: boolean | null;
  readonly reported: boolean | null;
  readonly claimed: boolean | null;
  /** What the contract of its plan says of it; `none`: there is none. */
  readonly contract: FileRuling;
}

/** How a claim ended; `held`: it has not. */
export const claimEnds = [
  "held",
  "reported",
  "expired",
  "dropped",
  "released",
  "retired",
  "replaced",
  "disappeared",
  "handed-over",
  "reassigned",
] as const;

/** One task with everything that is known of it. */
export interface TaskStory {
  /** The last entry that it knows of. */
  readonly seq: number;
  readonly task: TaskView;
  /** What is said of it, empty where nothing is. Absent: an older hub. */
  readonly description?: string;
  readonly criteria?: readonly string[];
  readonly checks?: readonly string[];
  readonly contract: ContractView | null;
  /** Tokens that were reported for it, by agent. */
  readonly tokens: readonly { readonly reporter: string; readonly tokens: number }[];
  readonly waitsFor: readonly { readonly task: string; readonly state: TaskState }[];
  readonly neededBy: readonly { readonly task: string; readonly state: TaskState }[];
  /** Oldest first. */
  readonly claims: readonly {
    readonly holder: string;
    readonly token: number;
    readonly since: string;
    readonly until: string | null;
    readonly end: (typeof claimEnds)[number];
    readonly endSeq: number | null;
    readonly files: readonly string[];
  }[];
  /** Oldest first. */
  readonly reports: readonly {
    readonly seq: number;
    readonly at: string;
    readonly reporter: string;
    readonly status: "complete" | "partial" | "failed";
    readonly commits: readonly string[];
    readonly files: readonly string[] | null;
    readonly evidence: string | null;
    readonly outcome: Outcome;
  }[];
  /** Who ended it undone or had it done again, and why; null: no reason was given. Oldest first. Absent: an older hub. */
  readonly decisions?: readonly {
    readonly seq: number;
    readonly at: string;
    readonly outcome: "sent-back" | (typeof endings)[number];
    readonly by: string;
    readonly reason: string | null;
  }[];
  /** Every report that the repository contradicted, also once it is repaired; oldest first. */
  readonly disputes: readonly {
    readonly report: number;
    readonly reporter: string;
    /** When it was reported. */
    readonly reportedAt: string | null;
    readonly state: "disputed" | "gone";
    /** The first verdict against it, and when that was. */
    readonly seq: number;
    readonly at: string | null;
    readonly problems: readonly Problem[];
    /** The verdict that confirmed the task afterwards, and the report that it confirmed; null: none has. */
    readonly repair: {
      readonly seq: number;
      readonly at: string | null;
      readonly report: number;
      readonly reporter: string;
    } | null;
  }[];
  readonly verdict: {
    readonly seq: number;
    readonly at: string | null;
    readonly state: "verified" | "disputed" | "gone";
    /** Full ids. */
    readonly commits: readonly string[];
    readonly problems: readonly Problem[];
    readonly notes: readonly Note[];
    readonly checks: readonly CheckRecord[];
  } | null;
  /** Why its verified work did not land, as its author was told; null: it did not come back. Absent: an older hub. */
  readonly returned?: ReturnedWork | null;
  readonly files: readonly TaskFile[];
  /** What remotes were asked about it, the latest first; their word is no verdict. Absent: an older hub. */
  readonly remotes?: readonly RemoteAskView[];
}

/** Verified work that did not land, with both sides of what conflicts, or the end of what the check wrote. */
export interface ReturnedWork {
  readonly seq: number;
  readonly branch: string;
  readonly why: string;
  /** The check that does not pass; null: none failed. */
  readonly check: string | null;
  readonly outputEnd: string;
  /** `ours`: the branch's lines, `theirs`: those of the work. */
  readonly hunks: readonly { readonly file: string; readonly ours: string; readonly theirs: string }[];
}

const returnedShape = z.object({
  seq: count("the entry that says so"),
  branch: z.string(),
  why: z.string(),
  check: z.string().nullable().describe("the one that does not pass"),
  outputEnd: z.string().describe("the end of what it wrote"),
  hunks: z.array(z.object({ file: z.string(), ours: z.string(), theirs: z.string() })).describe("both sides"),
});

const neighbours = z.array(z.object({ task: z.string(), state: z.enum(taskStates) }));

export const taskStoryShape = shapeOf<TaskStory>()(
  z
    .object({
      seq: count("the last entry that it knows of"),
      task: taskShape,
      description: z.string().optional(),
      criteria: texts.optional().describe("what must be true once it is done; reports answer them by number, from 1"),
      checks: texts.optional().describe("commands that its holder runs before it reports"),
      contract: contractShape.nullable(),
      tokens: z.array(z.object({ reporter: z.string(), tokens: count() })).describe("that were reported for it"),
      waitsFor: neighbours,
      neededBy: neighbours,
      claims: z
        .array(
          z.object({
            holder: z.string(),
            token: count(),
            since: time,
            until: time.nullable(),
            end: z.enum(claimEnds).describe("how it ended; held: it has not"),
            endSeq: count().nullable(),
            files: texts,
          }),
        )
        .describe("oldest first"),
      reports: z
        .array(
          z.object({
            seq: count(),
            at: time,
            reporter: z.string(),
            status: z.enum(["complete", "partial", "failed"]),
            commits: texts,
            files: texts.nullable(),
            evidence: z.string().nullable(),
            outcome: z.enum(outcomes),
          }),
        )
        .describe("oldest first"),
      decisions: z
        .array(
          z.object({
            seq: count(),
            at: time,
            outcome: z.enum(["sent-back", ...endings]),
            by: z.string(),
            reason: z.string().nullable(),
          }),
        )
        .optional()
        .describe("who ended it undone or had it done again, oldest first"),
      disputes: z
        .array(
          z.object({
            report: count("the entry that reported"),
            reporter: z.string(),
            reportedAt: time.nullable(),
            state: z.enum(["disputed", "gone"]),
            seq: count("the first verdict against it"),
            at: time.nullable(),
            problems: z.array(problemShape),
            repair: z
              .object({ seq: count(), at: time.nullable(), report: count(), reporter: z.string() })
              .nullable()
              .describe("the verdict that confirmed the task afterwards, and its report; null: none has"),
          }),
        )
        .describe("every report that the repository contradicted, oldest first"),
      verdict: z
        .object({
          seq: count(),
          at: time.nullable(),
          state: z.enum(["verified", "disputed", "gone"]),
          commits: texts.describe("full ids"),
          problems: z.array(problemShape),
          notes: z.array(noteShape),
          checks: z.array(checkShape),
        })
        .nullable(),
      files: z.array(
        z.object({
          path: z.string(),
          changed: z.boolean().nullable().describe("by its commits; null: the repository was not asked"),
          reported: z.boolean().nullable(),
          claimed: z.boolean().nullable(),
          contract: z.enum(fileRulings),
        }),
      ),
      returned: returnedShape
        .nullable()
        .optional()
        .describe("why its verified work did not land; null: it did not come back"),
      remotes: z
        .array(remoteAskShape)
        .optional()
        .describe("what remotes were asked about it, the latest change first; their word is no verdict"),
    })
    .meta({ id: "TaskStory" }),
);

export const editShape = shapeOf<EditView>()(
  z
    .object({
      file: z.string(),
      holder: z.string(),
      task: z.string().nullable().describe("null: its holder holds none"),
      isOutside: z.boolean().describe("the task names files, and this is none of them"),
      since: time,
    })
    .meta({ id: "Edit" }),
);

export const collisionShape = shapeOf<CollisionView>()(
  z
    .object({
      file: z.string(),
      agents: texts.describe("the two"),
      kind: z.enum(collisionKinds).describe("hot: both change the same lines"),
      line: z.number().nullable().describe("about where the first of them is; null: nobody can say"),
    })
    .meta({ id: "Collision" }),
);

export const boardShape = shapeOf<Board>()(
  z
    .object({
      tasks: z.array(taskShape),
      available: texts.describe("free, unblocked, touching no file of a claim, inside the contract of their plan"),
      outsideContract: texts.describe("free, with files that the contract of their plan does not allow"),
      toMerge: texts.describe("tasks whose work is verified and not on the main branch"),
      edits: z.array(editShape).describe("files that agents hold because they edit them"),
      advisedDevelopers: z.int().min(0),
      cycle: texts.nullable().describe("tasks that wait for each other in a circle"),
    })
    .meta({ id: "Board" }),
);

export const planReportShape = shapeOf<PlanReport>()(
  z
    .object({
      plan: z.string(),
      status: z.enum(["complete", "partial", "failed"]),
      tasksCompleted: count(),
      tasksTotal: count(),
      commitHashes: texts,
      filesModified: texts,
      deviations: texts,
      objective: z.string().nullable().describe("of the contract"),
      built: texts.describe("titles of the tasks that are done, ids where they have none"),
      evidence: texts,
      unproven: texts.describe("must-haves without evidence"),
      unverified: texts.describe("tasks that are reported and not, or not yet, confirmed by the repository"),
      noted: texts.describe("what the verdicts of verified tasks note and do not dispute"),
      disputed: texts.describe("tasks that the repository does not confirm"),
      gone: texts.describe("tasks that were verified, and whose work is not there any more"),
      disputedArtifacts: texts.describe("artifacts that it does not confirm"),
      seq: count().nullable().describe("the entry that recorded it; null: not all tasks are done"),
      date: time,
    })
    .meta({ id: "PlanReport" }),
);
