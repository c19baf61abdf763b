/**
 * The messages that both first revisions share: their fields, their rules, an example. Who sends and who receives
 * them differs and is said in each dialect's `messages`.
 * Source: tests/requirements/vbw-1.tsv; tests/requirements/yolo-1.tsv; docs/protocol/messages.md,
 * section 5.
 */
import { flag, name, optional, required, text } from "../../../base/schema/shapes.ts";
import {
  blockerExample,
  blockerFields,
  blockerNames,
  commitNames,
  concernNames,
  concerns,
  diagnosisExample,
  diagnosisFields,
  diagnosisNames,
  levelWords,
  planId,
  planNames,
  recommendedFix,
  recommendedFixExample,
  resultWords,
  statusNames,
  statusWords,
  taskStatus,
  verdictExample,
  verdictFields,
  verdictNames,
  workCommit,
} from "../fields/common-fields.ts";

export const devProgress = {
  type: "dev_progress",
  summary: "Reports how far a task is, or that it is done, with the commit that shows it.",
  kind: "progress",
  rules: ["commit-when-complete"],
  aliases: {
    names: { ...planNames, ...commitNames, ...statusNames, ...concernNames, task_id: "task", t: "task" },
    words: { status: statusWords },
  },
  payload: {
    task: required(name(), "The task reported on.", { neutral: "taskId" }),
    plan_id: planId,
    commit: workCommit,
    status: taskStatus,
    concerns,
  },
  example: {
    payload: {
      task: "02-01/task-1",
      plan_id: "02-01",
      commit: "4f2a9c1",
      status: "complete",
      concerns: ["The code's life is not configurable yet"],
    },
  },
} as const;

export const devBlocker = {
  type: "dev_blocker",
  summary: "Says that the sender cannot go on, why, and what would free it.",
  kind: "blocker",
  aliases: { names: { ...blockerNames, task_id: "task" } },
  payload: {
    task: required(name(), "The task that is held up.", { neutral: "taskId" }),
    plan_id: planId,
    ...blockerFields,
  },
  example: {
    payload: {
      task: "02-01/task-2",
      plan_id: "02-01",
      ...blockerExample,
    },
  },
} as const;

export const qaResult = {
  type: "qa_result",
  summary: "Says whether a plan's work holds, with the counts of the checks and each failure.",
  kind: "verdict",
  rules: ["checks-add-up", "pass-without-failures"],
  aliases: { names: verdictNames, words: { result: resultWords } },
  payload: {
    ...verdictFields,
  },
  example: {
    payload: {
      ...verdictExample,
    },
  },
} as const;

export const debuggerReport = {
  type: "debugger_report",
  summary: "Brings the diagnosis of one hypothesis: what speaks for it, what against it, and what would fix it.",
  kind: "diagnosis",
  aliases: { names: diagnosisNames, words: { confidence: levelWords } },
  payload: {
    ...diagnosisFields,
    recommended_fix: recommendedFix,
  },
  example: {
    payload: {
      ...diagnosisExample,
      recommended_fix: recommendedFixExample,
    },
  },
} as const;

/** Where a message of yolo/1 keeps the whole of what it reports. */
export const artifact = {
  artifact: optional(text(), "File in the phase's folder that holds the whole."),
} as const;

/** The same, and whether it is committed. */
export const committedArtifact = {
  ...artifact,
  committed: optional(flag(), "Whether the file is committed; where it is said to be, it must be in git."),
} as const;
