/**
 * A task as people and agents see it: its state, who holds it, what blocks it, and what git says. Derived from the work,
 * never stored. Source: docs/protocol/tasks.md, sections 4, 6 and 7.
 */
import { timestampOf } from "../../base/clock.ts";
import type { StepBudget } from "../../base/paths/glob-overlap.ts";
import type { Problem } from "../../base/problem.ts";
import { shownMax } from "../../base/text.ts";
import { holding, type Whereabouts } from "../../evidence/state.ts";
import type { Note } from "../../messages/message.ts";
import { meansTask, planKey } from "../../messages/task-ids.ts";
import { type Comparing, tasksMeeting } from "../state/claim-index.ts";
import type { Contracts } from "../state/contract-terms.ts";
import { isSummarised } from "../state/plan-summary.ts";
import {
  commitsOf,
  isRefuted,
  isReported,
  isReturned,
  isReverted,
  isUnlanded,
  isUpheld,
  whyUnlanded,
} from "../state/report-status.ts";
import {
  type FilesKind,
  type Finding,
  filesKindOf,
  type LandedWork,
  noText,
  type Task,
  type TaskText,
  type Work,
} from "../state/task-state.ts";
import { blockersOf, isBlocked } from "./dependencies.ts";

/** Every state of a task, from free to finished. */
export const taskStates = [
  "available",
  "blocked",
  "claimed",
  "reported",
  "verified",
  "disputed",
  "returned",
  "reverted",
  "gone",
  "complete",
  "ended",
] as const;

/**
 * How a task is: free, waiting for others, claimed, reported, or judged by git; `ended`: withdrawn, refused or given up.
 * A disputed task is so also while an agent holds it again. `returned`: its verified work did not land.
 * `reverted`: it landed, and a commit took it back. `gone`: its work is nowhere any more.
 * Rules: docs/protocol/tasks.md, section 6.
 */
export type TaskState = (typeof taskStates)[number];

/**
 * What the repository says of a report. `awaited`: nothing yet, and the task counts as done only once it is verified.
 * `unavailable`: there is no repository to ask, so the report alone counts. `unneeded`: the same of a task without files.
 */
export const reportVerdicts = ["awaited", "unavailable", "unneeded", "verified", "disputed", "gone"] as const;
export type ReportVerdict = (typeof reportVerdicts)[number];

/** A task as it is shown. Ids as first written. */
export interface TaskView {
  readonly task: string;
  /** Stands for its id in every command. Absent: an older hub. */
  readonly number?: number;
  readonly plan: string | null;
  readonly title: string | null;
  /** Absent: normal. */
  readonly priority?: TaskText["priority"];
  readonly labels?: readonly string[];
  /** Who shall do it; absent: anybody. */
  readonly agent?: string;
  readonly state: TaskState;
  /** Of the claim, else of the task. */
  readonly files: readonly string[];
  /** `none`: it needs no change in files, so it is done when it is reported. */
  readonly filesKind: FilesKind;
  readonly dependsOn: readonly string[];
  /**
   * What is not done and blocks it: tasks, and tasks whose holders have its files; plans that have no tasks, or too many
   * to be named.
   */
  readonly blockedBy: readonly string[];
  readonly holder: string | null;
  /** The claim's fencing token: seq of the grant. */
  readonly token: number | null;
  /** Until when the claim lasts without another heartbeat of its holder, RFC 3339. */
  readonly expiresAt: string | null;
  /** Who last reported its state; null: nobody has. */
  readonly reporter: string | null;
  /** Who last reported that it failed; absent: nobody did, or it was reported otherwise since. */
  readonly failed?: string;
  /** The commit that was reported, or is verified where a further report does not hold; of several the last. */
  readonly commit: string | null;
  /** All such commits, as written. */
  readonly commits: readonly string[];
  /** The entry in which that was said; null: nobody has. */
  readonly report: number | null;
  /**
   * What the repository says of the last report that the task is complete, also while the task is claimed again; null:
   * nobody reported so.
   */
  readonly verdict: ReportVerdict | null;
  /** How many reports on it the repository contradicted, also those that are repaired by now. */
  readonly disputes: number;
  /** Artifacts in dispute, as written, because of which its plan is not summed up; at most `shownMax`. */
  readonly heldUpBy: readonly string[];
  /** How many more artifacts hold up its plan; absent: none. */
  readonly heldUpByMore?: number;
  /** Why it is disputed or gone. */
  readonly problems: readonly Problem[];
  /** Where its verified work was at the last look; absent: nobody has looked. */
  readonly place?: Omit<Whereabouts, "notes">;
  /** What its verdict notes and does not dispute. */
  readonly notes: readonly Note[];
  /** Why the report could not be judged; absent: it was, or nobody looked. */
  readonly unseen?: Finding;
  /**
   * The entry that last changed its state: of its claim, of its landing, of the verdict, of the report, else the one that
   * brought it.
   */
  readonly seq: number;
}

/** Who looks, and what the work itself does not know. */
export interface Viewer {
  /** This agent's own claims do not block it; null: the reader claims nothing. */
  readonly agent: string | null;
  /** When an agent last sent a heartbeat, in milliseconds. */
  signOf(agent: string): number;
  readonly leaseMs: number;
  /** Whether there is a repository by which reports can be proven; without one a report is all there is. */
  readonly hasRepository: boolean;
  /** What a task depends on is done only once it has landed; absent: once it is done. */
  readonly landsFirst?: boolean;
  /** By which plans may touch files; absent: nobody asks. */
  readonly contracts?: Contracts;
}

/** What is asked for; absent: everything. */
export interface TaskFilter {
  /** One task, however it is spelled; its number alone means every task of that number. */
  readonly task?: string;
  /** A plan, however it is spelled. */
  readonly plan?: string;
  /** `claimed`: every task that an agent holds, also one that is disputed or gone. */
  readonly state?: TaskState;
}

/** Work that comparing the files of one board may take, a few hundredths of a second. */
export const boardStepsMax = 500_000;

/**
 * The tasks that match, in the order in which they came. `budget` bounds the work of comparing files; a task whose files
 * were not compared with a claim's counts as waiting for it.
 */
export function taskViews(
  work: Work,
  viewer: Viewer,
  filter: TaskFilter = {},
  budget: StepBudget = { left: boardStepsMax },
): readonly TaskView[] {
  const asked = askedOf(work, budget);
  const plan = filter.plan === undefined ? undefined : planKey(filter.plan);
  const views: TaskView[] = [];
  for (const task of work.tasks.values()) {
    if (plan !== undefined && task.plan !== plan) continue;
    if (filter.task !== undefined && !meansTask(filter.task, task.task, task.plan, task.number)) continue;
    const view = viewOf(work, task, viewer, asked);
    if (filter.state === undefined || isInState(view, filter.state)) views.push(view);
  }
  return views;
}

/** One task as it is shown. */
export function taskViewOf(work: Work, task: Task, viewer: Viewer): TaskView {
  return viewOf(work, task, viewer, askedOf(work, { left: boardStepsMax }));
}

/** What the tasks of one answer share. */
interface Asked {
  readonly comparing: Comparing;
  /** By the key of a plan. */
  readonly heldUp: Map<string, HeldUp>;
}

function askedOf(work: Work, budget: StepBudget): Asked {
  return { comparing: { budget, filesOf: (task) => work.tasks.get(task)?.claim?.files }, heldUp: new Map() };
}

function isInState({ state, holder }: TaskView, asked: TaskState): boolean {
  return asked === "claimed" ? holder !== null : state === asked;
}

/** The landing of what was reported last, as long as it is there; undefined: Baton has not landed that. */
function landingOf({ landed, report, verdict }: Task): LandedWork | undefined {
  return landed?.report === report?.seq && verdict?.place?.at === "landed" ? landed : undefined;
}

function viewOf(work: Work, task: Task, viewer: Viewer, asked: Asked): TaskView {
  const { claim, report, verdict } = task;
  const plan = task.plan === null ? undefined : work.plans.get(task.plan);
  const isFree = claim === null && !isReported(task) && task.ended === undefined;
  const leaseEnd = leaseEndOf(work, task, viewer);
  // Verified work that waits does not land.
  const blockers = isUnlanded(task) ? blockersOf(work, task) : [];
  const blockedBy = isFree ? obstaclesOf(work, task, viewer, asked.comparing) : blockers;
  return {
    task: task.task,
    number: task.number,
    plan: plan?.plan ?? task.plan,
    title: task.title,
    ...wishesOf(task),
    state: stateOf(task, {
      isHindered: blockedBy.length > 0,
      isSummarised: isSummarised(work, plan),
      viewer,
    }),
    files: claim?.files ?? task.files,
    filesKind: filesKindOf(task),
    dependsOn: task.dependsOn,
    blockedBy,
    holder: claim?.holder ?? null,
    token: claim?.token ?? null,
    expiresAt: leaseEnd === null ? null : timestampOf(leaseEnd),
    reporter: report?.reporter ?? null,
    ...(report?.status === "failed" ? { failed: report.reporter } : {}),
    ...commitsShown(task),
    report: report?.seq ?? null,
    verdict: verdictOf(task, viewer),
    disputes: work.disputes.get(task.key)?.size ?? 0,
    ...(task.plan === null ? { heldUpBy: [] } : heldUpView(work, task.plan, asked)),
    problems: verdict?.problems ?? [],
    notes: [...(verdict?.notes ?? []), ...(verdict?.place?.notes ?? []), ...notLandedNotes(work, task)],
    ...placeOf(verdict),
    ...(task.unseen === undefined ? {} : { unseen: task.unseen }),
    seq: task.ended?.seq ?? claim?.token ?? landingOf(task)?.seq ?? verdict?.seq ?? report?.seq ?? task.seq,
  };
}

function wishesOf({ text = noText }: Task): Pick<TaskView, "priority" | "labels" | "agent"> {
  const { priority, labels, agent } = text;
  return {
    ...(priority === "normal" ? {} : { priority }),
    ...(labels.length === 0 ? {} : { labels }),
    ...(agent === null ? {} : { agent }),
  };
}

/** Those that were reported; those that are verified, where a further report does not hold, or somebody decided. */
function commitsShown({ report, verdict }: Task): Pick<TaskView, "commit" | "commits"> {
  const isDecided = verdict?.settledBy !== undefined && verdict.commit !== null;
  if (verdict !== null && (isDecided || isUpheld(verdict.notes ?? []))) {
    const { commit, commits = commit === null ? [] : [commit] } = verdict;
    return { commit, commits };
  }
  return { commit: report?.commit || null, commits: report === null ? [] : commitsOf(report) };
}

/** Why its work does not land, as the last try found. */
function notLandedNotes(work: Work, task: Task): readonly Note[] {
  const notLanded = whyUnlanded(work, task);
  return notLanded === null ? [] : [{ code: "not-landed", path: notLanded.branch, message: notLanded.why }];
}

function placeOf(verdict: Task["verdict"]): Pick<TaskView, "place"> {
  if (verdict?.place === undefined) return {};
  const { at, branch, since, isChanged } = verdict.place;
  return { place: { at, branch, since, isChanged } };
}

/** What holds up a plan, the same for each of its tasks. */
type HeldUp = Pick<TaskView, "heldUpBy" | "heldUpByMore">;

function heldUpView({ artifacts }: Work, plan: string, { heldUp }: Asked): HeldUp {
  const known = heldUp.get(plan);
  if (known !== undefined) return known;
  const all = holding(artifacts, plan).flatMap((record) => record.artifacts);
  const more = all.length - shownMax;
  const view = { heldUpBy: all.slice(0, shownMax), ...(more > 0 ? { heldUpByMore: more } : {}) };
  heldUp.set(plan, view);
  return view;
}

/**
 * Until when the claim of a task lasts, in milliseconds: a lease after the holder's last heartbeat, or after the start of
 * its second lease. Null: nobody holds it.
 */
export function leaseEndOf(
  { kept }: Work,
  { key, claim }: Pick<Task, "key" | "claim">,
  { signOf, leaseMs }: Pick<Viewer, "signOf" | "leaseMs">,
): number | null {
  if (claim === null) return null;
  const second = kept.get(claim.holder);
  const since = second?.tasks.includes(key) === true ? second.sinceMs : 0;
  return Math.max(signOf(claim.holder), since) + leaseMs;
}

interface Circumstances {
  readonly isHindered: boolean;
  readonly isSummarised: boolean;
  readonly viewer: Viewer;
}

function stateOf(task: Task, { isHindered, isSummarised, viewer }: Circumstances): TaskState {
  const { claim, report, verdict, withoutFiles, ended } = task;
  if (ended !== undefined) return "ended";
  if (isReturned(task)) return "returned";
  if (isReverted(task) && claim === null) return "reverted";
  if (claim !== null) return isRefuted({ verdict }) ? (verdict?.state ?? "claimed") : "claimed";
  if (report?.status !== "complete") return verdict?.state ?? (isHindered ? "blocked" : "available");
  const found = verdictOf({ report, verdict, withoutFiles }, viewer);
  const isProven = found === "verified" || found === "unavailable" || found === "unneeded";
  return isProven && isSummarised ? "complete" : (verdict?.state ?? "reported");
}

function verdictOf(
  { report, verdict, withoutFiles }: Pick<Task, "report" | "verdict" | "withoutFiles">,
  { hasRepository }: Pick<Viewer, "hasRepository">,
): ReportVerdict | null {
  if (verdict !== null) return verdict.state;
  if (report?.status !== "complete") return null;
  if (report.awaitsVerdict === true) return "awaited";
  return withoutFiles ? "unneeded" : hasRepository ? "awaited" : "unavailable";
}

/** What blocks a free task. */
function obstaclesOf(
  work: Work,
  task: Task,
  { agent, landsFirst }: Pick<Viewer, "agent" | "landsFirst">,
  comparing: Comparing,
): readonly string[] {
  const blockers = isBlocked(work, task, landsFirst) ? blockersOf(work, task, landsFirst) : [];
  const met = tasksMeeting(work.covered, task.files, { except: agent, most: shownMax, comparing });
  // In an order of their own: which is found first depends on what was compared before.
  const holders = [...met].toSorted().map((other) => work.tasks.get(other)?.task ?? other);
  return [...new Set([...blockers, ...holders])];
}
