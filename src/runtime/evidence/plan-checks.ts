/**
 * The verification checks of plans, run once a plan where the operator allows it: they are shell commands that an agent
 * wrote, and they run on the files as they are checked out. Source: docs/protocol/verdicts.md.
 */
import type { Problem } from "../../base/problem.ts";
import type { Contracts } from "../../coordination/contracts/contracts.ts";
import { contractOf } from "../../coordination/contracts/contracts.ts";
import { type CheckOutcome, checkProblem, runCheck } from "../../evidence/contract-checks.ts";
import type { Repository } from "../../evidence/git/repository.ts";
import type { CheckRecord } from "../../operations/reply.ts";
import type { RepositoryPlace } from "./gate.ts";

/** Leave to run checks, and how long each may take, in milliseconds. */
export interface CheckLeave {
  readonly msMax?: number;
  /** Called as each ends, with the end of its output. */
  onEnd?(outcome: CheckOutcome): void;
}

/** The checks of each plan, by its key; taken from the state before anything waits. */
export function checksOf(
  contracts: Contracts,
  plans: readonly (string | null)[],
): ReadonlyMap<string, readonly string[]> {
  const known = plans.flatMap((plan) => {
    const terms = plan === null ? undefined : contractOf(contracts, plan)?.terms;
    return plan === null || terms === undefined ? [] : [[plan, terms.verificationChecks] as const];
  });
  return new Map(known);
}

/** What the checks of a plan showed. */
export interface PlanOutcome {
  readonly checks: readonly CheckRecord[];
  readonly problems: readonly Problem[];
}

/** Runs the checks one after the other in the working tree; without one nothing runs. */
export async function runPlanChecks(
  checks: readonly string[],
  repository: Repository,
  place: RepositoryPlace,
  leave: CheckLeave,
): Promise<PlanOutcome> {
  const done: CheckRecord[] = [];
  const problems: Problem[] = [];
  for (const check of repository.workTree === null ? [] : checks) {
    const outcome = await runCheck(check, {
      directory: repository.workTree ?? place.directory,
      environment: place.environment,
      ...(place.clock === undefined ? {} : { clock: place.clock }),
      ...(leave.msMax === undefined ? {} : { msMax: leave.msMax }),
    });
    leave.onEnd?.(outcome);
    const { outputEnd: _, ...record } = outcome;
    done.push(record);
    const fault = checkProblem(outcome);
    if (fault !== null) problems.push(fault);
  }
  return { checks: done, problems };
}
