/**
 * The verification checks of plans, run once a plan where the operator allows it: they are shell commands that an agent
 * wrote, and they run on the files as they are checked out. Source: docs/protocol/verdicts.md.
 */
import { inOrder, type Problem } from "../../base/problem.ts";
import type { CheckRecord, TaskVerdict } from "../../perform/operations/reply.ts";
import { contractOf } from "../../tasks/decide/contracts.ts";
import type { Contracts } from "../../tasks/state/contract-terms.ts";
import { type CheckOutcome, checkProblem, runCheck } from "../decide/contract-checks.ts";
import type { Repository } from "../git/repository.ts";
import type { TakenWork, Whereabouts } from "../state.ts";
import type { RepositoryPlace } from "./gate.ts";
import type { Candidate } from "./reported-work.ts";

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
    const problem = checkProblem(outcome);
    if (problem !== null) problems.push(problem);
  }
  return { checks: done, problems };
}

interface Checking {
  readonly repository: Repository;
  readonly place: RepositoryPlace;
  readonly judged: readonly Judged[];
  readonly checks: ReadonlyMap<string, readonly string[]>;
  readonly runChecks: CheckLeave;
}

/** The verdicts after the checks of their plans, each plan's run once; what did not pass disputes all of its tasks. */
export async function withChecks(checking: Checking): Promise<readonly Judged[]> {
  const outcomes = new Map<string, PlanOutcome>();
  for (const [plan, checks] of checking.checks)
    outcomes.set(plan, await runPlanChecks(checks, checking.repository, checking.place, checking.runChecks));
  return checking.judged.map((judged) => {
    const outcome = outcomes.get(judged.candidate.planKey ?? "");
    if (outcome === undefined || outcome.checks.length === 0) return judged;
    const checked: TaskVerdict = { ...judged.verdict, checks: outcome.checks };
    if (outcome.problems.length === 0) return { ...judged, verdict: checked };
    const problems = inOrder([...checked.problems, ...outcome.problems]);
    return { ...judged, verdict: { ...checked, state: "disputed", problems } };
  });
}

/** A candidate with what was found, and the paths that its commit changed; null: they are not known. */
export interface Judged {
  readonly candidate: Candidate;
  readonly files: readonly string[] | null;
  readonly verdict: TaskVerdict;
  /** The work, where it was taken now; absent: it is not verified, or was taken before. */
  readonly work?: TakenWork;
  /** The work as its branch has gone on with it; absent: it has not. */
  readonly grown?: TakenWork;
  /** Where the work is; absent: it is not verified. */
  readonly place?: Whereabouts;
}
