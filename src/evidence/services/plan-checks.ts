/**
 * The verification checks of plans, run once a plan where the operator allows it: they are shell commands that an agent
 * wrote, and they run in a clean tree of exactly the commit that was reported. Source: docs/protocol/verdicts.md.
 */
import { existsSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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

/** Ignored folders of the checkout, without which most checks fail for a wrong reason: linked into the clean tree. */
const shared: readonly string[] = ["node_modules"];

/**
 * Runs the checks one after the other in a tree of its own, which has the commit and nothing else, and goes again. What git
 * refuses to check out is a problem of the checks.
 */
export async function runPlanChecks(
  checks: readonly string[],
  commit: string,
  repository: Repository,
  running: Running,
): Promise<PlanOutcome> {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "baton-check-"));
  const directory = join(folder, "tree");
  const { git, workTree } = repository;
  try {
    const made = await git.run(["worktree", "add", "--quiet", "--detach", "--force", directory, commit]);
    if (!made.ok) return { checks: [], problems: [made.error] };
    for (const each of shared) {
      const from = workTree === null ? null : join(workTree, each);
      if (from !== null && existsSync(from) && !existsSync(join(directory, each)))
        symlinkSync(from, join(directory, each));
    }
    return await runIn(directory, checks, running);
  } finally {
    await git.run(["worktree", "remove", "--force", "--force", directory], { answers: [0, 128] });
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What running checks needs besides the repository. */
interface Running {
  readonly place: RepositoryPlace;
  readonly leave: CheckLeave;
}

async function runIn(directory: string, checks: readonly string[], { place, leave }: Running): Promise<PlanOutcome> {
  const done: CheckRecord[] = [];
  const problems: Problem[] = [];
  for (const check of checks) {
    const outcome = await runCheck(check, {
      directory,
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

/** The verdicts after the checks of their plans, run once on each commit; what did not pass disputes the tasks at it. */
export async function withChecks(checking: Checking): Promise<readonly Judged[]> {
  const { repository, place, runChecks: leave } = checking;
  const outcomes = new Map<string, PlanOutcome>();
  const checked: Judged[] = [];
  for (const judged of checking.judged) {
    const { commit, state } = judged.verdict;
    const checks = checking.checks.get(judged.candidate.planKey ?? "") ?? [];
    if (commit === null || state === "reported" || checks.length === 0) {
      checked.push(judged);
      continue;
    }
    const key = `${judged.candidate.planKey ?? ""} ${commit}`;
    const outcome = outcomes.get(key) ?? (await runPlanChecks(checks, commit, repository, { place, leave }));
    outcomes.set(key, outcome);
    checked.push(afterChecks(judged, outcome));
  }
  return checked;
}

function afterChecks(judged: Judged, { checks, problems }: PlanOutcome): Judged {
  const verdict: TaskVerdict = { ...judged.verdict, checks };
  if (problems.length === 0) return { ...judged, verdict };
  const { work: _, place: __, ...rest } = judged;
  return { ...rest, verdict: { ...verdict, state: "disputed", problems: inOrder([...verdict.problems, ...problems]) } };
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
