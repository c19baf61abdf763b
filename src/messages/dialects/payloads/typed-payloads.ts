/**
 * The messages that both second revisions share: the contract of work, how it goes, what holds it up, leave that is asked
 * for and given, shutdown.
 * Fields, rules, an example of each; who sends and who receives them differs and is said in each dialect's `messages.ts`.
 * Source: tests/requirements/vbw-2.tsv; tests/requirements/yolo-2.tsv; docs/protocol/messages.md,
 * section 5.
 */
import {
  count,
  entry,
  flag,
  listOf,
  name,
  oneOf,
  optional,
  required,
  text,
  timestamp,
} from "../../../base/schema/shapes.ts";
import {
  blockerExample,
  blockerFields,
  blockerNames,
  commitNames,
  concernNames,
  concerns,
  fileNames,
  levelWords,
  planId,
  planNames,
  resultWords,
  statusNames,
  statusWords,
  taskStatus,
  texts,
  verdictExample,
  verdictFields,
  verdictNames,
  workCommit,
} from "../fields/common-fields.ts";

export const planContract = {
  type: "plan_contract",
  summary: "Assigns a plan: what must be done, which files the work may touch, and what must be true at the end.",
  kind: "contract",
  aliases: {
    names: {
      ...planNames,
      phase: "phase_id",
      goal: "objective",
      obj: "objective",
      task_ids: "tasks",
      files: "allowed_paths",
      paths: "allowed_paths",
      allowed_files: "allowed_paths",
      must_have: "must_haves",
      mh: "must_haves",
      forbidden: "forbidden_paths",
      dependencies: "depends_on",
      checks: "verification_checks",
      budget: "token_budget",
    },
  },
  payload: {
    plan_id: required(name(), "The plan. Sending the same plan again is its next revision."),
    phase_id: required(name(), "The phase the plan belongs to."),
    objective: required(text(), "What the plan is to achieve, in a sentence."),
    tasks: required(texts(), "Ids of the plan's tasks."),
    allowed_paths: required(texts(), "Files, folders and globs that the work may touch."),
    must_haves: required(texts(), "What must be true when the plan is done."),
    forbidden_paths: optional(
      texts(),
      "Files, folders and globs that the work must not touch; stronger than allowed_paths.",
    ),
    depends_on: optional(texts(), "Plans that must be done before this one starts."),
    verification_checks: optional(texts(), "Shell commands that check the result; run only by the owner's word."),
    token_budget: optional(count(), "Most tokens the plan should use."),
  },
  example: {
    id: "contract-2-1",
    task: "2-1-T1",
    authorRole: "lead",
    payload: {
      plan_id: "2-1",
      phase_id: "phase-2",
      objective: "Sign users in with a one-time code",
      tasks: ["2-1-T1", "2-1-T2"],
      allowed_paths: ["src/auth/", "tests/auth/*.test.ts"],
      must_haves: ["A used code is refused", "Existing sessions stay valid"],
      forbidden_paths: [".env", "src/billing/"],
      depends_on: ["1-2"],
      verification_checks: ["npm test"],
      token_budget: 40000,
    },
  },
} as const;

export const executionUpdate = {
  type: "execution_update",
  summary: "Reports how far a task is, or that it is done, with the commit that shows it.",
  kind: "progress",
  rules: ["commit-when-complete"],
  aliases: {
    names: {
      ...planNames,
      ...commitNames,
      ...fileNames,
      ...statusNames,
      ...concernNames,
      task: "task_id",
      t: "task_id",
      tst: "evidence",
      tests: "evidence",
      ev: "evidence",
    },
    words: { status: statusWords },
  },
  payload: {
    plan_id: planId,
    task_id: required(name(), "The task reported on."),
    status: taskStatus,
    commit: workCommit,
    files_modified: optional(texts(), "Files the commit changes."),
    concerns,
    evidence: optional(text(), "What shows that the work does what it should."),
  },
  example: {
    id: "update-2-1-1",
    task: "2-1-T1",
    authorRole: "dev",
    payload: {
      plan_id: "2-1",
      task_id: "2-1-T1",
      status: "complete",
      commit: "4f2a9c1",
      files_modified: ["src/auth/code.ts", "tests/auth/code.test.ts"],
      concerns: ["The code's life is not configurable yet"],
      evidence: "14 tests pass, among them reuse of a code",
    },
  },
} as const;

export const blockerReport = {
  type: "blocker_report",
  summary: "Says that the sender cannot go on, why, and what would free it.",
  kind: "blocker",
  aliases: {
    names: { ...blockerNames, task: "task_id", sev: "severity" },
    words: {
      severity: {
        blocked: "blocking",
        blocker: "blocking",
        critical: "blocking",
        high: "blocking",
        medium: "degraded",
        warning: "degraded",
        low: "informational",
        info: "informational",
      },
    },
  },
  payload: {
    plan_id: planId,
    task_id: required(name(), "The task that is held up."),
    ...blockerFields,
    severity: optional(
      oneOf(["blocking", "degraded", "informational"]),
      "How bad it is; left out it counts as blocking.",
    ),
  },
  example: {
    id: "blocker-2-1-2",
    task: "2-1-T2",
    authorRole: "dev",
    payload: {
      plan_id: "2-1",
      task_id: "2-1-T2",
      ...blockerExample,
      severity: "blocking",
    },
  },
} as const;

/*
 * The messages about what was found that both second revisions share: a scout's findings, the verdict on work, failures
 * that were there before. Senders and receivers are said in each dialect's `messages.ts`.
 * Source: tests/requirements/vbw-2.tsv; tests/requirements/yolo-2.tsv; docs/protocol/messages.md,
 * section 5.
 */

const findingsAliases = {
  names: {
    document: "documents",
    docs: "documents",
    "documents.file": "documents.name",
    "documents.title": "documents.name",
    "documents.body": "documents.content",
    "documents.text": "documents.content",
    rationale: "confidence_rationale",
  },
  words: {
    domain: { stack: "tech-stack", tech: "tech-stack", "tech stack": "tech-stack" },
    "cross_cutting.relevance": levelWords,
  },
} as const;

export const scoutFindings = {
  type: "scout_findings",
  summary: "Brings what a scout found out about one domain of the project.",
  kind: "findings",
  aliases: findingsAliases,
  payload: {
    domain: required(oneOf(["tech-stack", "architecture", "quality", "concerns"]), "The domain that was looked into."),
    documents: required(
      listOf(entry({ name: text(), content: text() })),
      "What was written down: a file name and its text each.",
    ),
    cross_cutting: optional(
      listOf(entry({ target_domain: text(), finding: text(), relevance: oneOf(["high", "medium", "low"]) })),
      "Findings that matter to another domain.",
    ),
    confidence_rationale: optional(text(), "What the confidence rests on."),
  },
  example: {
    id: "findings-quality",
    task: "1-1-T1",
    authorRole: "scout",
    payload: {
      domain: "quality",
      documents: [{ name: "QUALITY.md", content: "# Quality\n\nNo test covers signing in." }],
      cross_cutting: [{ target_domain: "architecture", finding: "Sessions live in two places", relevance: "high" }],
      confidence_rationale: "Read every file under src/auth",
    },
  },
} as const;

export const qaVerdict = {
  type: "qa_verdict",
  summary: "Says whether the work holds, with the counts of the checks and each failure.",
  kind: "verdict",
  rules: ["checks-add-up", "pass-without-failures"],
  aliases: {
    names: { ...verdictNames, report: "body", recommendation: "recommendations", rec: "recommendations" },
    words: { result: resultWords, tier: { fast: "quick", full: "deep", normal: "standard" } },
  },
  payload: {
    ...verdictFields,
    body: optional(text(), "The report in words."),
    recommendations: optional(listOf(text()), "What should be done before going on."),
  },
  example: {
    id: "verdict-2-1",
    task: "2-1-T1",
    authorRole: "qa",
    payload: {
      ...verdictExample,
      body: "One must-have does not hold.",
      recommendations: ["Mark the code as used before answering"],
    },
  },
} as const;

export const preExistingIssues = optional(
  listOf(entry({ test: text(), file: text(), error: text() })),
  "Failures that were there before the work began; left out or empty when there are none.",
);

export const preExistingIssuesExample = [
  { test: "renders the invoice", file: "tests/billing/invoice.test.ts", error: "expected 2 decimals, found 3" },
] as const;

export const approvalRequest = {
  type: "approval_request",
  summary: "Asks for leave: to widen a scope, to go ahead with a plan, to pass a gate.",
  kind: "approval-request",
  aliases: {
    names: {
      title: "subject",
      type: "request_type",
      reason: "evidence",
      justification: "evidence",
      choices: "options",
    },
    words: {
      request_type: {
        scope: "scope_change",
        scope_expansion: "scope_change",
        plan: "plan_approval",
        override: "gate_override",
        gate: "gate_override",
      },
    },
  },
  payload: {
    subject: required(text(), "What must be decided."),
    request_type: required(
      oneOf(["scope_change", "plan_approval", "gate_override"]),
      "What kind of leave is asked for.",
    ),
    evidence: required(text(), "Why it is needed."),
    options: optional(texts(), "Ways the answer could go."),
    deadline: optional(
      timestamp(),
      "When the answer is needed; its distance from the message's timestamp counts, as a duration.",
    ),
    paths: optional(texts(), "The paths that a scope change asks for; no document has this field."),
  },
  example: {
    id: "ask-2-1",
    task: "2-1-T2",
    authorRole: "dev",
    payload: {
      subject: "Task 2 needs the mail templates",
      request_type: "scope_change",
      evidence: "The code is shown in src/mail/templates, which the contract leaves out",
      options: ["Widen the contract", "A task of its own"],
      deadline: "2026-03-04T12:30:00Z",
      paths: ["src/mail/templates/"],
    },
  },
} as const;

export const approvalResponse = {
  type: "approval_response",
  summary: "Answers a request for leave, once.",
  kind: "approval-response",
  aliases: {
    names: {
      request: "request_id",
      approve: "approved",
      rationale: "reason",
      feedback: "reason",
      comment: "reason",
    },
  },
  payload: {
    request_id: required(name(), "Id of the request that is answered."),
    approved: required(flag(), "Whether leave is given."),
    reason: required(text(), "Why."),
    conditions: optional(texts(), "What the leave is bound to."),
    modifications: optional(texts(), "What changes with the answer; for a scope change the paths added."),
  },
  example: {
    id: "answer-2-1",
    task: "2-1-T2",
    authorRole: "lead",
    payload: {
      request_id: "ask-2-1",
      approved: true,
      reason: "The templates belong to signing in",
      conditions: ["Leave the invoice templates alone"],
      modifications: ["src/mail/templates/"],
    },
  },
} as const;

export const shutdownRequest = {
  type: "shutdown_request",
  summary: "Asks the team's agents to finish and stop.",
  kind: "shutdown-request",
  aliases: {
    names: { team: "team_name" },
    words: {
      reason: { done: "phase_complete", complete: "phase_complete", abort: "user_abort", aborted: "user_abort" },
    },
  },
  payload: {
    reason: required(oneOf(["phase_complete", "plan_complete", "user_abort"]), "Why the team stops."),
    team_name: required(text(), "The team that must stop.", { assumed: "" }),
  },
  example: { id: "stop-2", task: "", authorRole: "lead", payload: { reason: "phase_complete", team_name: "sign-in" } },
} as const;

/** What a shutdown's answer is called where it is not spelled as its dialect has it, but for the answer itself. */
export const shutdownAliases = {
  names: { status: "final_status", state: "final_status", pending: "pending_work", remaining: "pending_work" },
  words: { final_status: { done: "complete", completed: "complete", clean: "complete", working: "in_progress" } },
} as const;

export const shutdownResponse = {
  type: "shutdown_response",
  summary: "Answers a request to stop: whether the sender stops, and in what state it leaves its work.",
  kind: "shutdown-response",
} as const;

export const shutdownStatus = {
  final_status: required(oneOf(["complete", "idle", "in_progress"]), "The state the work is left in."),
  pending_work: optional(text(), "What remains to be done; empty when nothing does."),
} as const;
