/**
 * What approvals and contracts owe each other: an approved scope change gives the leave to widen a contract.
 * Source: docs/protocol/contracts.md; docs/protocol/approvals.md.
 */
import type { Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { ownerName } from "../../message/principal.ts";
import { permittedPaths } from "../contracts/contract-amendment.ts";
import { type ContractEvent, type Contracts, contracts } from "../contracts/contracts.ts";
import type { Decided } from "../decider.ts";
import { type ApprovalAnswer, type ApprovalEvent, type Approvals, findRequest, requestKey } from "./approval-store.ts";
import { type ApprovalCommand, approvals } from "./approvals.ts";

/** The part of the state that approvals are decided on. */
interface State {
  readonly approvals: Approvals;
  readonly contracts: Contracts;
}

type Outcome = Result<Decided<ApprovalEvent | ContractEvent>, readonly Problem[]>;
type Order<Name extends ApprovalCommand["command"]> = Omit<
  Extract<ApprovalCommand, { readonly command: Name }>,
  "command"
>;

/** An answer, and the leave to widen a contract that an approved scope change gives. Refuses as `approvals.ts` does. */
export function decideAnswer(state: State, answer: Order<"answer-request">): Outcome {
  const answered = approvals.decide({ command: "answer-request", ...answer }, state.approvals);
  if (!answered.ok || answered.value.events.length === 0 || !answer.body.approved) return answered;
  const found = findRequest(state.approvals, { requestId: answer.body.requestId, answerer: answer.answerer });
  if (!found.ok) return err([found.error]);
  const request = found.value;
  if (request.requestType !== "scope_change") return answered;
  const paths = permittedPaths(answer.body.modifications ?? []);
  const permitted = contracts.decide(
    { command: "permit-widening", plan: request.plan, permit: requestKey(request), paths },
    state.contracts,
  );
  if (!permitted.ok) return permitted;
  return ok({
    events: [...answered.value.events, ...permitted.value.events],
    notes: [...answered.value.notes, ...permitted.value.notes],
  });
}

/** The owner's answer, given at a door. Refuses as an answer by message does, but for the role. */
export function decideOwnerAnswer(
  state: State,
  answer: Pick<ApprovalAnswer, "approved" | "reason" | "seq" | "atMs"> &
    Partial<Pick<ApprovalAnswer, "conditions" | "modifications">> & { readonly requestId: string },
): Outcome {
  const { seq, atMs, ...body } = answer;
  return decideAnswer(state, { answerer: ownerName, role: null, roles: [], body, seq, atMs });
}
