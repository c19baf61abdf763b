/**
 * The messages that both first revisions share: their fields, their rules, an example. Who sends and who receives
 * them differs and is said in each dialect's `messages`.
 * Source: the seeds vbw-1-structured-handoffs.md and yolo-1-structured-handoffs.md; required fields from semantics.md
 * section 1.6.
 */
import { commit, count, entry, flag, listOf, name, oneOf, optional, required, text } from "../schema/shapes.ts";
import {
  blockerNames,
  commitNames,
  concernNames,
  diagnosisNames,
  levelWords,
  planNames,
  resultWords,
  statusNames,
  statusWords,
  verdictNames,
} from "./common-aliases.ts";

const texts = () => listOf(text());

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
    plan_id: required(name(), "The plan the task belongs to."),
    commit: required(
      commit(),
      "Commit with the work, 7 to 64 hex digits; empty only while the status is not complete.",
    ),
    status: required(oneOf(["complete", "partial", "failed"]), "How the task stands."),
    concerns: optional(texts(), "What the receiver should know or watch."),
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
    plan_id: required(name(), "The plan the task belongs to."),
    blocker: required(text(), "What stands in the way."),
    needs: required(text(), "What would resolve it."),
    attempted: optional(texts(), "What was tried already."),
  },
  example: {
    payload: {
      task: "02-01/task-2",
      plan_id: "02-01",
      blocker: "The mail gateway refuses the test account",
      needs: "Credentials for the gateway's sandbox",
      attempted: ["Sent through the old gateway: it drops codes"],
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
    tier: required(oneOf(["quick", "standard", "deep"]), "How thoroughly was checked."),
    result: required(oneOf(["PASS", "FAIL", "PARTIAL"]), "The verdict."),
    checks: required(
      entry({ passed: count(), failed: count(), total: count() }),
      "How many checks passed and failed, and their sum.",
    ),
    failures: optional(
      listOf(entry({ check: text(), expected: text(), actual: text(), evidence: text() })),
      "Each failed check: what was expected, what came, and what shows it.",
    ),
  },
  example: {
    payload: {
      tier: "standard",
      result: "PARTIAL",
      checks: { passed: 11, failed: 1, total: 12 },
      failures: [
        { check: "Code is refused twice", expected: "401", actual: "200", evidence: "tests/auth/code.test.ts:31" },
      ],
    },
  },
} as const;

export const debuggerReport = {
  type: "debugger_report",
  summary: "Brings the diagnosis of one hypothesis: what speaks for it, what against it, and what would fix it.",
  kind: "diagnosis",
  aliases: { names: diagnosisNames, words: { confidence: levelWords } },
  payload: {
    hypothesis: required(text(), "The cause that was examined."),
    evidence_for: required(texts(), "What speaks for it."),
    evidence_against: required(texts(), "What speaks against it."),
    confidence: required(oneOf(["high", "medium", "low"]), "How sure the debugger is of the hypothesis."),
    recommended_fix: required(text(), "What would fix it; without enough evidence, that there is not enough."),
  },
  example: {
    payload: {
      hypothesis: "Two requests use the same code at once",
      evidence_for: ["Both answers carry the same request time", "The fault grows with load"],
      evidence_against: ["A single client never sees it"],
      confidence: "high",
      recommended_fix: "Mark the code as used in the statement that reads it",
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
