/**
 * Messages as agents write them, by hand and in their own dialect. If a dialect has no message for something, another
 * one of the team has, or nobody sends it.
 */
import type { JsonObject } from "../../../src/base/json.ts";
import type { DialectId } from "../../../src/messages/message.ts";
import type { Role } from "../../../src/messages/role.ts";

/** The author, and what is in every message from it. */
export interface Writer {
  readonly id: string;
  readonly role: Role;
  /** Its own first, then the others of its team. */
  readonly dialects: readonly DialectId[];
  /** By its own clock. */
  readonly timestamp: string;
}

/** Things that can be said, with what they say. */
export interface Sayings {
  readonly contract: {
    readonly plan: string;
    readonly tasks: readonly string[];
    readonly allowed: readonly string[];
    readonly forbidden: readonly string[];
    readonly dependsOn: readonly string[];
  };
  readonly claim: { readonly task: string; readonly plan: string; readonly files: readonly string[] };
  readonly progress: Work;
  readonly completion: Work;
  readonly blocker: { readonly task: string; readonly plan: string; readonly word: string; readonly severity?: string };
  readonly escalation: {
    readonly from: string;
    readonly to: string;
    readonly word: string;
    readonly original: string | null;
    readonly task: string | null;
  };
  readonly resolution: { readonly escalation: string; readonly decision: string; readonly by: string };
  readonly review: {
    readonly plan: string;
    readonly round: number;
    readonly files: readonly string[];
    readonly mustFix: readonly string[];
  };
  readonly judgement: {
    readonly plan: string;
    readonly round: number;
    readonly isApproval: boolean;
    readonly critical: number;
  };
  readonly approval: {
    readonly type: string;
    readonly task: string;
    readonly subject: string;
    readonly deadline: string | null;
    readonly paths: readonly string[];
  };
  readonly answer: { readonly request: string; readonly approved: boolean; readonly modifications?: readonly string[] };
  readonly stop: { readonly deadlineSeconds: number | null };
  readonly stopped: { readonly request: string; readonly approved: boolean; readonly status: string };
}

interface Work {
  readonly task: string;
  readonly plan: string;
  readonly status: string;
  readonly commit: string;
  readonly files: readonly string[] | null;
  readonly token: number | null;
}

/** A string, and the id to send it under where the message has none. */
export interface Written {
  readonly text: string;
  readonly id?: string;
}

type Saying = keyof Sayings;
type Writing<Name extends Saying> = (said: Sayings[Name], writer: Writer) => JsonObject;

/** The second revisions: a typed envelope with a payload. */
const typed: { readonly [Name in Saying]?: readonly [type: string, payload: Writing<Name>] } = {
  contract: [
    "plan_contract",
    ({ plan, tasks, allowed, forbidden, dependsOn }) => ({
      plan_id: plan,
      phase_id: "phase-1",
      objective: "Simulated work",
      tasks: [...tasks],
      allowed_paths: [...allowed],
      forbidden_paths: [...forbidden],
      depends_on: [...dependsOn],
      must_haves: [],
    }),
  ],
  progress: ["execution_update", workPayload],
  blocker: [
    "blocker_report",
    ({ task, plan, word, severity }) => ({
      plan_id: plan,
      task_id: task,
      blocker: word,
      needs: "a decision",
      ...(severity === undefined ? {} : { severity }),
    }),
  ],
  approval: [
    "approval_request",
    ({ type, subject, deadline, paths }) => ({
      subject,
      request_type: type,
      evidence: "It is simulated",
      ...(paths.length === 0 ? {} : { paths: [...paths] }),
      ...(deadline === null ? {} : { deadline }),
    }),
  ],
  answer: [
    "approval_response",
    ({ request, approved, modifications }) => ({
      request_id: request,
      approved,
      reason: approved ? "yes" : "no",
      ...(modifications === undefined ? {} : { modifications: [...modifications] }),
    }),
  ],
  stop: [
    "shutdown_request",
    ({ deadlineSeconds }) => ({
      reason: "phase_complete",
      team_name: "simulated",
      ...(deadlineSeconds === null ? {} : { deadline_seconds: deadlineSeconds }),
    }),
  ],
  stopped: [
    "shutdown_response",
    ({ request, approved, status }, { dialects }) => ({
      request_id: request,
      [dialects[0]?.startsWith("yolo") === true ? "approved" : "approve"]: approved,
      final_status: status === "in_progress" ? "in_progress" : "complete",
    }),
  ],
};

/** The first revisions: flat fields next to the type. */
const flat: { readonly [Name in Saying]?: readonly [type: string, fields: Writing<Name>] } = {
  progress: [
    "dev_progress",
    ({ task, plan, status, commit }) => ({ task, plan_id: plan, commit, status, concerns: [] }),
  ],
  blocker: [
    "dev_blocker",
    ({ task, plan, word }) => ({ task, plan_id: plan, blocker: word, needs: "a decision", attempted: [word] }),
  ],
};

/** What yolo/1 adds. */
const flatYolo: typeof flat = {
  ...flat,
  claim: [
    "task_claim",
    ({ task, plan, files }, { timestamp }) => ({
      task_id: task,
      plan_id: plan,
      files: [...files],
      claimed_at: timestamp,
    }),
  ],
  completion: [
    "task_complete",
    ({ task, plan, status, commit, files }) => ({
      task_id: task,
      plan_id: plan,
      commit,
      files_modified: [...(files ?? [])],
      status,
      deviations: [],
    }),
  ],
  escalation: [
    "escalation",
    ({ from, to, word, original, task }) => ({
      from,
      to,
      issue: word,
      evidence: [word],
      recommendation: "Decide",
      severity: "blocking",
      ...(original === null ? {} : { original_escalation: original }),
      ...(task === null ? {} : { task }),
    }),
  ],
  resolution: [
    "escalation_resolution",
    ({ escalation, decision, by }) => ({
      original_escalation: escalation,
      decision,
      rationale: "It is simulated",
      action_items: ["Go on"],
      resolved_by: by,
    }),
  ],
  review: [
    "code_review_changes",
    ({ plan, round, files, mustFix }) => ({
      plan_id: plan,
      cycle: round,
      changes: files.map((f) => ({ f, ln: 1, issue: "It is held up", fix: "Go on" })),
      must_fix: [...mustFix],
      rerun_tests: false,
    }),
  ],
  judgement: [
    "code_review_result",
    ({ plan, round, isApproval, critical }) => ({
      plan_id: plan,
      result: isApproval ? "approve" : "changes_requested",
      cycle: round,
      tdd_compliance: "pass",
      findings_count: critical,
      critical,
    }),
  ],
  stop: [
    "shutdown_request",
    ({ deadlineSeconds }) => ({ reason: "phase_complete", deadline_seconds: deadlineSeconds ?? 30 }),
  ],
  stopped: [
    "shutdown_response",
    ({ status }) => ({ status, pending_work: status === "clean" ? [] : ["the rest"], artifacts_committed: true }),
  ],
};

/** The text, in the first of the writer's dialects that has a word for it; null: none has. */
export function write<Name extends Saying>(name: Name, said: Sayings[Name], writer: Writer): Written | null {
  for (const dialect of writer.dialects) {
    const isTyped = dialect.endsWith("/2");
    const words = isTyped ? typed : dialect === "yolo/1" ? flatYolo : flat;
    const word = words[name];
    if (word === undefined) continue;
    const [type, fields] = word;
    const body = fields(said, { ...writer, dialects: [dialect] });
    if (!isTyped) return { text: JSON.stringify({ type, ...body }), id: writer.id };
    const { id, role: author_role, timestamp } = writer;
    const head = { id, type, phase: 1, task: type.startsWith("shutdown") ? "" : taskOf(said), author_role, timestamp };
    const envelope = { ...head, schema_version: "2.0", confidence: "high", payload: body };
    return { text: JSON.stringify(envelope) };
  }
  return null;
}

function workPayload({ task, plan, status, commit, files, token }: Work): JsonObject {
  return {
    plan_id: plan,
    task_id: task,
    status,
    commit,
    ...(files === null ? {} : { files_modified: [...files] }),
    ...(token === null ? {} : { token }),
  };
}

/** What the envelope says that it is about: a task, a plan, or the first of all. */
function taskOf(said: object): string {
  if ("task" in said && typeof said.task === "string") return said.task;
  return "plan" in said && typeof said.plan === "string" ? said.plan : "1-1-T1";
}
