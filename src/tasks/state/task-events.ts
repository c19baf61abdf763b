/**
 * What can happen to tasks, as facts of the journal, and how each changes the work: the records, and every index that finds
 * them again. A change costs what the event is about, never how much work there is. `key` is how a task is compared, `task`
 * its id as first written. Source: docs/protocol/tasks.md.
 */
import { invariant } from "../../base/invariant.ts";
import type { Problem } from "../../base/problem.ts";
import {
  type ArtifactsJudged,
  type ArtifactsNamed,
  type CollisionOver,
  type CollisionSeen,
  collisionKey,
  keepArtifacts,
  keepCollision,
  keepFinding,
  type TakenWork,
  type Whereabouts,
} from "../../evidence/state.ts";
import type { Note } from "../../messages/message.ts";
import { namesOfTask } from "../../messages/task-ids.ts";
import { enter, leave } from "../../perform/decider.ts";
import { type BranchesSeen, keepBranches, sightingAt } from "./branches.ts";
import { type ClaimEvent, claimFolds, free, granted, replace, settle, taskAt } from "./claim-events.ts";
import { commitsOf, idsOf, isGone, isReported, verdictAfter } from "./report-status.ts";
import type {
  Ask,
  CheckRecord,
  Dispute,
  Ending,
  Finding,
  LandedWork,
  LandingBranch,
  LandingLeave,
  NotLanded,
  Plan,
  PlanHold,
  PlanSummary,
  Report,
  Task,
  TaskText,
  Verdict,
  Work,
} from "./task-state.ts";
import { landedPlace, numberFor } from "./task-state.ts";

/** A task came into the list, by a contract or by hand. */
export interface TaskAdded {
  readonly event: "task-added";
  readonly key: string;
  readonly task: string;
  /** Key of its plan, and the plan's id as written; null: it belongs to none. */
  readonly plan: string | null;
  readonly planName: string | null;
  readonly title: string | null;
  /** Absent: nothing is said. */
  readonly text?: TaskText;
  readonly files: readonly string[];
  /** It needs no change in files; absent: it does. */
  readonly withoutFiles?: true;
  readonly dependsOn: readonly string[];
  /** Keys of `dependsOn`. */
  readonly needs: readonly string[];
  readonly source: "contract" | "command";
  /** An agent asked the team for it; absent: it was planned. */
  readonly ask?: Pick<Ask, "asker" | "context">;
  readonly seq: number;
}

/** A task ended for good without being done. */
export interface TaskEnded extends Ending {
  readonly event: "task-ended";
  readonly key: string;
  readonly task: string;
}

/** Somebody wrote about a task that was asked for. */
export interface TaskDiscussed {
  readonly event: "task-discussed";
  readonly key: string;
  readonly task: string;
  readonly by: string;
  /** The asker is to answer; absent: it only reads. */
  readonly isQuestion?: true;
  readonly seq: number;
}

/** A task of the list was described again. */
export interface TaskChanged {
  readonly event: "task-changed";
  readonly key: string;
  readonly task: string;
  readonly title: string | null;
  readonly files: readonly string[];
  /** It needs no change in files; absent: it does. */
  readonly withoutFiles?: true;
  readonly dependsOn: readonly string[];
  readonly needs: readonly string[];
}

/** Somebody described a task anew. */
export interface TaskDescribed {
  readonly event: "task-described";
  readonly key: string;
  readonly task: string;
  readonly text: TaskText;
}

/** A contract's revision no longer lists the task; what was claimed of it is free. */
export interface TaskDropped {
  readonly event: "task-dropped";
  readonly key: string;
  readonly task: string;
}

/** A contract says which plans come before its plan. */
export interface PlanOrdered {
  readonly event: "plan-ordered";
  readonly plan: string;
  readonly planName: string;
  readonly dependsOn: readonly string[];
  readonly needs: readonly string[];
}

/** A lead asked whether a plan may begin, or was told no: its tasks wait until it is told yes. */
export interface PlanHeld extends PlanHold {
  readonly event: "plan-held";
  /** Key of the plan. */
  readonly plan: string;
}

/** A plan may begin. */
export interface PlanReleased {
  readonly event: "plan-released";
  readonly plan: string;
  readonly by: string;
  readonly seq: number;
}

/** An agent reported the state of a task. `complete` ends its claim. */
export interface TaskReported extends Report {
  readonly event: "task-reported";
  readonly key: string;
  readonly task: string;
  readonly plan: string | null;
}

/**
 * The repository bore a report out, did not, or does no longer; or somebody decided so (`settledBy`). `report`: seq of
 * the one that was looked at. `task-stale` is in older entries alone, and means `task-gone`.
 */
export interface TaskJudged {
  readonly event: "task-verified" | "task-disputed" | "task-gone" | "task-stale";
  readonly key: string;
  readonly task: string;
  readonly report: number;
  readonly commit: string | null;
  /** All of a report that names several. */
  readonly commits?: readonly string[];
  readonly files: readonly string[] | null;
  readonly problems: readonly Problem[];
  readonly notes?: readonly Note[];
  /** What is not said is as the verdict before had it, if that was about the same work. */
  readonly work?: TakenWork;
  readonly grown?: TakenWork;
  readonly place?: Whereabouts;
  readonly checks?: readonly CheckRecord[];
  readonly settledBy?: string;
  readonly seq: number;
}

/** The person lets a task land once. */
export interface LandingAllowed extends LandingLeave {
  readonly event: "landing-allowed";
  readonly key: string;
  readonly task: string;
}

/** Baton put verified work on a branch: once for each report. */
export interface TaskLanded extends LandedWork {
  readonly event: "task-landed";
  readonly key: string;
  readonly task: string;
}

/** Verified work did not land. But for `waits` it is its author's again. */
export interface TaskNotLanded extends NotLanded {
  readonly event: "task-not-landed";
  readonly key: string;
  readonly task: string;
}

/** Baton is about to move its own branch: after a crash it is where one of these says. */
export interface LandingBegun extends Pick<LandingBranch, "from" | "checks"> {
  readonly event: "landing-begun";
  readonly branch: string;
  readonly to: string;
}

/** Nothing lands on Baton's branch any more, or the person's cannot follow it, or does again (null). */
export interface LandingHeld {
  readonly event: "landing-held";
  readonly branch: string;
  readonly why: string | null;
  /** What to do; absent in older entries, where `why` says it. */
  readonly help?: string;
  readonly seq: number;
}

/** A lead or the owner has the work of a task done again: its report counts no more, and the task is free. */
export interface TaskReopened {
  readonly event: "task-reopened";
  readonly key: string;
  readonly task: string;
  readonly by: string;
  /** In the words of who did; null: it gave none. */
  readonly reason: string | null;
  readonly seq: number;
}

/** A judge cannot see the work of a report. Older entries also record other findings so; what it changes follows it. */
export interface FindingRecorded extends Finding {
  readonly event: "finding-recorded";
  readonly key: string;
  readonly task: string;
  readonly report: number;
}

/** The report cannot be judged any more, so the report has no verdict. In older entries also: verifiers differ. */
export interface VerdictOpened {
  readonly event: "verdict-opened";
  readonly key: string;
  readonly task: string;
  readonly report: number;
  readonly seq: number;
}

/** Only in older entries: the owner decided by whose finding a report counts. What it changes follows it. */
export interface VerdictSettled {
  readonly event: "verdict-settled";
  readonly key: string;
  readonly task: string;
  readonly report: number;
  readonly judge: string | null;
  readonly seq: number;
}

/** Only in older entries: a verifier may judge no more. What it changes for these tasks follows it. */
export interface FindingsDropped {
  readonly event: "findings-dropped";
  readonly judge: string;
  /** Keys of the tasks. */
  readonly keys: readonly string[];
  readonly seq: number;
}

/** All tasks of a plan are done. */
export interface PlanSummarised {
  readonly event: "plan-summarised";
  /** Key of the plan. */
  readonly key: string;
  readonly summary: PlanSummary;
  readonly seq: number;
}

export type WorkEvent =
  | ClaimEvent
  | BranchesSeen
  | TaskAdded
  | TaskChanged
  | TaskDescribed
  | TaskDropped
  | TaskEnded
  | TaskDiscussed
  | PlanOrdered
  | PlanHeld
  | PlanReleased
  | TaskReported
  | TaskJudged
  | LandingAllowed
  | TaskLanded
  | TaskNotLanded
  | LandingBegun
  | LandingHeld
  | TaskReopened
  | FindingRecorded
  | VerdictOpened
  | VerdictSettled
  | FindingsDropped
  | PlanSummarised
  | ArtifactsNamed
  | ArtifactsJudged
  | CollisionSeen
  | CollisionOver;

/** So many places are kept at which a branch of Baton's was to be. */
const earlierMax = 16;

/** What each does to the work, in place. */
export const workFolds: { readonly [Event in WorkEvent as Event["event"]]: (work: Work, event: Event) => void } = {
  ...claimFolds,
  "branches-seen": (work, event) => keepBranches(work.branches, event),
  "task-added": keepAdded,
  "task-changed": keepChanged,
  "task-described": (work, { key, text }) => replace(work, { ...taskAt(work, key), text }),
  "task-dropped": (work, { key }) => drop(work, taskAt(work, key)),
  "task-ended": (work, event) => {
    const { event: _, key, task: __, ...ended } = event;
    free(work, taskAt(work, key));
    replace(work, { ...taskAt(work, key), ended });
    leavePlan(work, taskAt(work, key));
  },
  "task-discussed": (work, event) => {
    const task = taskAt(work, event.key);
    if (task.ask !== undefined) replace(work, { ...task, ask: discussed(task.ask, event) });
  },
  "plan-ordered": keepOrder,
  "plan-held": ({ planHolds }, { plan, request, requester, denied, seq }) =>
    void planHolds.set(plan, { request, requester, denied, seq }),
  "plan-released": ({ planHolds }, { plan }) => void planHolds.delete(plan),
  "task-reported": keepReport,
  "task-verified": keepVerdict,
  "task-disputed": keepVerdict,
  "task-gone": keepVerdict,
  "task-stale": keepVerdict,
  "landing-begun": ({ landings }, { branch, from, to, checks }) => {
    const before = landings.get(branch);
    const earlier = [...(before?.earlier ?? []), ...(before?.to ? [before.to] : [])].slice(-earlierMax);
    landings.set(branch, { from, to, earlier, ...(checks === undefined ? {} : { checks }), held: null });
  },
  "landing-held": ({ landings }, { branch, why, help = null, seq }) => {
    const known = landings.get(branch) ?? { from: null, to: null, earlier: [] };
    if (why === null && known.to === null) landings.delete(branch);
    else landings.set(branch, { ...known, held: why === null ? null : { why, help, seq } });
  },
  "task-landed": (work, event) => {
    const { event: _, key, task: __, ...landed } = event;
    free(work, taskAt(work, key));
    const { notLanded: ___, returned: ____, leave: _____, ...task } = taskAt(work, key);
    const place = landedPlace(landed);
    replace(work, { ...task, landed, verdict: task.verdict === null ? null : { ...task.verdict, place } });
  },
  "landing-allowed": (work, { key, request, by, seq }) =>
    replace(work, { ...taskAt(work, key), leave: { request, by, seq } }),
  "task-not-landed": (work, event) => {
    const { event: _, key, task: __, ...notLanded } = event;
    const task = taskAt(work, key);
    replace(work, { ...task, notLanded, returned: idsOf(task.verdict) });
  },
  "task-reopened": (work, { key }) => {
    const { unseen, ...task } = taskAt(work, key);
    // What was gone counts again where it is back, and what nobody could see was never judged.
    const isRefused = unseen === undefined && !isGone(task);
    const known = isRefused && task.report !== null ? [...commitsOf(task.report), ...idsOf(task.verdict)] : [];
    const reopened = [...new Set([...(task.reopened ?? []), ...known])];
    const kept = reopened.length === 0 ? {} : { reopened };
    const lost = isGone(task) ? { lost: idsOf(task.verdict) } : {};
    replace(work, { ...task, ...kept, ...lost, report: null, verdict: null });
  },
  "finding-recorded": keepFound,
  "verdict-opened": (work, { key }) => replace(work, { ...taskAt(work, key), verdict: null }),
  // What followed from these is in the events behind them.
  "verdict-settled": () => undefined,
  "findings-dropped": () => undefined,
  "plan-summarised": keepSummary,
  "artifacts-named": (work, event) => keepArtifacts(work.artifacts, event),
  "artifacts-verified": (work, event) => keepFinding(work.artifacts, event),
  "artifacts-disputed": (work, event) => keepFinding(work.artifacts, event),
  "collision-seen": (work, event) => keepCollision(work.collisions, event),
  "collision-over": ({ collisions }, over) => {
    collisions.delete(collisionKey(over));
  },
};

/** Whether an event is about tasks. */
export function isWorkEvent<Other extends { readonly event: string }>(event: Other | WorkEvent): event is WorkEvent {
  return Object.hasOwn(workFolds, event.event);
}

/** The work after the event. */
export function evolveWork(work: Work, event: WorkEvent): Work {
  const fold = workFolds[event.event] as (work: Work, event: WorkEvent) => void; // The row of this event.
  fold(work, event);
  settle(work);
  return work;
}

/** A task that has just been listed. */
export function listedTask(work: Work, event: TaskAdded): Task {
  const { event: _, planName: __, withoutFiles = false, ask, ...added } = event;
  const branches = sightingAt(work.branches, event.seq);
  const untouched = { claim: null, report: null, verdict: null, grants: [] };
  const asked = ask === undefined ? {} : { ask: { ...ask, entries: [event.seq], question: null } };
  return { ...added, number: numberFor(work, added.task), withoutFiles, branches, ...untouched, ...asked };
}

function keepAdded(work: Work, event: TaskAdded): void {
  const { planName, ask } = event;
  const task = listedTask(work, event);
  work.tasks.set(task.key, task);
  work.numbers.keys.set(task.number, task.key);
  while (work.numbers.keys.has(work.numbers.last + 1)) work.numbers.last += 1;
  if (ask !== undefined) for (const asks of [work.asked, work.openAsks]) enter(asks, ask.asker, task.key);
  for (const name of namesOfTask(task)) enter(work.names, name, task.key);
  for (const need of task.needs) enter(work.neededBy.tasks, need, task.key);
  if (task.plan === null) return;
  const plan = planOf(work, task.plan, planName ?? task.plan);
  plan.tasks.set(task.key, true);
  plan.open.set(task.key, true);
}

function keepChanged(work: Work, event: TaskChanged): void {
  const known = taskAt(work, event.key);
  const { title, files, withoutFiles = false, dependsOn, needs } = event;
  for (const need of known.needs) leave(work.neededBy.tasks, need, known.key);
  for (const need of needs) enter(work.neededBy.tasks, need, known.key);
  work.tasks.set(known.key, { ...known, title, files, withoutFiles, dependsOn, needs });
}

function drop(work: Work, task: Task): void {
  free(work, task);
  work.tasks.delete(task.key);
  work.numbers.keys.delete(task.number);
  for (const name of namesOfTask(task)) leave(work.names, name, task.key);
  for (const need of task.needs) leave(work.neededBy.tasks, need, task.key);
  leavePlan(work, task);
}

/** The plan is done without the task. */
function leavePlan(work: Work, task: Task): void {
  const plan = task.plan === null ? undefined : work.plans.get(task.plan);
  plan?.tasks.delete(task.key);
  plan?.open.delete(task.key);
  plan?.gone.delete(task.key);
}

/** Entries about an ask that are kept with it: the ask, and the last ones. */
const entriesMax = 200;

/** The ask once the event has happened. */
function discussed(ask: Ask, { by, isQuestion, seq }: TaskDiscussed): Ask {
  const [first, ...later] = [...ask.entries, seq];
  const entries = first === undefined ? [] : [first, ...later.slice(1 - entriesMax)];
  const question = isQuestion === true ? seq : by === ask.asker ? null : ask.question;
  return { ...ask, entries, question };
}

function keepOrder(work: Work, { plan: key, planName, dependsOn, needs }: PlanOrdered): void {
  const known = planOf(work, key, planName);
  for (const need of known.needs) leave(work.neededBy.plans, need, key);
  for (const need of needs) enter(work.neededBy.plans, need, key);
  work.plans.set(key, { ...known, dependsOn, needs });
}

function keepReport(work: Work, event: TaskReported): void {
  const { event: _, key, task: __, plan: ___, ...report } = event;
  const isComplete = report.status === "complete";
  const known = taskAt(work, key);
  if (isComplete) free(work, known);
  const { unseen: _____, ...task } = taskAt(work, key);
  // Completing a task that nobody holds claims it for that moment, so the previous holder is fenced.
  const isGrant = isComplete && known.claim === null && !isReported(known);
  const grants = isGrant ? granted(task, report.reporter, report.seq) : task.grants;
  replace(work, { ...task, report, verdict: verdictAfter(task, report), grants });
}

/** What each event of a verdict says of the task. */
const verdictStates = {
  "task-verified": "verified",
  "task-disputed": "disputed",
  "task-gone": "gone",
  "task-stale": "gone",
} as const satisfies Readonly<Record<TaskJudged["event"], Verdict["state"]>>;

/** Keeps what a verdict finds against a report, and by which verdict that was repaired. */
function keepDispute(
  { disputes }: Work,
  { key, report: said }: Task,
  { report, seq, state }: Pick<TaskJudged, "report" | "seq"> & Pick<Verdict, "state">,
): void {
  const known = disputes.get(key) ?? new Map<number, Dispute>();
  const reporter = said?.reporter ?? "";
  if (state !== "verified") {
    disputes.set(key, known.set(report, { report, reporter, seq, ...known.get(report), state, repair: null }));
    return;
  }
  const repair = { seq, report, reporter };
  for (const each of known.values()) if (each.repair === null) known.set(each.report, { ...each, repair });
}

function keepVerdict(work: Work, event: TaskJudged): void {
  const { event: name, key, task: _, ...found } = event;
  // Who reworks what did not land is done where a person landed it meanwhile.
  if (found.place?.at === "landed") free(work, taskAt(work, key));
  const { unseen: __, ...task } = taskAt(work, key);
  const state = verdictStates[name];
  // Who takes landed work back contradicts nobody.
  if (found.place?.at !== "reverted") keepDispute(work, task, { ...event, state });
  const before = state === "disputed" ? null : task.verdict;
  const { work: known, grown, place } = before ?? {};
  // Of a report that is judged anew nothing of the earlier one is left.
  const kept =
    found.work === undefined && known !== undefined ? { work: known, ...(grown === undefined ? {} : { grown }) } : {};
  replace(work, { ...task, verdict: { state, ...kept, ...(place === undefined ? {} : { place }), ...found } });
}

function keepFound(work: Work, event: FindingRecorded): void {
  const { event: _, key, task: __, report: ___, ...finding } = event;
  const { unseen: ____, ...task } = taskAt(work, key);
  replace(work, finding.state === "undecided" ? { ...task, unseen: finding } : task);
}

function keepSummary(work: Work, { key, summary, seq }: PlanSummarised): void {
  const plan = work.plans.get(key);
  invariant(plan !== undefined, `a summary is of a plan that has tasks: ${key}`);
  work.plans.set(key, { ...plan, recorded: { summary, seq } });
}

function planOf(work: Work, key: string, name: string): Plan {
  const known = work.plans.get(key);
  if (known !== undefined) return known;
  const [tasks, open, gone] = [new Map(), new Map(), new Map()];
  const plan: Plan = { key, plan: name, dependsOn: [], needs: [], tasks, open, gone, recorded: null };
  work.plans.set(key, plan);
  return plan;
}
