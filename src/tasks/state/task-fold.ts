/**
 * Folds what happened to tasks into the work, in place: the records, and every index that finds them again. Costs what
 * the event is about, never how much work there is. Source: docs/protocol/tasks.md.
 */
import { invariant, unreachable } from "../../base/invariant.ts";
import { keepArtifacts, keepFinding } from "../../evidence/decide/artifact-disputes.ts";
import { namesOfTask } from "../../messages/task-ids.ts";
import { enter, leave } from "../../perform/decider.ts";
import { discussed } from "../decide/asks.ts";
import { keepDispute, verdictStates } from "../decide/completions.ts";
import { keepFreed, keepTaken } from "../decide/edit-claims.ts";
import { keepForDecision, keepSign, settle } from "../decide/leases.ts";
import { keepBranches, sightingAt } from "./branches.ts";
import type { ClaimGrown, ClaimsKept, LeasesExpired, LeasesRenewed, TaskClaimed } from "./claim-events.ts";
import { addFiles, removeFiles } from "./claim-index.ts";
import { commitsOf, idsOf, isDone, isGone, isReported, verdictAfter } from "./report-status.ts";
import type {
  FindingRecorded,
  PlanOrdered,
  PlanSummarised,
  TaskAdded,
  TaskChanged,
  TaskDiscussed,
  TaskEnded,
  TaskJudged,
  TaskReported,
  WorkEvent,
} from "./task-events.ts";
import { type Claim, keepPast, type Plan, type Task, type Work } from "./task-state.ts";

/** The work after the event. */
export function evolveWork(work: Work, event: WorkEvent): Work {
  keep(work, event);
  settle(work);
  return work;
}

function keep(work: Work, event: WorkEvent): void {
  switch (event.event) {
    case "branches-seen":
      keepBranches(work.branches, event);
      break;
    case "task-added":
      keepAdded(work, event);
      break;
    case "task-changed":
      keepChanged(work, event);
      break;
    case "task-dropped":
      drop(work, taskAt(work, event.key));
      break;
    case "task-ended":
    case "task-discussed":
      keepAsk(work, event);
      break;
    case "plan-ordered":
      keepOrder(work, event);
      break;
    case "task-claimed":
      keepClaim(work, event);
      break;
    case "claim-grown":
      grow(work, event);
      break;
    case "files-taken":
      keepTaken(work, event);
      break;
    case "files-freed":
      keepFreed(work, event);
      break;
    case "claim-released":
      free(work, taskAt(work, event.key));
      break;
    case "leases-expired":
    case "leases-renewed":
    case "claims-kept":
      keepLeases(work, event);
      break;
    case "task-reported":
      keepReport(work, event);
      break;
    case "task-verified":
    case "task-disputed":
    case "task-gone":
    case "task-stale":
      keepVerdict(work, event);
      break;
    case "task-reopened": {
      const { unseen, ...task } = taskAt(work, event.key);
      // What was gone counts again where it is back, and what nobody could see was never judged.
      const isRefused = unseen === undefined && !isGone(task);
      const known = isRefused && task.report !== null ? [...commitsOf(task.report), ...idsOf(task.verdict)] : [];
      const reopened = [...new Set([...(task.reopened ?? []), ...known])];
      const kept = reopened.length === 0 ? {} : { reopened };
      replace(work, { ...task, ...kept, report: null, verdict: null, claimBranches: null });
      break;
    }
    case "finding-recorded":
      keepFound(work, event);
      break;
    case "verdict-opened":
      replace(work, { ...taskAt(work, event.key), verdict: null });
      break;
    // What followed from these is in the events behind them.
    case "verdict-settled":
    case "findings-dropped":
      break;
    case "plan-summarised":
      keepSummary(work, event);
      break;
    case "artifacts-named":
      keepArtifacts(work, event);
      break;
    case "artifacts-verified":
    case "artifacts-disputed":
      keepFinding(work, event);
      break;
    default:
      unreachable(event);
  }
}

function keepLeases(work: Work, event: LeasesExpired | LeasesRenewed | ClaimsKept): void {
  switch (event.event) {
    case "leases-expired":
      for (const { tasks } of event.holders) for (const key of tasks) free(work, taskAt(work, key));
      break;
    case "leases-renewed":
      for (const { holder, signMs } of event.holders) keepSign(work, holder, signMs);
      break;
    case "claims-kept":
      for (const { holder, tasks, signMs, sinceMs } of event.holders)
        keepForDecision(work, holder, { tasks: tasks.map(({ key }) => key), signMs, sinceMs });
      break;
    default:
      unreachable(event);
  }
}

/** A task that has just been listed. */
export function listedTask(work: Work, event: TaskAdded): Task {
  const { event: _, planName: __, withoutFiles = false, ask, ...added } = event;
  const branches = sightingAt(work.branches, event.seq);
  const untouched = { claim: null, report: null, verdict: null, grants: [], claimBranches: null };
  const asked = ask === undefined ? {} : { ask: { ...ask, entries: [event.seq], question: null } };
  return { ...added, withoutFiles, branches, ...untouched, ...asked };
}

function keepAdded(work: Work, event: TaskAdded): void {
  const { planName, ask } = event;
  const task = listedTask(work, event);
  work.tasks.set(task.key, task);
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
  for (const name of namesOfTask(task)) leave(work.names, name, task.key);
  for (const need of task.needs) leave(work.neededBy.tasks, need, task.key);
  const plan = task.plan === null ? undefined : work.plans.get(task.plan);
  plan?.tasks.delete(task.key);
  plan?.open.delete(task.key);
  plan?.gone.delete(task.key);
}

function keepAsk(work: Work, event: TaskEnded | TaskDiscussed): void {
  if (event.event === "task-ended") {
    const { event: _, key, task: __, ...ended } = event;
    free(work, taskAt(work, key));
    replace(work, { ...taskAt(work, key), ended });
    return;
  }
  const task = taskAt(work, event.key);
  if (task.ask !== undefined) replace(work, { ...task, ask: discussed(task.ask, event) });
}

function keepOrder(work: Work, { plan: key, planName, dependsOn, needs }: PlanOrdered): void {
  const known = planOf(work, key, planName);
  for (const need of known.needs) leave(work.neededBy.plans, need, key);
  for (const need of needs) enter(work.neededBy.plans, need, key);
  work.plans.set(key, { ...known, dependsOn, needs });
}

function keepClaim(work: Work, event: TaskClaimed): void {
  const task = taskAt(work, event.key);
  free(work, task);
  const { holder, session, token, files, grows, isNamed = false, ofPlan = false, atMs } = event;
  const branches = sightingAt(work.branches, token);
  const given = { holder, session, token, files, grows, isNamed, ofPlan, atMs };
  const claim: Claim = { ...given, growths: [], editedMs: null, branches };
  replace(work, { ...task, claim, grants: granted(task, holder, token) });
  enter(work.held, holder, task.key);
  cover(work, task.key, holder, files);
  keepSign(work, holder, atMs);
}

function keepReport(work: Work, event: TaskReported): void {
  const { event: _, key, task: __, plan: ___, ...report } = event;
  const isComplete = report.status === "complete";
  const known = taskAt(work, key);
  const claimBranches = known.claim === null ? known.claimBranches : known.claim.branches;
  if (isComplete) free(work, known);
  const { unseen: _____, ...task } = taskAt(work, key);
  // Completing a task that nobody holds claims it for that moment, so the previous holder is fenced.
  const isGrant = isComplete && known.claim === null && !isReported(known);
  const grants = isGrant ? granted(task, report.reporter, report.seq) : task.grants;
  replace(work, { ...task, report, verdict: verdictAfter(task, report), grants, claimBranches });
}

function keepVerdict(work: Work, event: TaskJudged): void {
  const { event: name, key, task: _, ...found } = event;
  const { unseen: __, ...task } = taskAt(work, key);
  const state = verdictStates[name];
  keepDispute(work, task, { ...event, state });
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

function granted(task: Task, holder: string, token: number): Task["grants"] {
  return [...task.grants.filter(([agent]) => agent !== holder), [holder, token]];
}

function grow(work: Work, { key, files, isNamed, seq }: ClaimGrown): void {
  const task = taskAt(work, key);
  const { claim } = task;
  invariant(claim !== null, `only a claim grows: ${key}`);
  const growths = seq === undefined ? claim.growths : [...claim.growths, { before: claim.files.length, seq }];
  const grown = { files: [...claim.files, ...files], growths, isNamed: isNamed === true || claim.isNamed };
  replace(work, { ...task, claim: { ...claim, ...grown } });
  cover(work, key, claim.holder, files);
}

/** Ends the task's claim, where it has one. */
function free(work: Work, task: Task): void {
  const { claim, key } = task;
  if (claim === null) return;
  keepPast(work, { holder: claim.holder, task: task.task, files: claim.files, atMs: claim.atMs });
  removeFiles(work.covered, { task: key, holder: claim.holder }, claim.files);
  leave(work.held, claim.holder, key);
  if (!work.held.has(claim.holder)) work.kept.delete(claim.holder);
  replace(work, { ...task, claim: null });
}

/** Puts the record in the place of the one before, and its plan's open tasks right. */
function replace(work: Work, task: Task): void {
  work.tasks.set(task.key, task);
  if (task.ask !== undefined) {
    const isOpen = task.ended === undefined && !isDone(task);
    (isOpen ? enter : leave)(work.openAsks, task.ask.asker, task.key);
  }
  const plan = task.plan === null ? undefined : work.plans.get(task.plan);
  keepAmong(plan?.open, task.key, !isDone(task));
  keepAmong(plan?.gone, task.key, isGone(task));
}

function keepAmong(keys: Map<string, true> | undefined, key: string, isOne: boolean): void {
  if (isOne) keys?.set(key, true);
  else keys?.delete(key);
}

function cover(work: Work, task: string, holder: string, files: readonly string[]): void {
  addFiles(work.covered, { task, holder }, files);
}

function planOf(work: Work, key: string, name: string): Plan {
  const known = work.plans.get(key);
  if (known !== undefined) return known;
  const [tasks, open, gone] = [new Map(), new Map(), new Map()];
  const plan: Plan = { key, plan: name, dependsOn: [], needs: [], tasks, open, gone, recorded: null };
  work.plans.set(key, plan);
  return plan;
}

function taskAt(work: Work, key: string): Task {
  const task = work.tasks.get(key);
  invariant(task !== undefined, `an event about a task follows the one that added it: ${key}`);
  return task;
}
