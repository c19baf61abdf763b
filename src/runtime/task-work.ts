/** Work on tasks: the part of `Team` that is about them, what its calls take and what they answer. */
import type { Problem } from "../base/problem.ts";
import type { Result } from "../base/result.ts";
import type { Board, TaskFilter, TaskView } from "../coordination/board.ts";
import type { PlanSummaryView } from "../coordination/summary-view.ts";
import type { ClaimAnswer, Reply } from "../operations/reply.ts";

/** A task to be added, or to be described anew: what is left out stays as it is. */
export interface NewTask {
  readonly task: string;
  readonly plan?: string;
  readonly title?: string;
  /** What it touches; `none`: it needs no change in files, such as research, and is done when it is reported. */
  readonly files?: readonly string[] | "none";
  readonly dependsOn?: readonly string[];
}

/** A task that an agent wants. Without files the claim covers those of the task. */
export interface ClaimedTask {
  readonly task: string;
  readonly plan?: string;
  readonly files?: readonly string[];
}

/** How a task stands. Without a status it is done. */
export interface CompletedTask {
  readonly task: string;
  readonly plan?: string;
  /** The fencing token of the claim; without it the acting agent's session counts. */
  readonly token?: number;
  /** The commit with the work, 7 to 64 hex digits, or several; needed once it is done, unless it needs no files. */
  readonly commit?: string | readonly string[];
  /** The work was finished before the task was recorded. A lead or an architect may say so. */
  readonly finishedBefore?: boolean;
  readonly status?: "complete" | "partial" | "failed";
  /** Files that the commit changes. */
  readonly files?: readonly string[];
  readonly deviations?: readonly string[];
  /** What shows that the work does what it should; a must-have that it names is covered, all are where it names none. */
  readonly evidence?: string;
}

/** A plan's summary; `date`: when it was recorded, else when it was asked for, RFC 3339. */
export interface PlanReport extends PlanSummaryView {
  readonly date: string;
}

/** Work on tasks. A task is named by its id, beside its plan where the id alone does not say which. */
export interface TaskWork {
  /** Every task as the acting agent sees it: claims of its own do not stand in its way. */
  tasks(filter?: TaskFilter): Promise<Result<readonly TaskView[], Problem>>;
  /** The tasks with what may be begun, for how many developers, and in which order the rest follows. */
  board(): Promise<Result<Board, Problem>>;
  /** What became of a plan. Refuses `not-found` where the plan has no tasks. */
  summary(plan: string): Promise<Result<PlanReport, Problem>>;
  /** Adds a task, or describes one anew. Owner, leads and architects. */
  addTask(task: NewTask, options?: { readonly id?: string }): Promise<Reply>;
  claim(task: ClaimedTask, options?: { readonly id?: string }): Promise<ClaimAnswer>;
  /** Keeps the acting agent's claims alive, and says until when. Every other act of the agent does so too. */
  renew(task: string, options?: { readonly token?: number; readonly id?: string }): Promise<ClaimAnswer>;
  /** Says how a task stands. Refuses `not-holder` and `fenced-claim`; what nobody holds is claimed and completed. */
  complete(task: CompletedTask, options?: { readonly id?: string }): Promise<Reply>;
  /** Ends the acting agent's claim; the owner and leads may end another's. */
  release(task: string, options?: { readonly token?: number; readonly id?: string }): Promise<Reply>;
}
