/**
 * The state of a task, as its developer says: done, or not yet. Done is reported here and proven elsewhere; a verdict
 * of the repository is about one report and counts only while that report is the last one about the task. Source:
 * docs/protocol/tasks.md; docs/protocol/verdicts.md.
 */

import type { Mutable } from "../../base/invariant.ts";
import type { Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { shownMax } from "../../base/text.ts";
import type { TakenWork, Whereabouts } from "../../evidence/state.ts";
import type { Note } from "../../messages/message.ts";
import type { Decided } from "../../perform/decider.ts";
import type { ClaimGrown, FilesFreed } from "../state/claim-events.ts";
import { summaryAfter } from "../state/plan-summary.ts";
import {
  commitsOf,
  isGone,
  isOfOwnProcess,
  isRefuted,
  isReported,
  isReturned,
  isReverted,
  isSameVerdict,
  refutedReporter,
  verdictAfter,
} from "../state/report-status.ts";
import type { FindingRecorded, PlanSummarised, TaskJudged, TaskReported, VerdictOpened } from "../state/task-events.ts";
import {
  type CheckRecord,
  type Finding,
  findTask,
  fullName,
  isBatons,
  type Report,
  type Task,
  type Verdict,
  type Work,
} from "../state/task-state.ts";
import { isBlocked } from "../view/dependencies.ts";
import { grown, holderProblem, meeting, overlap, unknownTask } from "./claims.ts";
import { editsMeeting, freeReported, heldByEdit } from "./edit-claims.ts";
import { alreadyDone, overProblem } from "./tasks.ts";

/** What is said about a task. */
export interface ReportTask {
  readonly taskId: string;
  readonly planId: string | null;
  readonly by: string;
  /** The fencing token of the claim; null: none travelled, and the live session counts. */
  readonly token: number | null;
  readonly status: Report["status"];
  readonly commit: string;
  /** All of several, in their order; absent: `commit` is all. */
  readonly commits?: readonly string[];
  /** The work was finished before the task was recorded. */
  readonly finishedBefore?: true;
  readonly files: readonly string[] | null;
  readonly deviations: readonly string[];
  readonly evidence: string | null;
  /** False: it only informs, for any status; a separate completion will follow. */
  readonly completes: boolean;
  /** A repository is at hand: the task is done once the report is verified. Absent: once it is reported. */
  readonly awaitsVerdict?: boolean;
  /** Files of a claim that its holder did not name are a forecast; absent: a bound. */
  readonly isAdvisory?: boolean;
  /** A review asks for changes in the task's plan, so who was told to make them may report them. Absent: none does. */
  readonly answersReview?: boolean;
  /** `message`: what is out of step is noted. `command`: it is refused, because nothing would come of it. */
  readonly way: "message" | "command";
  readonly seq: number;
}

/** What the repository says about a report. */
export interface RecordVerdict {
  readonly taskId: string;
  readonly planId: string | null;
  /** Seq of the report that was looked at. */
  readonly report: number;
  readonly state: Verdict["state"];
  /** The full id of the commit; null: there is none. */
  readonly commit: string | null;
  /** All of a report that names several; absent: `commit` is all. */
  readonly commits?: readonly string[];
  /** Paths that the commits changed; null: they are not known. */
  readonly files: readonly string[] | null;
  readonly problems: readonly Problem[];
  /** What disputes nothing; absent: there is nothing. */
  readonly notes?: readonly Note[];
  readonly work?: TakenWork;
  readonly grown?: TakenWork;
  readonly place?: Whereabouts;
  readonly checks?: readonly CheckRecord[];
  readonly settledBy?: string;
  /** Seq at which the work was looked at; absent: now. */
  readonly asOf?: number;
  readonly seq: number;
}

type Reported = TaskReported | ClaimGrown | FilesFreed | PlanSummarised;
type Outcome<Event> = Result<Decided<Event>, readonly Problem[]>;

/**
 * Refuses a completion by another than the holder (`not-holder`, `fenced-claim`), and files that another holds when they
 * are named on the way (`claim-overlap`). By command also `unknown-task`, `task-done`, and whatever a message is only
 * out of step for.
 */
export function reportTask(command: ReportTask, work: Work): Outcome<Reported> {
  const task = findTask(work, command.taskId, command.planId);
  if (task === null) return ofUnknown(command, work);
  const problem = holderProblem(task, command);
  if (isReported(task)) return ofReported(command, work, task, problem);
  const ended = overProblem(task);
  if (ended !== null) return outOfStep(command, ended);
  const isComplete = command.status === "complete" && command.completes;
  if (problem !== null) return isComplete ? err([problem]) : outOfStep(command, problem);
  const growth = growthOf(command, work, task);
  if (growth.met !== null && !isComplete) return err([growth.met]);
  const notes = [
    ...(growth.met === null ? [] : [asNote(growth.met)]),
    ...(isComplete && task.claim === null && isBlocked(work, task) ? [earlyNote(task)] : []),
  ];
  const { claim } = task;
  const grows = claim !== null && growth.files.length > 0 ? [grown(task, claim.holder, growth.files, command.seq)] : [];
  // A report that only informs leaves the word on the task to the one that follows.
  if (!command.completes) return ok({ events: grows, notes });
  const reported = reportOf(command, task, growth.files);
  // What was refuted or did not land is looked at again when it is repeated: a branch or the claim may be another one now.
  const isRepeat = saysTheSame(task.report, reported) && !(isComplete && isOpenAgain(task));
  if (isRepeat) return ok({ events: grows, notes: [...notes, unchanged(task)] });
  const over = isComplete ? freeReported(work, task, command.by, command.files) : grows;
  return ok({ events: [...over, ...reporting(work, task, reported)], notes });
}

function isOpenAgain(task: Task): boolean {
  return isRefuted(task) || isReturned(task) || isReverted(task);
}

/**
 * Never refused: a verdict about what is no longer the last word comes too late, which is noted. What was verified and is
 * there stays verified, and what is gone stays gone, whatever is found wrong with a further report.
 */
export function recordVerdict(command: RecordVerdict, work: Work): Outcome<TaskJudged | PlanSummarised> {
  const task = findTask(work, command.taskId, command.planId);
  if (task === null) return err([unknownTask(work, command.taskId, command.planId)]);
  const late = lateNote(task, command.report);
  if (late !== null) return ok({ events: [], notes: [late] });
  const { verdict } = task;
  if (isLateDispute(command, verdict)) return ok({ events: [], notes: [notAccused(task)] });
  if (isCheckOpen(command, verdict)) return ok({ events: [], notes: [failedMeanwhile(task)] });
  if (sawBeforeLanding(command, task)) return ok({ events: [], notes: [landedMeanwhile(task)] });
  const { taskId: _, planId: __, asOf: ___, report, state, ...found } = upheld(command, task);
  const isKnown = verdict !== null && verdict.report === report && isSameVerdict(verdict, { state, ...found });
  const isTaken = found.work !== undefined && verdict?.work === undefined;
  if (isKnown && !isTaken && isSameWork(found.grown ?? verdict.grown, verdict.grown)) {
    const message = `${task.task} was found ${state} before, at entry ${verdict.seq}.`;
    return ok({ events: [], notes: [{ code: "already-so", path: "$.body.taskId", message }] });
  }
  const judged: TaskJudged = { event: `task-${state}`, key: task.key, task: task.task, report, ...found };
  const after: Task = { ...task, verdict: { state, report, ...found } };
  return ok({ events: [judged, ...summaryAfter(work, after, command.seq)], notes: [] });
}

function isSameWork(one: TakenWork | undefined, other: TakenWork | undefined): boolean {
  const said = (work: TakenWork | undefined) => JSON.stringify(work?.files.map(({ content }) => content) ?? null);
  return said(one) === said(other);
}

/** Whether a report is to be disputed that is verified already, by another than a check that was run on it or a person. */
function isLateDispute({ state, report, problems, settledBy }: RecordVerdict, verdict: Verdict | null): boolean {
  const isVerified = verdict !== null && verdict.state !== "disputed" && verdict.report === report;
  const isChecked = problems.some(({ code }) => code === "check-failed");
  return state === "disputed" && isVerified && !isChecked && settledBy === undefined && !isOfOwnProcess(verdict);
}

/** Whether a check of the report failed and has not passed since: who looked before that, or without it, knows no better. */
function isCheckOpen({ state, report, checks = [], settledBy }: RecordVerdict, verdict: Verdict | null): boolean {
  if (state !== "verified" || verdict?.state !== "disputed" || verdict.report !== report) return false;
  if ((settledBy ?? verdict.settledBy) !== undefined) return false;
  const passed = new Set(checks.flatMap(({ check, exitCode }) => (exitCode === 0 ? [check] : [])));
  return verdict.checks?.some(({ check, exitCode }) => exitCode !== 0 && !passed.has(check)) ?? false;
}

function failedMeanwhile({ task, verdict }: Task): Note {
  const message = `A check of ${task} failed, at entry ${verdict?.seq ?? 0}; until it passes, the report is disputed.`;
  return { code: "verdict-outdated", path: "$.body.report", message };
}

/** Whether who looked found the work where it was before: Baton landed it since, or a later look found it further on. */
function sawBeforeLanding({ place, report, asOf, seq }: RecordVerdict, { landed, verdict }: Task): boolean {
  const isOnBranch = place?.at === "branch";
  if (isOnBranch && landed?.report === report && landed.seq > (asOf ?? seq)) return true;
  const known = verdict?.report === report && verdict.seq > (asOf ?? seq) ? verdict.place : undefined;
  if (known?.at !== "landed") return false;
  return isOnBranch || (place?.at === "landed" && isBatons(place.branch ?? "") && !isBatons(known.branch ?? ""));
}

function landedMeanwhile({ task, landed, verdict }: Task): Note {
  const at = Math.max(landed?.seq ?? 0, verdict?.seq ?? 0);
  const message = `${task} has landed since the look began, at entry ${at}; it is looked at again.`;
  return { code: "verdict-outdated", path: "$.body.report", message };
}

function notAccused({ task, verdict }: Task): Note {
  const message = `${task} was verified at entry ${verdict?.seq ?? 0}; a report that was confirmed is not disputed later.`;
  return { code: "verdict-outdated", path: "$.body.report", message };
}

/** What is recorded of a further report that the repository contradicts: what is verified or gone already, with a note. */
function upheld(command: RecordVerdict, { verdict }: Task): RecordVerdict {
  if (verdict === null || verdict.state === "disputed" || verdict.report === command.report) return command;
  if (command.state !== "disputed") return command;
  const { state, commit, commits, files, problems, settledBy } = verdict;
  const [first] = command.problems;
  const message = `A further report (entry ${command.report}) does not hold${first === undefined ? "" : `: ${first.message}`} What was ${state} before stays so.`;
  const kept = (verdict.notes ?? []).filter(({ code }) => code !== "further-report");
  const notes = [...kept, { code: "further-report", path: "$.body.report", message }];
  const { work: _, grown: __, place: ___, ...rest } = command;
  const more = { ...(commits === undefined ? {} : { commits }), ...(settledBy === undefined ? {} : { settledBy }) };
  return { ...rest, state, commit, ...more, files, problems, notes };
}

/** Why what is found about this report changes nothing any more; null: it is the last word on its task. */
export function lateNote(task: Task, report: number): Note | null {
  const late = (message: string): Note => ({ code: "verdict-outdated", path: "$.body.report", message });
  if (task.report?.seq !== report || task.report.status !== "complete")
    return late(`Report ${report} is no longer the last word on ${task.task}; the verdict comes too late.`);
  return task.claim === null || isReturned(task)
    ? null
    : late(`${task.claim.holder} has claimed ${task.task} since; the verdict comes too late.`);
}

function reporting(work: Work, task: Task, report: Report): readonly Reported[] {
  const event: TaskReported = { event: "task-reported", key: task.key, task: task.task, plan: task.plan, ...report };
  return [event, ...summaryAfter(work, { ...task, report, verdict: verdictAfter(task, report) }, report.seq)];
}

function ofUnknown(command: ReportTask, work: Work): Outcome<never> {
  const problem = unknownTask(work, command.taskId, command.planId);
  if (command.way === "command") return err([problem]);
  // Where there is no list of tasks, progress misses nothing from it; but who is done believes that it was recorded.
  const isDoneSaid = command.status === "complete" && command.completes;
  return ok({ events: [], notes: isDoneSaid ? [untracked(problem)] : work.tasks.size > 0 ? [asNote(problem)] : [] });
}

/** Nobody holds an unlisted task to git, so its completion is passed on and counts for nothing else. */
function untracked({ code, path, message }: Problem): Note {
  return { code, path, message: `${message} The report is passed on, and neither verified nor summed up.` };
}

/** The word of the same agent stands for its last one, also that the work failed after all; others come too late. */
function ofReported(command: ReportTask, work: Work, task: Task, problem: Problem | null): Outcome<Reported> {
  if (problem?.code === "fenced-claim" && command.status !== "partial")
    return command.status === "complete" ? err([problem]) : outOfStep(command, problem);
  const isFix = command.answersReview === true && command.status === "complete";
  const isTheirs = task.report?.reporter === command.by || isFix;
  if (task.report === null || !isTheirs || command.status === "partial") return outOfStep(command, tooLate(task));
  if (command.status === "failed")
    return isGone(task) ? outOfStep(command, goneProblem(task)) : withdrawn(command, work, task);
  if (!command.completes) return ok({ events: [], notes: [] });
  const { claimed, isForecast } = task.report;
  const forecast = isForecast === undefined ? {} : { isForecast };
  const { isForecast: _, ...said } = reportOf(command, task, []);
  const reported = { ...said, claimed, ...forecast };
  if (saysTheSame(task.report, reported)) return ok({ events: [], notes: [unchanged(task)] });
  return ok({ events: reporting(work, task, reported), notes: [] });
}

/** The completion no longer counts, nor does a verdict on it: the task is free again, for its reporter too. */
function withdrawn(command: ReportTask, work: Work, task: Task): Outcome<Reported> {
  const { report } = task;
  const message = `This takes back the report of ${task.task} at entry ${report?.seq ?? 0}: it no longer counts as done, and the task is free again.`;
  const reported = { ...reportOf(command, task, []), claimed: report?.claimed ?? null };
  const withdrawing = report === null ? reported : { ...reported, withdraws: report.seq };
  return ok({
    events: reporting(work, task, withdrawing),
    notes: [{ code: "report-withdrawn", path: "$.body.taskId", message }],
  });
}

function tooLate(task: Task): Problem {
  const reporter = task.report?.reporter ?? "its reporter";
  const hint = `Take another one; \`baton task list --available\` lists them. If the work is wrong, ${reporter} takes the report back with status "failed".`;
  return { ...alreadyDone(task), hint };
}

/** Lost work is not freed by its own reporter. */
function goneProblem(task: Task): Problem {
  const hint = `A lead or the owner decides: \`baton task reopen ${fullName(task)}\` has it done again.`;
  return { ...alreadyDone(task), hint };
}

function outOfStep(command: ReportTask, problem: Problem): Outcome<never> {
  return command.way === "command" ? err([problem]) : ok({ events: [], notes: [asNote(problem)] });
}

/** Files by which a claim grows that named none, and the refusal of those that another holds; null: there are none. */
function growthOf(
  command: ReportTask,
  work: Work,
  task: Task,
): { readonly files: readonly string[]; readonly met: Problem | null } {
  const { claim } = task;
  if (command.files === null || command.files.length === 0 || claim?.grows === false) return { files: [], met: null };
  const files = [...new Set(command.files)];
  const edited = editsMeeting(work, files, command.by, shownMax);
  const claimed = meeting(work, files, command.by);
  const isNew = (file: string) => claim?.files.includes(file) !== true;
  if (edited.length === 0 && claimed.length === 0) return { files: files.filter(isNew), met: null };
  const isHeld = (file: string) =>
    meeting(work, [file], command.by).length > 0 || edited.some((edit) => edit.file === file);
  const [edit] = edited;
  const place = "$.body.filesModified";
  const met = claimed.length > 0 ? overlap(work, claimed, place) : edit === undefined ? null : heldByEdit(edit, place);
  return { files: files.filter((file) => !isHeld(file) && isNew(file)), met };
}

function reportOf(command: ReportTask, task: Task, grownBy: readonly string[]): Report {
  const { by: reporter, status, commit, commits, finishedBefore, files, deviations, evidence, seq } = command;
  const { claim } = task;
  const covered = claim === null ? task.files : [...claim.files, ...(claim.grows ? grownBy : [])];
  const claimed = covered.length === 0 ? null : covered;
  const report: Mutable<Report> = { reporter, status, commit, files, deviations, evidence, claimed, seq };
  // By assignment: this is made for every report, and most have none of these.
  if (commits !== undefined) report.commits = commits;
  if (finishedBefore !== undefined) report.finishedBefore = finishedBefore;
  if (command.isAdvisory === true && claimed !== null && claim?.isNamed !== true) report.isForecast = true;
  // What needs no files is done when it is reported.
  if (command.awaitsVerdict === true && status === "complete" && !task.withoutFiles) report.awaitsVerdict = true;
  const refuted = status === "complete" ? null : refutedReporter(task);
  if (refuted !== null) report.leavesRefuted = refuted;
  return report;
}

function saysTheSame(known: Report | null, report: Report): boolean {
  if (known === null) return false;
  const { reporter, status, evidence, files, deviations } = report;
  const isSaid =
    known.reporter === reporter && known.status === status && sameTexts(commitsOf(known), commitsOf(report));
  return (
    isSaid && known.evidence === evidence && sameTexts(known.files, files) && sameTexts(known.deviations, deviations)
  );
}

function sameTexts(one: readonly string[] | null, other: readonly string[] | null): boolean {
  if (one === null || other === null) return one === other;
  return one.length === other.length && one.every((text, index) => text === other[index]);
}

function unchanged(task: Task): Note {
  const message = `You reported so about ${task.task} before, at entry ${task.report?.seq ?? 0}; nothing changed.`;
  return { code: "already-so", path: "$.body.taskId", message };
}

function earlyNote(task: Task): Note {
  const message = `${task.task} is reported as done before what it waits for.`;
  return { code: "task-blocked", path: "$.body.taskId", message };
}

function asNote({ code, path, message }: Problem): Note {
  return { code, path, message };
}

/** A report could not be judged. */
export interface RecordUndecided extends Omit<Finding, "state"> {
  readonly taskId: string;
  readonly planId: string | null;
  /** Seq of the report that was looked at. */
  readonly report: number;
}

type UndecidedEvent = FindingRecorded | VerdictOpened | TaskJudged | PlanSummarised;

/** Never refused for a known task: what is about a report that is no longer the last word comes too late, which is noted. */
export function recordUndecided(
  { taskId, planId, report, ...said }: RecordUndecided,
  work: Work,
): Result<Decided<UndecidedEvent>, readonly Problem[]> {
  const task = findTask(work, taskId, planId);
  if (task === null) return err([unknownTask(work, taskId, planId)]);
  const late = lateNote(task, report);
  if (late !== null) return ok({ events: [], notes: [late] });
  const finding: Finding = { ...said, state: "undecided" };
  const { key, verdict, unseen } = task;
  if (unseen?.judge === finding.judge && isSameVerdict(unseen, finding)) {
    const message = `${finding.judge} found ${task.task} undecided before, at entry ${unseen.seq}.`;
    return ok({ events: [], notes: [{ code: "already-so", path: "$.body.taskId", message }] });
  }
  const about = { key, task: task.task, report };
  const opened: VerdictOpened = { event: "verdict-opened", ...about, seq: finding.seq };
  const recorded: FindingRecorded = { event: "finding-recorded", ...about, ...finding };
  // What is verified stays so: only a dispute is taken back.
  return ok({ events: verdict?.state === "disputed" ? [recorded, opened] : [recorded], notes: [] });
}
