/**
 * What becomes of a task whose verified work was tried to land: it landed, once for each report, or it is its author's again
 * with the files that its claim covered. Pure. Rules: docs/protocol/verdicts.md, section 12.
 */
import type { Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import { shownMax } from "../../base/text.ts";
import { ownerName } from "../../messages/principal.ts";
import { type Decided, nothing } from "../../perform/decider.ts";
import { meeting } from "../../tasks/decide/claims.ts";
import { editsMeeting } from "../../tasks/decide/edit-claims.ts";
import type { TaskClaimed } from "../../tasks/state/claim-events.ts";
import { summaryAfter } from "../../tasks/state/plan-summary.ts";
import { isReturned } from "../../tasks/state/report-status.ts";
import type { PlanSummarised, TaskJudged, TaskLanded, TaskNotLanded } from "../../tasks/state/task-events.ts";
import {
  type LandedWork,
  landedPlace,
  type NotLanded,
  type Task,
  type Verdict,
  type Work,
} from "../../tasks/state/task-state.ts";

/** Work that landed. */
export interface RecordLanded extends LandedWork {
  /** Key of the task. */
  readonly key: string;
}

/** Work that did not. */
export interface RecordNotLanded extends Omit<NotLanded, "times"> {
  readonly key: string;
  /** Its author's session, if that is there to take the task back; null: it is not. */
  readonly session: number | null;
  readonly atMs: number;
  readonly leaseMs: number;
}

type Outcome<Event> = Result<Decided<Event>, readonly Problem[]>;

/** Never refused: what landed already, or is not the last word any more, changes nothing and is noted. */
export function recordLanded(
  { key, ...landed }: RecordLanded,
  work: Work,
): Outcome<TaskLanded | TaskJudged | PlanSummarised> {
  const task = work.tasks.get(key);
  if (task === undefined) return lateOf(key);
  const { verdict } = task;
  const isAllowed = task.leave !== undefined && task.leave.request === landed.override;
  if (task.report?.seq !== landed.report || (verdict?.state !== "verified" && !isAllowed)) return lateOf(task.task);
  if (task.landed?.report === landed.report)
    return nothing("already-so", `${task.task} landed before, at entry ${task.landed.seq}.`);
  const event: TaskLanded = { event: "task-landed", key, task: task.task, ...landed };
  const place = landedPlace(landed);
  const settled =
    isAllowed && verdict !== null && verdict.state !== "verified" ? settledBy(task, verdict, landed) : null;
  const now: Verdict | null = settled === null ? verdict : { state: "verified", ...settled };
  const after: Task = { ...task, landed, claim: null, verdict: now === null ? null : { ...now, place } };
  const judged: readonly TaskJudged[] =
    settled === null ? [] : [{ event: "task-verified", key, task: task.task, ...settled }];
  return ok({ events: [...judged, event, ...summaryAfter(work, after, landed.seq)], notes: [] });
}

/** The verdict on work that landed by the person's leave although git contradicts it: the person's word counts. */
function settledBy(
  { task, leave }: Task,
  { report, commit, commits, files, checks }: Verdict,
  landed: LandedWork,
): Omit<Verdict, "state"> {
  const by = leave?.by ?? ownerName;
  const notes = [{ code: "gate-override", path: task, message: `${by} let it land by ${landed.override}.` }];
  const more = { ...(commits === undefined ? {} : { commits }), ...(checks === undefined ? {} : { checks }) };
  const place = landedPlace(landed);
  return { report, commit, ...more, files, problems: [], notes, place, settledBy: by, seq: landed.seq };
}

/** Never refused, as above; the same reason again for the same report changes nothing either. */
export function recordNotLanded(
  { key, session, atMs, leaseMs, ...found }: RecordNotLanded,
  work: Work,
): Outcome<TaskNotLanded | TaskClaimed> {
  const task = work.tasks.get(key);
  if (task === undefined) return lateOf(key);
  const { report, verdict, notLanded, task: name } = task;
  const isOpen = task.leave !== undefined || (verdict?.state === "verified" && verdict.place?.at === "branch");
  if (report === null || report.seq !== found.report || !isOpen) return lateOf(name);
  const isKnown = notLanded?.report === found.report && notLanded.why === found.why;
  if (isReturned(task) || isKnown) return nothing("already-so", `${name} did not land before: ${notLanded?.why}`);
  const isBack = found.reason !== "waits";
  const times = (notLanded?.times ?? 0) + (isBack ? 1 : 0);
  const event: TaskNotLanded = { event: "task-not-landed", key, task: name, ...found, times };
  const claim = isBack && session !== null ? givenBack(task, { session, atMs, leaseMs, seq: found.seq }, work) : null;
  return ok({ events: claim === null ? [event] : [event, claim], notes: [] });
}

/** The claim as its author had it when it reported; null: somebody holds the task or one of the files by now. */
function givenBack(
  { key, task, report, claim, files: named, withoutFiles }: Task,
  { session, atMs, leaseMs, seq }: Pick<RecordNotLanded, "atMs" | "leaseMs" | "seq"> & { readonly session: number },
  work: Work,
): TaskClaimed | null {
  const holder = report?.reporter ?? "";
  const files = report?.claimed ?? named;
  const isTaken = meeting(work, files, holder).length > 0 || editsMeeting(work, files, holder, shownMax).length > 0;
  if (claim !== null || isTaken) return null;
  const isNamed = report !== null && report.claimed !== null && report.isForecast !== true;
  return {
    event: "task-claimed",
    key,
    task,
    holder,
    session,
    token: seq,
    files,
    grows: files.length === 0 && !withoutFiles,
    ...(isNamed ? { isNamed } : {}),
    atMs,
    leaseMs,
  };
}

function lateOf(task: string): Result<Decided<never>, never> {
  return nothing("verdict-outdated", `What was tried to land is not the last word on ${task} any more.`);
}

/** Tasks whose landed work is the other side of a conflict in these files, the newest first, with who reported them. */
export function otherSideOf(
  work: Work,
  key: string,
  files: readonly string[],
): readonly { readonly task: string; readonly by: string }[] {
  const landed = [...work.tasks.values()].filter(({ key: other, verdict }) => {
    if (other === key || verdict?.place?.at !== "landed") return false;
    return (verdict.grown ?? verdict.work)?.files.some(({ path }) => files.includes(path)) === true;
  });
  const newest = landed.toSorted((one, other) => (other.verdict?.seq ?? 0) - (one.verdict?.seq ?? 0));
  return newest.slice(0, 3).map(({ task, report }) => ({ task, by: report?.reporter ?? "" }));
}
