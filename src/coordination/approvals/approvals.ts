/**
 * Approvals: a request, one answer, or its deadline. The answer is given by a role that may answer and is not the
 * requester; the owner stands outside the roles, and a gate is lifted by the owner alone. One decider in parts: the
 * neighbours open and answer, its state is `requests.ts`.
 * Source: docs/protocol/approvals.md.
 */
import { unreachable } from "../../base/invariant.ts";
import type { Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import type { Decided, Decider } from "../decider.ts";
import { type AnswerRequest, answerRequest } from "./approval-answering.ts";
import type { ApprovalEvent } from "./approval-events.ts";
import { type OpenRequest, openRequest } from "./approval-opening.ts";
import {
  type Approvals,
  closeRequest,
  firstRequestDue,
  keepOpened,
  openRequests,
  requestKey,
  requestsDue,
} from "./requests.ts";

export type { ApprovalAnswer, ApprovalState, Approvals } from "./requests.ts";

/** Requests whose deadline has passed are over. */
interface ExpireRequests {
  readonly command: "expire-requests";
  readonly atMs: number;
  /** Of those that are due the one whose deadline passed first, without looking at the others. */
  readonly onlyFirst?: true;
}

/** Agents left the team: what they asked for is closed and grants nothing. */
interface CloseRequests {
  readonly command: "close-requests";
  readonly agents: readonly string[];
  readonly atMs: number;
}

/** Orders that approvals take. */
export type ApprovalCommand = OpenRequest | AnswerRequest | ExpireRequests | CloseRequests;

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
      case "close-requests":
        return closeRequests(command, state);
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
      case "approval-closed":
        return closeRequest(state, event.key, { standing: "expired", expiredAtMs: event.atMs });
      default:
        return unreachable(event);
    }
  },
};

type Outcome = Result<Decided<ApprovalEvent>, readonly Problem[]>;

function expireRequests(command: ExpireRequests, state: Approvals): Outcome {
  const { atMs, onlyFirst = false } = command;
  const due = onlyFirst ? firstRequestDue(state, atMs) : requestsDue(state, atMs);
  return ok({
    events: due.map((request) => ({ event: "approval-expired", key: requestKey(request), atMs: command.atMs })),
    notes: [],
  });
}

function closeRequests({ agents, atMs }: CloseRequests, state: Approvals): Outcome {
  const left = openRequests(state).filter(({ requester }) => agents.includes(requester));
  return ok({
    events: left.map((request) => ({
      event: "approval-closed",
      key: requestKey(request),
      requester: request.requester,
      atMs,
    })),
    notes: [],
  });
}
