/**
 * Reported completions checked against the repository: read from the record, judged outside the write lock, and the
 * verdict recorded under it, where a verdict about an outdated report is dropped. The entry that records a verdict
 * against a report also notifies its author, so this happens once. Rules: docs/protocol/verdicts.md.
 */
import { findingFilesMax } from "../../base/limits.ts";
import type { Problem, ProblemCode } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { Note } from "../../messages/message.ts";
import { ownerName } from "../../messages/principal.ts";
import { plainJson } from "../../perform/content.ts";
import { type Actor, batonActor, type Context } from "../../perform/context.ts";
import { decideWork } from "../../perform/deciders.ts";
import type { TaskVerdict } from "../../perform/operations/reply.ts";
import { type Operation, perform } from "../../perform/perform.ts";
import type { RecordVerdict } from "../../tasks/decide/completions.ts";
import * as completions from "../../tasks/decide/completions.ts";
import { isSummarised } from "../../tasks/state/plan-summary.ts";
import {
  isOfOwnProcess,
  isSameVerdict,
  isUpheld,
  ownProcessNote,
  verdictAbout,
} from "../../tasks/state/report-status.ts";
import { findTask, type Verdict as RecordedVerdict } from "../../tasks/state/task-state.ts";
import { checkRules } from "../decide/contract-checks.ts";
import { unlandedIn } from "../decide/unlanded.ts";
import { openRepository } from "../git/repository.ts";
import type { Whereabouts } from "../state.ts";
import type { RepositoryPlace } from "./gate.ts";
import { judgeAll } from "./judging.ts";
import { foreignNote, namedRepository } from "./own-repository.ts";
import { asFailedBefore, type Judged, type OnCheck, withChecks, withKnownChecks } from "./plan-checks.ts";
import {
  askedBy,
  type Candidate,
  candidatesIn,
  isJudgedWith,
  mayJudge,
  reportedIn,
  wasCreditedSince,
} from "./reported-work.ts";
import { isUnjudged, recordUnjudged, type UndecidedReports } from "./undecided-reports.ts";
import { verdictNotification } from "./verdict-notification.ts";

export interface VerifyOptions {
  /** Only these tasks; absent: all that are reported as complete. */
  readonly tasks?: readonly string[];
  /** Only the reports of these entries, judged as if they were named. */
  readonly reports?: readonly number[];
  /** Only what nobody has judged yet. */
  readonly onlyNew?: boolean;
  /** It is the reporter's own process that looks: a verdict says so, and others look again. */
  readonly isReporters?: boolean;
  /** The checks that may run are run, where the actor may judge; absent: they wait. */
  readonly checks?: { readonly onCheck?: OnCheck };
  /**
   * Asks the remote for commits that are not here or on no branch; false: nothing came. `isNew`: of a report without a
   * verdict. Absent: only this clone counts.
   */
  fetch?(isNew: boolean): Promise<boolean>;
  /** What the caller remembers of reports that could not be judged; absent: all are judged. */
  readonly undecided?: UndecidedReports;
  readonly signal?: AbortSignal;
}

/**
 * The verdict on each reported completion, in the order of the tasks; what is new is recorded, where the actor may judge.
 * Work that was verified before is only looked at for what came later, unless it is named. Refuses `unknown-task` and what
 * the journal refuses; what the repository refuses is a problem of every task, which stays reported.
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
  const chosen = chosenOf(candidates.value, options);
  const rules = checkRules(state.coordination.contracts, state.team.definition?.checks);
  const reported = reportedIn(state);
  const unlanded = unlandedIn(state.coordination.work);
  const main = state.team.definition?.main ?? null;
  const asOf = folded.value.head.seq;
  const isJudge = mayJudge(actor, state);
  const named = namedRepository(context, state);
  if (chosen.length === 0) return ok([]);
  const opened = await openRepository(place.directory, place);
  if (!opened.ok) return ok(chosen.map((candidate) => unseen(candidate, opened.error)));
  await using repository = opened.value;
  const foreign = await foreignNote(context, named, repository);
  const mayRecord = isJudge && foreign === null;
  const { checks, undecided } = options;
  const due = await undecided?.due(repository, candidates.value, reported);
  const { signal } = options;
  const { isReporters = false } = options;
  const looksAgain = !isReporters && (actor === batonActor || actor.agent === ownerName);
  const order = { main, unlanded, looksAgain, isOnlyClone: context.journal.abilities.reach !== "network", signal };
  const found = await judgeAll(repository, chosenOf(candidates.value, options, due), reported, order);
  const missing = found.filter(({ verdict: { problems } }) => problems.some(({ code }) => remoteCodes.includes(code)));
  const isNew = missing.some(({ candidate: { before } }) => before === null);
  if (missing.length > 0 && options.fetch !== undefined && (await options.fetch(isNew))) {
    const { fetch: _, ...rest } = options;
    return await verify(context, actor, place, rest);
  }
  const checking = { repository, place, judged: found, rules, signal, onCheck: checks?.onCheck };
  const known = await withKnownChecks(checking, checks !== undefined && options.tasks !== undefined);
  const checked = checks !== undefined && mayRecord ? await withChecks({ ...checking, judged: known }) : known;
  const judged = checked.map(asFailedBefore);
  const lost = mayRecord
    ? await recordVerdicts(context, actor, judged, { asOf, repository: named, isReporters })
    : null;
  if (lost !== null) return err(lost);
  // Who looks again and again records what it could not judge once that is certain, others at once.
  const unjudged = undecided === undefined ? judged.filter(isUnjudged) : undecided.keep(judged);
  for (const each of unjudged) if (mayRecord) await recordUnjudged(context, each);
  const ends = await withEnds(context, judged, foreign === null ? [] : [foreign]);
  const reports = mayRecord ? await upheldAmong(context, judged) : [];
  if (!ends.ok || reports.length === 0) return ends;
  // A further report that does not hold may have taken the work back: where that is now is looked at once more.
  const again = await verify(context, actor, place, {
    reports,
    isReporters,
    ...(signal === undefined ? {} : { signal }),
  });
  const gone = again.ok ? again.value.filter(({ state }) => state === "gone") : [];
  return ok(ends.value.map((each) => gone.find(({ task, plan }) => task === each.task && plan === each.plan) ?? each));
}

/** Problems that may only say that the branch is still at the remote alone. */
const remoteCodes: readonly ProblemCode[] = ["commit-missing", "commit-unreachable"];

/** Reports that do not hold, while what was verified before stays so. */
async function upheldAmong(context: Context, judged: readonly Judged[]): Promise<readonly number[]> {
  const folded = await context.journal.state(context.team);
  if (!folded.ok) return [];
  const { tasks } = folded.value.state.coordination.work;
  return judged.flatMap(({ candidate: { key, report }, verdict: { state } }) => {
    const standing = tasks.get(key)?.verdict;
    const isUpheldNow = standing?.state === "verified" && standing.report === report && isUpheld(standing.notes ?? []);
    return state === "disputed" && isUpheldNow ? [report] : [];
  });
}

/** The verdicts as the board then names them: what is verified and of a plan that is summed up is complete. */
async function withEnds(
  context: Context,
  judged: readonly Judged[],
  more: readonly Note[],
): Promise<Result<readonly TaskVerdict[], Problem>> {
  const folded = await context.journal.state(context.team);
  if (!folded.ok) return folded;
  const { work } = folded.value.state.coordination;
  return ok(
    judged.map(({ candidate: { key, planKey, report }, verdict: found, place }) => {
      const placed = place === undefined ? found : placeOf(place, found);
      const standing = work.tasks.get(key)?.verdict;
      const upheld = found.state === "disputed" && standing?.report === report ? (standing.notes ?? []) : [];
      const further = upheld.filter(({ code }) => code === "further-report");
      const verdict = { ...placed, notes: [...placed.notes, ...further, ...more] };
      const isVerified = verdict.state === "verified" && standing?.state === "verified";
      const plan = planKey === null ? undefined : work.plans.get(planKey);
      return isVerified && isSummarised(work, plan) ? { ...verdict, state: "complete" } : verdict;
    }),
  );
}

function placeOf({ at, branch, since, isChanged, notes = [] }: Whereabouts, found: TaskVerdict): TaskVerdict {
  return { ...found, notes: [...found.notes, ...notes], place: { at, branch, since, isChanged } };
}

/** What is asked for; and what is not verified and names a commit of it, because together they may be good. */
function chosenOf(
  candidates: readonly Candidate[],
  { onlyNew = false, reports }: VerifyOptions,
  due = candidates,
): readonly Candidate[] {
  const asked = due.filter(
    ({ before, report }) =>
      (!onlyNew || before === null || isOfOwnProcess(before)) && (reports?.includes(report) ?? true),
  );
  if (asked.length === candidates.length) return candidates;
  return candidates.filter((candidate) => asked.includes(candidate) || isJudgedWith(candidate, asked));
}

/** How verdicts are recorded. */
interface Recording {
  /** Seq at which the work was looked at. */
  readonly asOf: number;
  /** The repository that the owner named; null: that in which the journal lies. */
  readonly repository: string | null;
  readonly isReporters?: boolean;
  /** The id of the entry about a task, if the caller must know it before; absent: a new one each. */
  idOf?(task: string): string;
}

/**
 * Records what differs from the current state; a verdict whose report is no longer the last word is dropped by the
 * decider. Answers why a verdict could not be recorded; null: all are.
 */
export async function recordVerdicts(
  context: Context,
  actor: Actor,
  judged: readonly Judged[],
  { asOf, repository, isReporters = false, idOf }: Recording,
): Promise<Problem | null> {
  const together = new Set(judged.map(({ candidate }) => candidate.key));
  for (const { candidate, files, verdict, work, grown, place } of judged) {
    const { state, commit, commits, problems, checks } = verdict;
    if (state === "reported" || state === "complete") continue;
    const isOwn = isReporters && state === "verified" && work !== undefined;
    const notes = isOwn ? [...verdict.notes, ownProcessNote] : verdict.notes;
    if (candidate.isReworked === true && place?.at !== "landed") continue;
    const paths = files !== null && files.length > findingFilesMax ? null : files;
    const several = commits.length < 2 ? {} : { commits };
    const told = { state, commit, ...several, files: paths };
    const found = {
      ...told,
      problems,
      ...(notes.length === 0 ? {} : { notes }),
      ...(work === undefined ? {} : { work }),
      ...(grown === undefined ? {} : { grown }),
      ...(place === undefined ? {} : { place }),
      ...(checks === undefined ? {} : { checks }),
      ...(candidate.before?.settledBy === undefined ? {} : { settledBy: candidate.before.settledBy }),
    };
    const known = await verdictNow(context, candidate);
    const isNew = (work !== undefined && known?.work === undefined) || grown !== undefined;
    if (known !== null && isSameVerdict(known, found) && !isNew) continue;
    const judgement = { candidate, verdict, found, asOf, together, repository, ...askedBy(actor) };
    const done = await perform({ context, actor: batonActor }, recordVerdict, judgement, idOf?.(candidate.key));
    if (done.outcome === "failed") return done.problem;
  }
  return null;
}

interface Judgement extends Pick<Recording, "asOf" | "repository"> {
  readonly candidate: Candidate;
  readonly verdict: TaskVerdict;
  /** The verdict as it is recorded. */
  readonly found: Omit<RecordVerdict, "command" | "taskId" | "planId" | "report" | "seq">;
  /** The keys of the tasks that are judged together. */
  readonly together: ReadonlySet<string>;
  readonly askedBy?: string;
}

export const recordVerdict: Operation<Judgement> = {
  name: "record-verdict",
  // The work is in the event of the same entry.
  recorded({ candidate: { task, report }, found, verdict, repository, askedBy: by }) {
    const { problems, notes, work: _, grown: __, place, ...told } = found;
    return {
      task,
      report,
      askedBy: by,
      repository: repository ?? undefined,
      ...told,
      problems: problems.map(plainJson),
      notes: notes?.map(plainJson),
      place: place === undefined ? undefined : plainJson(place),
      checks: (verdict.checks ?? []).map(plainJson),
    };
  },
  decide(state, { candidate, verdict, found, asOf, together }, { seq }, { context }) {
    const { coordination } = state;
    const isFirst = verdict.state === "verified" && candidate.before === null;
    if (isFirst && wasCreditedSince(coordination.work, verdict.commits, { asOf, together })) {
      const message = "Another task was credited with the commit meanwhile; the work is judged again.";
      return ok({ events: [], notes: [{ code: "verdict-outdated", path: "$.body.report", message }] });
    }
    const { key: taskId, planKey: planId, report } = candidate;
    const decided = decideWork(coordination, completions.recordVerdict, {
      taskId,
      planId,
      report,
      ...found,
      asOf,
      seq,
    });
    const judged = findTask(coordination.work, taskId, planId);
    if (!decided.ok || judged === null) return decided;
    return ok({ ...decided.value, delivered: verdictNotification(context, state, judged, decided.value.events) });
  },
};

/** The report's current verdict: others may have judged it meanwhile, and a repeat needs no entry. */
async function verdictNow(context: Context, { key, report, before }: Candidate): Promise<RecordedVerdict | null> {
  const folded = await context.journal.state(context.team);
  const task = folded.ok ? folded.value.state.coordination.work.tasks.get(key) : undefined;
  return task?.report?.seq === report ? verdictAbout(task) : before;
}

function unseen({ task, plan }: Candidate, problem: Problem): TaskVerdict {
  return { task, plan, state: "reported", commit: null, commits: [], problems: [problem], notes: [] };
}
