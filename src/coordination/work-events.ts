/** What can happen to tasks, as facts of the journal. `key` is how a task is compared, `task` its id as first written. */

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
  readonly dependsOn: readonly string[];
  /** Keys of `dependsOn`. */
  readonly needs: readonly string[];
  readonly source: "contract" | "command";
  readonly seq: number;
}

/** A task of the list was described anew. */
export interface TaskChanged {
  readonly event: "task-changed";
  readonly key: string;
  readonly task: string;
  readonly title: string | null;
  readonly files: readonly string[];
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

/** A task was granted to an agent. `token` is the seq of the grant. */
export interface TaskClaimed {
  readonly event: "task-claimed";
  readonly key: string;
  readonly task: string;
  readonly holder: string;
  readonly session: number;
  readonly token: number;
  readonly files: readonly string[];
  /** No files were named, so the claim grows by those that its holder names. */
  readonly grows: boolean;
  readonly atMs: number;
  /** How long it lives without a sign of life of its holder. */
  readonly leaseMs: number;
}

/** A claim covers more files than before. */
export interface ClaimGrown {
  readonly event: "claim-grown";
  readonly key: string;
  readonly task: string;
  readonly holder: string;
  /** Those that came. */
  readonly files: readonly string[];
}

/** A claim ended before its task was done. */
export interface ClaimReleased {
  readonly event: "claim-released";
  readonly key: string;
  readonly task: string;
  readonly holder: string;
  /** `retired`: its holder left the team. */
  readonly reason: "released" | "retired";
}

export type WorkEvent = TaskAdded | TaskChanged | TaskDropped | PlanOrdered | TaskClaimed | ClaimGrown | ClaimReleased;

const workEvents: { readonly [event in WorkEvent["event"]]: true } = {
  "task-added": true,
  "task-changed": true,
  "task-dropped": true,
  "plan-ordered": true,
  "task-claimed": true,
  "claim-grown": true,
  "claim-released": true,
};

/** Whether an event is about tasks. */
export function isWorkEvent<Other extends { readonly event: string }>(event: Other | WorkEvent): event is WorkEvent {
  return Object.hasOwn(workEvents, event.event);
}
