/**
 * Approvals: a request, one answer, or its deadline. The answer is given by a role that may answer and is not the
 * requester; the owner stands outside the roles, and a gate is lifted by the owner alone.
 * Source: semantics.md section 3, Approvals.
 */
import { unreachable } from "../base/invariant.ts";
import { type Problem, problem } from "../base/problem.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { FactBodies } from "../message/facts.ts";
import type { Note } from "../message/message.ts";
import { ownerName } from "../message/principal.ts";
import type { Role } from "../message/role.ts";
import { needsOwner } from "./approval-kinds.ts";
import { durationBetween } from "./deadline.ts";
import { type Decided, type Decider, nothing } from "./decider.ts";
import {
  type ApprovalAnswer,
  type ApprovalState,
  type Approvals,
  closeRequest,
  findRequest,
  firstRequestDue,
  keepOpened,
  requestKey,
  requestOf,
  requestsDue,
} from "./requests.ts";
import { planKeyOfReference } from "./work-ids.ts";

export type { ApprovalAnswer, ApprovalState, Approvals } from "./requests.ts";

/** Orders that approvals take. */
export type ApprovalCommand =
  | {
      readonly command: "open-request";
      readonly requestId: string;
      readonly requester: string;
      readonly requesterRole: Role | null;
      readonly body: FactBodies["approval-request"];
      readonly phase: number | string | null;
      readonly task: string | null;
      /** The message's own timestamp: only the distance to the deadline is taken from it. */
      readonly timestamp: string | null;
      readonly addressees: readonly string[];
      readonly seq: number;
      readonly atMs: number;
    }
  | {
      readonly command: "answer-request";
      readonly answerer: string;
      /** Null for the owner. */
      readonly role: Role | null;
      /** Roles that may answer an approval; the owner stands outside them. */
      readonly roles: readonly Role[];
      readonly body: FactBodies["approval-response"];
      readonly seq: number;
      readonly atMs: number;
    }
  /** `onlyFirst`: of those that are due the one whose deadline passed first, without looking at the others. */
  | { readonly command: "expire-requests"; readonly atMs: number; readonly onlyFirst?: true };

/** What happened to requests. */
export type ApprovalEvent =
  | { readonly event: "approval-requested"; readonly request: ApprovalState }
  | { readonly event: "approval-answered"; readonly key: string; readonly answer: ApprovalAnswer }
  | { readonly event: "approval-expired"; readonly key: string; readonly atMs: number };

/**
 * Refuses: `id-taken`, `id-conflict`, `unknown-request`, `ambiguous-request`, `own-request`, `sender-not-authorised`,
 * `human-required`, `already-answered`, `request-expired`. A deadline passes only by an `expire-requests` command:
 * an answer that comes before it counts, even when it comes late.
 */
export const approvals: Decider<Approvals, ApprovalCommand, ApprovalEvent> = {
  name: "approvals",
  initial: () => ({ requests: new Map(), byId: new Map(), open: new Map(), asked: new Map(), deadlines: [] }),
  decide(command, state) {
    switch (command.command) {
      case "open-request":
        return openRequest(command, state);
      case "answer-request":
        return answerRequest(command, state);
      case "expire-requests":
        return expireRequests(command, state);
      default:
        return unreachable(command);
    }
  },
  evolve(state, event) {
    switch (event.event) {
      case "approval-requested":
        return keepOpened(state, event.request);
      case "approval-answered":
        return closeRequest(state, event.key, {
          standing: event.answer.approved ? "approved" : "denied",
          answer: event.answer,
        });
      case "approval-expired":
        return closeRequest(state, event.key, { standing: "expired", expiredAtMs: event.atMs });
      default:
        return unreachable(event);
    }
  },
};

type Command<Name extends ApprovalCommand["command"]> = Extract<ApprovalCommand, { readonly command: Name }>;
type Outcome = Result<Decided<ApprovalEvent>, readonly Problem[]>;

function openRequest(command: Command<"open-request">, state: Approvals): Outcome {
  const { body, requestId, requester } = command;
  const holder = requestOf(state, requestId);
  if (holder !== null && holder.requester !== requester && holder.standing === "open") {
    return refused(
      "id-taken",
      "$.id",
      `${holder.requester} has an open request with the id "${requestId}".`,
      "Send the request with another id.",
    );
  }
  const { deadlineMs, notes } = deadlineOf(body.deadline, command.timestamp);
  const request: ApprovalState = {
    requestId,
    requester,
    requesterRole: command.requesterRole,
    subject: body.subject,
    requestType: body.requestType,
    evidence: body.evidence,
    options: body.options ?? [],
    phase: command.phase,
    task: command.task,
    plan: planKeyOfReference(command.task),
    addressees: command.addressees.filter((agent) => agent !== requester),
    seq: command.seq,
    openedAtMs: command.atMs,
    deadlineMs,
    standing: "open",
    answer: null,
    expiredAtMs: null,
  };
  const before = state.requests.get(requestKey(request));
  if (before !== undefined) {
    if (saysTheSame(before, request))
      return nothing("request-unchanged", `Request "${requestId}" was opened before, at ${before.seq}.`);
    return refused(
      "id-conflict",
      "$.id",
      `${requester} used the id "${requestId}" for another request, at ${before.seq}.`,
      "Send the new request with a new id.",
    );
  }
  return ok({ events: [{ event: "approval-requested", request }], notes });
}

function answerRequest(command: Command<"answer-request">, state: Approvals): Outcome {
  const { answerer, body } = command;
  const found = findRequest(state, { requestId: body.requestId, answerer });
  if (!found.ok) return err([found.error]);
  const request = found.value;
  const id = request.requestId;
  const answer: ApprovalAnswer = {
    approved: body.approved,
    decidedBy: answerer,
    role: command.role,
    reason: body.reason,
    conditions: body.conditions ?? [],
    modifications: body.modifications ?? [],
    seq: command.seq,
    atMs: command.atMs,
  };
  if (request.answer !== null) {
    const { decidedBy, approved, seq } = request.answer;
    if (decidedBy === answerer && isSameAnswer(request.answer, answer))
      return nothing("answer-unchanged", `You answered request "${id}" so before, at ${seq}.`);
    const word = approved ? "approved" : "denied";
    return refused(
      "already-answered",
      "$.body.requestId",
      `Request "${id}" was ${word} by ${decidedBy}, at ${seq}.`,
      "One answer stands; a new question needs a new request.",
    );
  }
  if (request.standing === "expired") {
    return refused(
      "request-expired",
      "$.body.requestId",
      `The deadline of request "${id}" passed without an answer, which counts as denied.`,
      `${request.requester} may ask again with a new id.`,
    );
  }
  const fault = authorityFault(command, request);
  if (fault !== null) return err([fault]);
  const notes: Note[] = [];
  if (id !== body.requestId) {
    notes.push({
      code: "request-matched",
      path: "$.body.requestId",
      message: `No request has the id "${body.requestId}"; the answer was taken for "${id}", the one that waits for ${answerer}.`,
    });
  }
  return ok({ events: [{ event: "approval-answered", key: requestKey(request), answer }], notes });
}

function authorityFault(command: Command<"answer-request">, request: ApprovalState): Problem | null {
  const { answerer, role, roles } = command;
  if (request.requester === answerer) {
    return problem("own-request", "$.body.requestId", `${answerer} asked this and cannot answer it.`, {
      expected: "an answer by another",
      hint: "Wait for the one who was asked.",
    });
  }
  if (answerer === ownerName) return null;
  if (role === null || !roles.includes(role)) {
    return problem(
      "sender-not-authorised",
      "$.author_role",
      `${role ?? "An unknown role"} may not answer an approval request.`,
      {
        expected: roles.join(" | "),
        received: role ?? "none",
      },
    );
  }
  if (needsOwner(request)) {
    return problem(
      "human-required",
      "$.body.requestId",
      `Request "${request.requestId}" asks to override a gate; only the owner decides that.`,
      {
        expected: ownerName,
        received: answerer,
        hint: "The owner answers with `baton approval approve` or `deny`, or on the page.",
      },
    );
  }
  return null;
}

function expireRequests(command: Command<"expire-requests">, state: Approvals): Outcome {
  const { atMs, onlyFirst = false } = command;
  const due = onlyFirst ? firstRequestDue(state, atMs) : requestsDue(state, atMs);
  return ok({
    events: due.map((request) => ({ event: "approval-expired", key: requestKey(request), atMs: command.atMs })),
    notes: [],
  });
}

function deadlineOf(
  deadline: string | undefined,
  timestamp: string | null,
): { readonly deadlineMs: number | null; readonly notes: readonly Note[] } {
  if (deadline === undefined)
    return {
      deadlineMs: null,
      notes: [deadlineNote("The request names no deadline, so it stays open until it is answered.")],
    };
  const deadlineMs = timestamp === null ? null : durationBetween(timestamp, deadline);
  if (deadlineMs === null)
    return {
      deadlineMs,
      notes: [deadlineNote("Deadline and timestamp give no duration, so the request has no deadline.")],
    };
  if (deadlineMs <= 0)
    return {
      deadlineMs: null,
      notes: [deadlineNote("The deadline does not lie after the message's timestamp, so the request has none.")],
    };
  return { deadlineMs, notes: [] };
}

function deadlineNote(message: string): Note {
  return { code: "no-deadline", path: "$.body.deadline", message };
}

/** Whether two openings ask the same; when they came and to whom does not count. */
function saysTheSame(a: ApprovalState, b: ApprovalState): boolean {
  const asked = (request: ApprovalState) =>
    JSON.stringify([
      request.subject,
      request.requestType,
      request.evidence,
      request.options,
      request.task,
      request.deadlineMs,
    ]);
  return asked(a) === asked(b);
}

function isSameAnswer(a: ApprovalAnswer, b: ApprovalAnswer): boolean {
  const said = (answer: ApprovalAnswer) =>
    JSON.stringify([answer.approved, answer.reason, answer.conditions, answer.modifications]);
  return said(a) === said(b);
}

function refused(code: Problem["code"], path: string, message: string, hint: string): Outcome {
  return err([problem(code, path, message, { hint })]);
}
