/**
 * Asks, approvals and escalations of a team as tasks of A2A. Pure: the journal is the only truth, and a task is what it
 * shows now. A task of work is completed only once the work is verified.
 * Rules: docs/protocol/doors.md, section 16.
 */
import { canonical, sha256 } from "../../base/canonical.ts";
import { timestampOf } from "../../base/clock.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Problem } from "../../base/problem.ts";
import { escalationKey, isBeside } from "../../escalations/state.ts";
import type { Level } from "../../messages/authority/chain-of-command.ts";
import type { Department } from "../../messages/role.ts";
import type { ApprovalState, Escalation } from "../../perform/deciders.ts";
import type { AskRemark, AskView } from "../../tasks/operations/asks.ts";
import type { A2aMessage, A2aState, A2aTask, Artifact, Part } from "./wire.ts";

/** States after which nothing of a task changes. */
export function isOver(state: A2aState): boolean {
  return ["COMPLETED", "FAILED", "CANCELED", "REJECTED"].some((each) => state === `TASK_STATE_${each}`);
}

/** Whether the task of this id is an ask; every other stands for an approval or an escalation. */
export function isOfAsk(id: string): boolean {
  return !/^(?:approval|escalation)-/.test(id);
}

/** Whether a caller that waits is answered now: the task is over, or waits for the caller. */
export function isSettled(state: A2aState): boolean {
  return isOver(state) || state === "TASK_STATE_INPUT_REQUIRED";
}

/** A task with what its place in the list is compared by. */
export interface FoundTask {
  readonly task: A2aTask;
  /** When its status changed, and its id: the newest first. */
  readonly key: string;
}

/** An ask as its asker sees it. */
export function taskOfAsk(ask: AskView): FoundTask {
  const id = ask.task.task;
  const contextId = ask.context ?? id;
  const state = stateOfAsk(ask);
  const message = statusMessage(ask, { id, contextId });
  const artifacts = state === "TASK_STATE_COMPLETED" ? [workOf(ask)] : [];
  return {
    task: {
      id,
      contextId,
      status: { state, ...(message === null ? {} : { message }), timestamp: ask.at },
      ...(artifacts.length === 0 ? {} : { artifacts }),
      history: ask.said.map((each) => messageOf(ask, each)),
    },
    key: `${ask.at}~${id}`,
  };
}

function stateOfAsk({ task: { state, verdict, holder, report }, ended, question }: AskView): A2aState {
  if (ended !== null) return endStates[ended.outcome];
  const isProven = verdict === "verified" || verdict === "unavailable" || verdict === "unneeded";
  if ((state === "verified" || state === "complete" || state === "reported") && isProven) return "TASK_STATE_COMPLETED";
  if (question !== null) return "TASK_STATE_INPUT_REQUIRED";
  return holder === null && report === null ? "TASK_STATE_SUBMITTED" : "TASK_STATE_WORKING";
}

const endStates = {
  withdrawn: "TASK_STATE_CANCELED",
  refused: "TASK_STATE_REJECTED",
  "given-up": "TASK_STATE_FAILED",
} as const;

interface Place {
  readonly id: string;
  readonly contextId: string;
}

/** What the state is about: why it ended, what is asked, what the repository contradicts. Null: it says enough itself. */
function statusMessage(ask: AskView, { id, contextId }: Place): A2aMessage | null {
  const { ended, question, task, said } = ask;
  const ofTeam = (messageId: string, parts: readonly Part[]): A2aMessage => ({
    messageId,
    contextId,
    taskId: id,
    role: "ROLE_AGENT",
    parts,
  });
  if (ended !== null) {
    const { outcome, reason, seq } = ended;
    if (reason === null) return null;
    const data = { outcome, reason, problems: task.problems.map(plainProblem) };
    // Who withdrew a task knows what there is to know.
    const parts = outcome === "withdrawn" ? [] : [{ data, mediaType: "application/json" }];
    return ofTeam(`entry-${seq}`, [{ text: reason }, ...parts]);
  }
  const asked = question === null ? undefined : said.find(({ seq }) => seq === question);
  if (asked !== undefined) return messageOf(ask, asked);
  if (task.problems.length === 0) return null;
  return ofTeam(`entry-${task.seq}`, [
    { text: `The work is ${task.state}: the repository does not show what was reported.` },
    { data: { problems: task.problems.map(plainProblem) }, mediaType: "application/json" },
  ]);
}

function plainProblem(each: Problem): JsonObject {
  return { ...each };
}

function messageOf({ asker, context, task: { task } }: AskView, { seq, by, id, text }: AskRemark): A2aMessage {
  const sent = by === asker ? sentMessageId(id) : null;
  return {
    messageId: sent ?? `entry-${seq}`,
    contextId: context ?? task,
    taskId: task,
    role: by === asker ? "ROLE_USER" : "ROLE_AGENT",
    parts: [{ text }],
  };
}

/* The id of a message of A2A names the operation, so that a repeat has no second effect. */

const ownIds = "a2a/";

/** The id of the operation for a message of this id. One that cannot be part of an id is hashed. */
export function operationIdOf(messageId: string): string {
  const isPlain = /^[A-Za-z0-9._:/@-]{1,120}$/.test(messageId);
  return isPlain ? `${ownIds}${messageId}` : `a2a-sha256:${sha256(messageId)}`;
}

function sentMessageId(id: string | null): string | null {
  return id?.startsWith(ownIds) === true ? id.slice(ownIds.length) : null;
}

function workOf({ task, evidence }: AskView): Artifact {
  const { task: name, state, commit, commits, files, reporter } = task;
  const data = { task: name, state, commit, commits, files, reporter, evidence };
  return { artifactId: "work", name: "The work as it was reported", parts: [{ data, mediaType: "application/json" }] };
}

/** An approval as its requester or one of its addressees sees it; null: the caller is neither. */
export function taskOfApproval(request: ApprovalState, caller: string): FoundTask | null {
  const isRequester = request.requester === caller;
  if (!isRequester && !request.addressees.includes(caller)) return null;
  const id = approvalTaskId(request);
  const { status, answer, expiredAtMs, openedAtMs, subject, requestType, options, evidence } = request;
  const state =
    status === "open"
      ? isRequester
        ? "TASK_STATE_WORKING"
        : "TASK_STATE_INPUT_REQUIRED"
      : status === "expired"
        ? "TASK_STATE_FAILED"
        : "TASK_STATE_COMPLETED";
  const timestamp = timestampOf(answer?.atMs ?? expiredAtMs ?? openedAtMs);
  const question: A2aMessage = {
    messageId: `entry-${request.seq}`,
    contextId: id,
    taskId: id,
    role: isRequester ? "ROLE_USER" : "ROLE_AGENT",
    parts: [
      { text: `${request.requester} asks for an approval: ${subject}` },
      {
        data: { request: request.requestId, requester: request.requester, requestType, subject, options, evidence },
        mediaType: "application/json",
      },
    ],
  };
  const artifacts =
    answer === null
      ? []
      : [
          decisionArtifact({
            approved: answer.approved,
            reason: answer.reason,
            decidedBy: answer.decidedBy,
            conditions: answer.conditions,
          }),
        ];
  return {
    task: {
      id,
      contextId: id,
      status: { state, ...(state === "TASK_STATE_INPUT_REQUIRED" ? { message: question } : {}), timestamp },
      ...(artifacts.length === 0 ? {} : { artifacts }),
      history: [question],
    },
    key: `${timestamp}~${id}`,
  };
}

function decisionArtifact(data: JsonObject): Artifact {
  return { artifactId: "decision", name: "The decision", parts: [{ data, mediaType: "application/json" }] };
}

/** The task of an approval: ids of requests are the requesters' own, so the requester is in it. */
export function approvalTaskId({ requester, requestId }: Pick<ApprovalState, "requester" | "requestId">): string {
  return `approval-${sha256(canonical([requester, requestId])).slice(0, 20)}`;
}

/** A caller with its place in the chain of command; `level` null: it has none. */
export interface Caller {
  readonly agent: string;
  readonly level: Level | null;
  readonly department: Department | undefined;
}

/**
 * An escalation as its tasks: for those whom it holds up, and for who is at the level where it waits or at one that it has
 * passed. It has a task for each time that it came up: one that was decided stays over, and a decision that did not help is
 * followed by another task.
 */
export function tasksOfEscalation(escalation: Escalation, caller: Caller): readonly FoundTask[] {
  const { id: name, originators, steps, status, decision, level } = escalation;
  const isHeldUp = originators.includes(caller.agent);
  const isAt = (each: Level) => each === caller.level && isBeside(escalation, caller);
  const isDecider = decision?.decidedBy === caller.agent;
  if (!isHeldUp && !isDecider && !steps.some((step) => isAt(step.level))) return [];
  const starts = steps.flatMap(({ how }, index) => (how === "opened" || how === "again" ? [index] : []));
  return starts.map((start, time) => {
    const next = starts[time + 1];
    const id = `escalation-${sha256(canonical([escalationKey(name), time])).slice(0, 20)}`;
    const own = steps.slice(start, next);
    const last = own.at(-1);
    const came = next === undefined ? undefined : steps[next];
    const isOpen = came === undefined && status === "open";
    const state = isOpen
      ? isAt(level) && !isHeldUp
        ? "TASK_STATE_INPUT_REQUIRED"
        : "TASK_STATE_WORKING"
      : came === undefined && decision === null
        ? "TASK_STATE_CANCELED"
        : "TASK_STATE_COMPLETED";
    const decided = came === undefined ? decision : null;
    const timestamp = timestampOf(came?.atMs ?? decided?.atMs ?? last?.atMs ?? escalation.openedAtMs);
    const question = questionOf(escalation, { id, contextId: id, seq: own[0]?.seq ?? 0, isHeldUp });
    const said =
      came === undefined ? null : "It was decided. The decision did not help, so it came up again as another task.";
    const message =
      state === "TASK_STATE_INPUT_REQUIRED" ? question : said === null ? null : ofTeam(id, `entry-${came?.seq}`, said);
    return {
      task: {
        id,
        contextId: id,
        status: { state, ...(message === null ? {} : { message }), timestamp },
        ...(decided === null ? {} : { artifacts: [decidedArtifact(decided)] }),
        history: [question],
      },
      key: `${timestamp}~${id}`,
    };
  });
}

function ofTeam(id: string, messageId: string, text: string): A2aMessage {
  return { messageId, contextId: id, taskId: id, role: "ROLE_AGENT", parts: [{ text }] };
}

function decidedArtifact({
  decision,
  rationale,
  actionItems,
  level,
  decidedBy,
}: NonNullable<Escalation["decision"]>): Artifact {
  return decisionArtifact({ decision, rationale, actionItems, level, decidedBy });
}

interface Asking extends Place {
  readonly seq: number;
  readonly isHeldUp: boolean;
}

function questionOf(escalation: Escalation, { id, contextId, seq, isHeldUp }: Asking): A2aMessage {
  const { id: name, originators, issue, needs, recommendation, severity, evidence, options, level } = escalation;
  return {
    messageId: `entry-${seq}`,
    contextId,
    taskId: id,
    role: isHeldUp ? "ROLE_USER" : "ROLE_AGENT",
    parts: [
      { text: `${originators.join(", ")} cannot go on and waits for a decision: ${issue}` },
      {
        data: { escalation: name, originators, issue, needs, recommendation, severity, evidence, options, level },
        mediaType: "application/json",
      },
    ],
  };
}

/** The task with at most so many messages, the last ones; none of the field where none is wanted. */
export function withHistory({ history = [], ...task }: A2aTask, length: number | null): A2aTask {
  if (length === 0) return task;
  return { ...task, history: length === null ? history : history.slice(-length) };
}
