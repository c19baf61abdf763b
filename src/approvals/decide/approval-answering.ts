/**
 * Answering a request: which one is meant, whether it still waits, and who may answer it.
 * Source: docs/protocol/asking.md, sections 1 to 4.
 */
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { FactBodies } from "../../messages/fact-bodies.ts";
import type { Note } from "../../messages/message.ts";
import { ownerName } from "../../messages/principal.ts";
import type { Role } from "../../messages/role.ts";
import { type Judge, ownHand, ownMatter } from "../../perform/conflict-of-interest.ts";
import { type Decided, nothing } from "../../perform/decider.ts";
import {
  type ApprovalAnswer,
  type ApprovalEvent,
  type ApprovalState,
  type Approvals,
  findRequest,
  needsOwner,
  requestKey,
} from "../state.ts";

/** Somebody answers a request, named by its id. */
export interface AnswerRequest {
  readonly command: "answer-request";
  readonly answerer: string;
  /** The chain of agents that registered the answerer's name, as in `Judge`; absent: none did. */
  readonly registrars?: readonly string[];
  /** Null for the owner. */
  readonly role: Role | null;
  /** Roles that may answer an approval; the owner is outside them. */
  readonly roles: readonly Role[];
  readonly body: FactBodies["approval-response"];
  readonly seq: number;
  readonly atMs: number;
}

type Outcome = Result<Decided<ApprovalEvent>, readonly Problem[]>;

/**
 * Refuses `unknown-request`, `ambiguous-request`, `own-request`, `sender-not-authorised`, `human-required`,
 * `already-answered` and `request-expired`.
 */
export function answerRequest(command: AnswerRequest, state: Approvals): Outcome {
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
      return nothing(
        "answer-unchanged",
        `You answered request "${id}" so before, at entry ${seq}; it is not delivered again.`,
      );
    const word = approved ? "approved" : "denied";
    return refused(
      "already-answered",
      `Request "${id}" was ${word} by ${decidedBy}, at entry ${seq}.`,
      "A request has one answer; a new question needs a new request.",
    );
  }
  if (request.standing === "expired") {
    return refused(
      "request-expired",
      `The deadline of request "${id}" passed without an answer, which counts as denied.`,
      `${request.requester} may ask again with a new id.`,
    );
  }
  const problem = authorityProblem(command, request);
  if (problem !== null) return err([problem]);
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

/**
 * Whether an open request waits for this agent's answer: it was asked, and may give one. The person may answer every
 * request. Others of a role that answers requests may answer too, but the request does not wait for them.
 */
export function mayAnswer(
  judge: Judge,
  request: Pick<ApprovalState, "requestType" | "requester" | "addressees">,
): boolean {
  if (judge.agent === ownerName) return true;
  if (needsOwner(request) || !request.addressees.includes(judge.agent)) return false;
  return ownHand(judge, [request.requester]) === null;
}

function authorityProblem(command: AnswerRequest, request: ApprovalState): Problem | null {
  const { answerer, role, roles } = command;
  if (request.requester === answerer) {
    return makeProblem("own-request", "$.body.requestId", `${answerer} asked this and cannot answer it.`, {
      expected: "an answer by another",
      hint: "Wait for the one who was asked.",
    });
  }
  const judge = { agent: answerer, registrars: command.registrars ?? [] };
  const own = ownHand(judge, [request.requester]);
  if (own !== null) return ownMatter(judge, own, "$.body.requestId", `request "${request.requestId}"`);
  if (answerer === ownerName) return null;
  if (role === null || !roles.includes(role)) {
    return makeProblem(
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
    return makeProblem(
      "human-required",
      "$.body.requestId",
      `Request "${request.requestId}" asks to override a gate; only the owner decides that.`,
      {
        expected: ownerName,
        received: answerer,
        hint: "The owner answers with `baton approve`, or on the page.",
      },
    );
  }
  return null;
}

function isSameAnswer(a: ApprovalAnswer, b: ApprovalAnswer): boolean {
  const said = (answer: ApprovalAnswer) =>
    JSON.stringify([answer.approved, answer.reason, answer.conditions, answer.modifications]);
  return said(a) === said(b);
}

function refused(code: Problem["code"], message: string, hint: string): Outcome {
  return err([makeProblem(code, "$.body.requestId", message, { hint })]);
}
