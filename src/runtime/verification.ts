/**
 * Reported completions held against the repository: read from the record, judged outside the write lock, and the verdict
 * recorded under it, where one about a report that is no longer the last word on its task is dropped. Who reported learns
 * of a verdict against it from the very entry that records it, so once.
 * Source: semantics.md section 3 (Completion).
 */
import { argument } from "../base/argument.ts";
import type { JsonObject } from "../base/json.ts";
import { inOrder, type Problem, problem } from "../base/problem.ts";
import { err, ok, type Result } from "../base/result.ts";
import { decideWork } from "../coordination/deciders.ts";
import { isSummarised } from "../coordination/plan-summary.ts";
import { scopeOfPlan } from "../coordination/work-rules.ts";
import { findTask, type Verdict as RecordedVerdict, type Task } from "../coordination/work-state.ts";
import { openRepository, type Repository } from "../evidence/repository.ts";
import { staleProblems } from "../evidence/staleness.ts";
import { type ReportedWork, verifyCompletion } from "../evidence/verdict.ts";
import { act, type Command } from "./command.ts";
import { type Actor, batonActor, type Context } from "./context.ts";
import type { RepositoryPlace } from "./gate.ts";
import { askedBy, mayJudge } from "./judges.ts";
import { type CheckLeave, type CheckRecord, checksOf, type PlanOutcome, runPlanChecks } from "./plan-checks.ts";
import type { TeamState } from "./state.ts";
import { toldOfVerdict } from "./verdict-word.ts";

/** How a reported task may stand. `reported`: nothing can be said. `complete`: verified, and its plan is summed up. */
export const verdictStates = ["reported", "verified", "disputed", "stale", "complete"] as const;

/** A task as the repository shows it; the problems say why. */
export interface TaskVerdict {
  readonly task: string;
  readonly plan: string | null;
  readonly state: (typeof verdictStates)[number];
  /** The full id of the commit; null: it was not found. */
  readonly commit: string | null;
  readonly problems: readonly Problem[];
  /** The checks of its plan that were run; absent: none were. */
  readonly checks?: readonly CheckRecord[];
}

export interface VerifyOptions {
  /** Only these tasks; absent: all that are reported as complete. */
  readonly tasks?: readonly string[];
  /** Only the reports of these entries, judged as if they were named. */
  readonly reports?: readonly number[];
  /** Only what nobody has judged yet. */
  readonly onlyNew?: boolean;
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
  /** What was found before; null: nothing yet. */
  readonly before: RecordedVerdict | null;
}

/** A candidate with what was found, and the paths that its commit changed; null: they are not known. */
interface Judged {
  readonly candidate: Candidate;
  readonly files: readonly string[] | null;
  readonly verdict: TaskVerdict;
}

/** Most paths of a commit that are recorded with its verdict; beyond that they are asked for again. */
const recordedFilesMax = 2_000;

/**
 * The verdict on each reported completion, in the order of the tasks; what is new is recorded, where the actor may judge.
 * Work that was verified before is only looked at for what came later, unless it is named. Refuses `unknown-task`, and
 * `sender-not-authorised` where a token that proves nobody who may judge asks for checks to be run; what the repository
 * refuses is a problem of every task, which stays reported.
 */
export async function verify(
  context: Context,
  actor: Actor,
  place: RepositoryPlace,
  options: VerifyOptions = {},
): Promise<Result<readonly TaskVerdict[], Problem>> {
  const folded = await context.journal.state(context.team);
  if (!folded.ok) return folded;
  // Whatever is read of the state is read before anything waits: it is folded in place.
  const { state } = folded.value;
  const candidates = candidatesIn(state, options.tasks ?? null);
  if (!candidates.ok) return candidates;
  const { reports } = options;
  const chosen = candidates.value.filter(
    ({ before, report }) => (options.onlyNew !== true || before === null) && (reports?.includes(report) ?? true),
  );
  const isNamed = options.tasks !== undefined || reports !== undefined;
  const planKeys = chosen.map(({ planKey }) => planKey);
  const checks = checksOf(state.coordination.contracts, planKeys);
  const accepted = acceptedCommits(state);
  const mayRecord = mayJudge(actor, state);
  if (options.runChecks !== undefined && actor.via === "token" && !mayRecord) return err(mayNotRun(actor.agent));
  if (chosen.length === 0) return ok([]);
  const opened = await openRepository(place.directory, place);
  if (!opened.ok) return ok(chosen.map((candidate) => unseen(candidate, opened.error)));
  await using repository = opened.value;
  const found: Judged[] = [];
  for (const candidate of chosen) {
    if (options.signal?.aborted === true) break;
    found.push(await judge(repository, candidate, isNamed));
  }
  const { runChecks } = options;
  let judged = await withStaleness(repository, found, accepted);
  if (runChecks !== undefined) judged = await withChecks({ repository, place, judged, checks, runChecks });
  if (mayRecord) await recordAll(context, actor, judged);
  return await withEnds(context, judged);
}

/** The verdicts as the board then names them: what is verified and of a plan that is summed up is complete. */
async function withEnds(context: Context, judged: readonly Judged[]): Promise<Result<readonly TaskVerdict[], Problem>> {
  const folded = await context.journal.state(context.team);
  if (!folded.ok) return folded;
  const { work } = folded.value.state.coordination;
  return ok(
    judged.map(({ candidate: { key, planKey }, verdict }) => {
      const isVerified = verdict.state === "verified" && work.tasks.get(key)?.verdict?.state === "verified";
      const plan = planKey === null ? undefined : work.plans.get(planKey);
      return isVerified && isSummarised(work, plan) ? { ...verdict, state: "complete" } : verdict;
    }),
  );
}

async function judge(repository: Repository, candidate: Candidate, isNamed: boolean): Promise<Judged> {
  const { task, plan, before } = candidate;
  if (!isNamed && before?.state === "verified" && before.commit !== null && before.files !== null) {
    const { commit, files } = before;
    return { candidate, files, verdict: { task, plan, state: "verified", commit, problems: [] } };
  }
  const { state, problems, evidence } = await verifyCompletion(repository, candidate.work);
  const files = evidence?.changed.map(({ path }) => path) ?? null;
  const shown = state === "undecided" ? "reported" : state;
  return { candidate, files, verdict: { task, plan, state: shown, commit: evidence?.commit ?? null, problems } };
}

interface Checking {
  readonly repository: Repository;
  readonly place: RepositoryPlace;
  readonly judged: readonly Judged[];
  readonly checks: ReadonlyMap<string, readonly string[]>;
  readonly runChecks: CheckLeave;
}

/** The verdicts after the checks of their plans, each plan's run once; what did not pass disputes all of its tasks. */
async function withChecks(checking: Checking): Promise<readonly Judged[]> {
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

function candidatesIn(state: TeamState, named: readonly string[] | null): Result<readonly Candidate[], Problem> {
  const { work, contracts } = state.coordination;
  const tasks: Task[] = [];
  for (const id of named ?? []) {
    const task = findTask(work, id, null);
    if (task === null) return err(unknownTask(id));
    tasks.push(task);
  }
  const candidateOf = ({ key, task, plan, claim, report, verdict }: Task): readonly Candidate[] => {
    if (claim !== null || report?.status !== "complete") return [];
    const { commit, files, claimed, seq } = report;
    const reported = { commit, filesModified: files, scope: scopeOfPlan(contracts, plan), claimed };
    const planName = plan === null ? null : (work.plans.get(plan)?.plan ?? plan);
    return [{ key, task, plan: planName, planKey: plan, report: seq, work: reported, before: verdict }];
  };
  return ok([...(named === null ? work.tasks.values() : tasks)].flatMap(candidateOf));
}

/** The commits of everything that stands as verified. */
function acceptedCommits(state: TeamState): ReadonlySet<string> {
  const commits = new Set<string>();
  for (const { verdict } of state.coordination.work.tasks.values())
    if (verdict?.state === "verified" && verdict.commit !== null) commits.add(verdict.commit);
  return commits;
}

/** Verified work is looked at once more, together: what came later may have overtaken it. */
async function withStaleness(
  repository: Repository,
  judged: readonly Judged[],
  accepted: ReadonlySet<string>,
): Promise<readonly Judged[]> {
  const works = judged.flatMap(({ files, verdict: { state, commit } }) =>
    state === "verified" && commit !== null && files !== null ? [{ commit, files }] : [],
  );
  if (works.length === 0) return judged;
  const named = new Set([...accepted, ...works.map(({ commit }) => commit)]);
  const stale = await staleProblems(repository, works, named);
  const byCommit = new Map(works.map(({ commit }, index) => [commit, stale.ok ? (stale.value[index] ?? []) : []]));
  return judged.map((each) => {
    const { state, commit } = each.verdict;
    if (state !== "verified" || commit === null) return each;
    // Whether it still stands is not known, so it is not said to.
    if (!stale.ok) return { ...each, verdict: { ...each.verdict, state: "reported", problems: [stale.error] } };
    const overtaken = byCommit.get(commit) ?? [];
    if (overtaken.length === 0) return each;
    return { ...each, verdict: { ...each.verdict, state: "stale", problems: overtaken } };
  });
}

/** Records what differs from what stands; a verdict whose report is no longer the last word is dropped by the decider. */
async function recordAll(context: Context, actor: Actor, judged: readonly Judged[]): Promise<void> {
  for (const { candidate, files, verdict } of judged) {
    const { state, commit, problems, checks = [] } = verdict;
    if (state === "reported" || state === "complete") continue;
    const paths = files !== null && files.length > recordedFilesMax ? null : files;
    const found = { state, commit, files: paths, problems };
    const standing = await standingVerdict(context, candidate);
    if (standing !== null && saysTheSame(standing, found) && checks.length === 0) continue;
    const { key: taskId, planKey: planId, report } = candidate;
    const command: Command = {
      name: "record-verdict",
      asked: {
        task: candidate.task,
        report,
        ...askedBy(actor),
        ...found,
        problems: problems.map(plain),
        checks: checks.map(plain),
      },
      decide(state, { seq }) {
        const { coordination } = state;
        const decided = decideWork(coordination, {
          command: "record-verdict",
          taskId,
          planId,
          report,
          ...found,
          seq,
        });
        const judged = findTask(coordination.work, taskId, planId);
        if (!decided.ok || judged === null) return decided;
        const delivered = toldOfVerdict(context, state, judged, decided.value.events);
        return delivered === null ? decided : ok({ ...decided.value, delivered });
      },
    };
    await act(context, batonActor, command, undefined);
  }
}

/** What stands of the report by now: others may have judged it meanwhile, and no entry is needed to say it again. */
async function standingVerdict(context: Context, { key, report, before }: Candidate): Promise<RecordedVerdict | null> {
  const folded = await context.journal.state(context.team);
  const task = folded.ok ? folded.value.state.coordination.work.tasks.get(key) : undefined;
  return task?.report?.seq === report ? task.verdict : before;
}

/** A record of plain values as JSON. */
function plain(record: Problem | CheckRecord): JsonObject {
  return Object.fromEntries(Object.entries(record));
}

function saysTheSame(
  before: RecordedVerdict,
  { state, commit, files, problems }: Omit<RecordedVerdict, "seq">,
): boolean {
  const words = [state, commit, files, problems];
  return JSON.stringify([before.state, before.commit, before.files, before.problems]) === JSON.stringify(words);
}

function unseen({ task, plan }: Candidate, fault: Problem): TaskVerdict {
  return { task, plan, state: "reported", commit: null, problems: [fault] };
}

function mayNotRun(agent: string): Problem {
  return problem("sender-not-authorised", agent, `${agent} may not have shell commands run here.`, {
    expected: "the owner, a lead, an architect or a qa",
    received: agent,
    hint: `Ask without \`${argument("runChecks")}\`, or ask one who answers for the work.`,
  });
}

function unknownTask(id: string): Problem {
  return problem("unknown-task", id, "There is no task of this name, or it is not clear which is meant.", {
    hint: "`baton task list` shows the tasks.",
  });
}
