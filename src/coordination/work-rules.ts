/**
 * What contracts and tasks owe each other: a contract brings its tasks, and a claim lies inside its plan's contract.
 * Source: semantics.md section 3 (Contracts, Tasks and claims).
 */
import type { Problem } from "../base/problem.ts";
import { ok, type Result } from "../base/result.ts";
import type { Scope } from "../base/scope.ts";
import type { ClaimTask } from "./claims.ts";
import { scopeOf } from "./contract-terms.ts";
import { type ContractCommand, type ContractEvent, type Contracts, contractOf, contracts } from "./contracts.ts";
import type { Decided } from "./decider.ts";
import { work } from "./work.ts";
import type { WorkEvent } from "./work-events.ts";
import { findTask, type Work } from "./work-state.ts";

/** The part of the state that tasks are decided on. */
interface State {
  readonly contracts: Contracts;
  readonly work: Work;
}

type Outcome = Result<Decided<ContractEvent | WorkEvent>, readonly Problem[]>;
type IssueContract = Extract<ContractCommand, { readonly command: "issue-contract" }>;

/** A contract, and the tasks that come and go with it. Refuses what `contracts.ts` refuses. */
export function issueWithTasks(state: State, contract: Omit<IssueContract, "command">): Outcome {
  const issued = contracts.decide({ command: "issue-contract", ...contract }, state.contracts);
  if (!issued.ok) return issued;
  const terms = issued.value.events.flatMap((event) => (event.event === "contract-issued" ? [event.terms] : []));
  const { seq } = contract;
  const adopted = terms.map(({ planId, tasks, dependsOn }) =>
    work.decide({ command: "adopt-tasks", planId, tasks, dependsOn, seq }, state.work),
  );
  const decided = adopted.flatMap((each) => (each.ok ? [each.value] : []));
  return ok({
    events: [...issued.value.events, ...decided.flatMap(({ events }) => events)],
    notes: [...issued.value.notes, ...decided.flatMap(({ notes }) => notes)],
  });
}

/** A claim, judged by the contract of the task's plan. Refuses what `claimTask` refuses. */
export function decideClaim(state: State, claim: Omit<ClaimTask, "command" | "scope">): Outcome {
  const task = findTask(state.work, claim.taskId, claim.planId);
  return work.decide(
    { command: "claim-task", ...claim, scope: scopeOfPlan(state.contracts, task?.plan ?? claim.planId) },
    state.work,
  );
}

/** What a plan's contract allows and forbids; null: it has none, or there is no plan. */
export function scopeOfPlan(state: Contracts, plan: string | null): Scope | null {
  const contract = plan === null ? null : contractOf(state, plan);
  return contract === null ? null : scopeOf(contract.terms);
}
