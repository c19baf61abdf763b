/** What a hub says of what was agreed, as its JSON must look: approvals with their answers, and contracts. */
import type { ApprovalAnswer, ApprovalState } from "../../coordination/approvals.ts";
import type { ContractRevision, ContractTerms, ContractView } from "../../coordination/contracts.ts";
import { json, role } from "./client-answers.ts";
import { count, flag, hash, list, nullable, object, oneOf, type Shape, text } from "./client-shape.ts";

const approvalAnswer = object<ApprovalAnswer>({
  approved: flag,
  decidedBy: text,
  role: nullable(role),
  reason: text,
  conditions: list(text),
  modifications: list(json),
  seq: count,
  atMs: count,
});

const phase: Shape<number | string | null> = (value): value is number | string | null =>
  value === null || typeof value === "number" || typeof value === "string";

const approval = object<ApprovalState>({
  requestId: text,
  requester: text,
  requesterRole: nullable(role),
  subject: text,
  requestType: oneOf(["scope_change", "plan_approval", "gate_override"]),
  evidence: text,
  options: list(text),
  phase,
  task: nullable(text),
  plan: nullable(text),
  addressees: list(text),
  seq: count,
  openedAtMs: count,
  deadlineMs: nullable((value): value is number => typeof value === "number"),
  standing: oneOf(["open", "approved", "denied", "expired"]),
  answer: nullable(approvalAnswer),
  expiredAtMs: nullable(count),
});

export const approvals = object<{ approvals: readonly ApprovalState[] }>({ approvals: list(approval) });

const terms = object<ContractTerms>({
  planId: text,
  phaseId: text,
  objective: text,
  tasks: list(text),
  allowedPaths: list(text),
  forbiddenPaths: list(text),
  mustHaves: list(text),
  dependsOn: list(text),
  verificationChecks: list(text),
  tokenBudget: nullable((value): value is number => typeof value === "number"),
});

const contractRevision = object<ContractRevision>({
  revision: count,
  hash,
  previousHash: nullable(hash),
  seq: count,
  issuedBy: text,
  permit: nullable(text),
});

const contract = object<ContractView>({
  tokensUsed: count,
  plan: text,
  revision: count,
  hash,
  terms,
  revisions: list(contractRevision),
});

export const contracts = object<{ contracts: readonly ContractView[] }>({ contracts: list(contract) });
