/**
 * Reported completions held against the repository: read from the record, judged outside the write lock, and the verdict
 * recorded under it, where one about a report that is no longer the last word on its task is dropped.
 * Source: semantics.md section 3 (Completion).
 */
import { inOrder, type Problem, problem } from "../base/problem.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { Scope } from "../base/scope.ts";
import { contractOf } from "../coordination/contracts.ts";
import { findTask, type Task } from "../coordination/work-state.ts";
import { openRepository, type Repository } from "../evidence/repository.ts";
import { staleProblems } from "../evidence/staleness.ts";
import { type ReportedWork, type Verdict, verifyCompletion } from "../evidence/verdict.ts";
import type { Context } from "./context.ts";
import type { RepositoryPlace } from "./gate.ts";
import { type CheckLeave, type CheckRecord, checksOf, type PlanOutcome, runPlanChecks } from "./plan-checks.ts";
import type { TeamState } from "./state.ts";

/** A task as the repository shows it. `reported`: nothing can be said, and the problems say why. */
export interface TaskVerdict {
  readonly task: string;
  readonly plan: string | null;
  readonly state: "reported" | "verified" | "disputed" | "stale";
  /** The full id of the commit; null: it was not found. */
  readonly commit: string | null;
  readonly problems: readonly Problem[];
  /** The checks of its plan that were run; absent: none were. */
  readonly checks?: readonly CheckRecord[];
}

export interface VerifyOptions {
  /** Only these tasks; absent: all that are reported as complete. */
  readonly tasks?: readonly string[];
  /** Leave to run the plans' verification checks; absent: nothing of them is run. */
  readonly runChecks?: CheckLeave;
  readonly signal?: AbortSignal;
}

/** A completion as it was recorded when verification began. */
interface Candidate {
  readonly key: string;
  readonly task: string;
  readonly plan: string | null;
  readonly planKey: string | null;
  /** Seq of the report. */
  readonly report: number;
  readonly work: ReportedWork;
}

/** A candidate with what was found. */
interface Judged {
  readonly candidate: Candidate;
  readonly verdict: Verdict;
}

/**
 * The verdict on each reported completion, in the order of the tasks. Refuses `unknown-task`; what the repository refuses
 * is a problem of every task, which stays reported.
 */
export async function verify(
  context: Context,
  place: RepositoryPlace,
  options: VerifyOptions = {},
): Promise<Result<readonly TaskVerdict[], Problem>> {
  const folded = await context.journal.state(context.team);
  if (!folded.ok) return folded;
  const candidates = candidatesIn(folded.value.state, options.tasks ?? null);
  if (!candidates.ok) return candidates;
  const planKeys = candidates.value.map(({ planKey }) => planKey);
  const checks = checksOf(folded.value.state.coordination.contracts, planKeys);
  const opened = await openRepository(place.directory, place);
  if (!opened.ok) return ok(candidates.value.map((candidate) => undecided(candidate, opened.error)));
  await using repository = opened.value;
  const judged: Judged[] = [];
  for (const candidate of candidates.value) {
    if (options.signal?.aborted === true) break;
    judged.push({ candidate, verdict: await verifyCompletion(repository, candidate.work) });
  }
  const standing = await withStaleness(repository, judged);
  const { runChecks } = options;
  return ok(
    runChecks === undefined ? standing : await withChecks({ repository, place, judged, checks, runChecks }, standing),
  );
}

interface Checking {
  readonly repository: Repository;
  readonly place: RepositoryPlace;
  readonly judged: readonly Judged[];
  readonly checks: ReadonlyMap<string, readonly string[]>;
  readonly runChecks: CheckLeave;
}

/** The verdicts after the checks of their plans, each plan's run once; what did not pass disputes all of its tasks. */
async function withChecks(checking: Checking, standing: readonly TaskVerdict[]): Promise<readonly TaskVerdict[]> {
  const outcomes = new Map<string, PlanOutcome>();
  for (const [plan, checks] of checking.checks)
    outcomes.set(plan, await runPlanChecks(checks, checking.repository, checking.place, checking.runChecks));
  return standing.map((verdict, index) => {
    const outcome = outcomes.get(checking.judged[index]?.candidate.planKey ?? "");
    if (outcome === undefined || outcome.checks.length === 0) return verdict;
    const checked = { ...verdict, checks: outcome.checks };
    if (outcome.problems.length === 0) return checked;
    return { ...checked, state: "disputed", problems: inOrder([...verdict.problems, ...outcome.problems]) };
  });
}

function candidatesIn(state: TeamState, named: readonly string[] | null): Result<readonly Candidate[], Problem> {
  const { work, contracts } = state.coordination;
  const tasks: Task[] = [];
  for (const id of named ?? []) {
    const task = findTask(work, id, null);
    if (task === null) return err(unknownTask(id));
    tasks.push(task);
  }
  const scopeOf = (plan: string | null): Scope | null => {
    const terms = plan === null ? undefined : contractOf(contracts, plan)?.terms;
    return terms === undefined ? null : { allowed: terms.allowedPaths, forbidden: terms.forbiddenPaths };
  };
  return ok(
    [...(named === null ? work.tasks.values() : tasks)].flatMap(({ key, task, plan, claim, report }) => {
      if (claim !== null || report?.status !== "complete") return [];
      const { commit, files, claimed, seq } = report;
      const reported = { commit, filesModified: files, scope: scopeOf(plan), claimed };
      return [
        {
          key,
          task,
          planKey: plan,
          plan: plan === null ? null : (work.plans.get(plan)?.plan ?? plan),
          report: seq,
          work: reported,
        },
      ];
    }),
  );
}

/** Verified work is looked at once more, together: what came later may have overtaken it. */
async function withStaleness(repository: Repository, judged: readonly Judged[]): Promise<readonly TaskVerdict[]> {
  const verified = judged.flatMap(({ verdict }) =>
    verdict.state === "verified" && verdict.evidence ? [verdict.evidence] : [],
  );
  const works = verified.map(({ commit, changed }) => ({ commit, files: changed.map(({ path }) => path) }));
  const stale = await staleProblems(repository, works, new Set(works.map(({ commit }) => commit)));
  const byCommit = new Map(works.map(({ commit }, index) => [commit, stale.ok ? (stale.value[index] ?? []) : []]));
  return judged.map(({ candidate, verdict }) => {
    const { task, plan } = candidate;
    const commit = verdict.evidence?.commit ?? null;
    const overtaken = verdict.state === "verified" && commit !== null ? (byCommit.get(commit) ?? []) : [];
    if (overtaken.length > 0) return { task, plan, state: "stale", commit, problems: overtaken };
    // Whether it still stands is not known, so it is not said to.
    if (verdict.state === "verified" && !stale.ok)
      return { task, plan, state: "reported", commit, problems: [stale.error] };
    const state = verdict.state === "undecided" ? "reported" : verdict.state;
    return { task, plan, state, commit, problems: verdict.problems };
  });
}

function undecided({ task, plan }: Candidate, fault: Problem): TaskVerdict {
  return { task, plan, state: "reported", commit: null, problems: [fault] };
}

function unknownTask(id: string): Problem {
  return problem("unknown-task", id, "There is no task of this name, or it is not clear which is meant.", {
    hint: "baton task list shows the tasks.",
  });
}
