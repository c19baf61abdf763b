/** What can happen to tasks, as facts of the journal. `key` is how a task is compared, `task` its id as first written. */
import type { Problem } from "../../base/problem.ts";
import type { ArtifactRecord, TakenWork, Whereabouts } from "../../evidence/state.ts";
import type { Note } from "../../messages/message.ts";
import type { BranchesSeen } from "./branches.ts";
import type {
  ClaimGrown,
  ClaimReleased,
  ClaimsKept,
  FilesFreed,
  FilesTaken,
  LeasesExpired,
  LeasesRenewed,
  TaskClaimed,
} from "./claim-events.ts";
import type { Ask, CheckRecord, Ending, Finding, PlanSummary, Report } from "./task-state.ts";

/** A task came into the list, by a contract or by hand. */
export interface TaskAdded {
  readonly event: "task-added";
  readonly key: string;
  readonly task: string;
  /** Key of its plan, and the plan's id as written; null: it belongs to none. */
  readonly plan: string | null;
  readonly planName: string | null;
  readonly title: string | null;
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

/** The verifier cannot see the work any more, so the report has no verdict. In older entries also: verifiers differ. */
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

/** A message named artifacts; it is the last word on them, and on its subject. */
export interface ArtifactsNamed extends Omit<ArtifactRecord, "finding"> {
  readonly event: "artifacts-named";
}

/** The repository bore out what a message says of its artifacts, or did not. `message`: its seq. */
export interface ArtifactsJudged {
  readonly event: "artifacts-verified" | "artifacts-disputed";
  readonly message: number;
  /** Their paths as written. */
  readonly artifacts: readonly string[];
  readonly problems: readonly Problem[];
  readonly settledBy?: string;
  readonly seq: number;
}

export type WorkEvent =
  | BranchesSeen
  | TaskAdded
  | TaskChanged
  | TaskDropped
  | TaskEnded
  | TaskDiscussed
  | PlanOrdered
  | TaskClaimed
  | ClaimGrown
  | FilesTaken
  | FilesFreed
  | ClaimReleased
  | LeasesExpired
  | LeasesRenewed
  | ClaimsKept
  | TaskReported
  | TaskJudged
  | TaskReopened
  | FindingRecorded
  | VerdictOpened
  | VerdictSettled
  | FindingsDropped
  | PlanSummarised
  | ArtifactsNamed
  | ArtifactsJudged;

const workEvents: { readonly [event in WorkEvent["event"]]: true } = {
  "branches-seen": true,
  "task-added": true,
  "task-changed": true,
  "task-dropped": true,
  "task-ended": true,
  "task-discussed": true,
  "plan-ordered": true,
  "task-claimed": true,
  "claim-grown": true,
  "files-taken": true,
  "files-freed": true,
  "claim-released": true,
  "leases-expired": true,
  "leases-renewed": true,
  "claims-kept": true,
  "task-reported": true,
  "task-verified": true,
  "task-disputed": true,
  "task-gone": true,
  "task-stale": true,
  "task-reopened": true,
  "finding-recorded": true,
  "verdict-opened": true,
  "verdict-settled": true,
  "findings-dropped": true,
  "plan-summarised": true,
  "artifacts-named": true,
  "artifacts-verified": true,
  "artifacts-disputed": true,
};

/** Whether an event is about tasks. */
export function isWorkEvent<Other extends { readonly event: string }>(event: Other | WorkEvent): event is WorkEvent {
  return Object.hasOwn(workEvents, event.event);
}
