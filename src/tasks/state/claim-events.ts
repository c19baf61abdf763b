/** What can happen to claims, and to files that agents hold because they edit them, as facts of the journal. */

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
  /** Its holder named the files; absent: they are those of the task, or there are none. */
  readonly isNamed?: true;
  /** It came with a plan that its holder began; absent: the task itself was asked for. */
  readonly ofPlan?: true;
  readonly atMs: number;
  /** How long it lasts without a heartbeat of its holder. */
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
  /** Its holder named them to claim them; absent: they came with a report. */
  readonly isNamed?: true;
  /** The entry that brought them; absent in older entries: as old as the claim. */
  readonly seq?: number;
}

/** An agent began to edit files that nobody held. */
export interface FilesTaken {
  readonly event: "files-taken";
  readonly holder: string;
  readonly session: number;
  readonly files: readonly string[];
  /** Key of the task that they are edited for; null: the agent held none. */
  readonly task: string | null;
  /** Those that are not among the files that the task names; absent: all are, or it names none. */
  readonly outside?: readonly string[];
  readonly seq: number;
  readonly atMs: number;
}

/** Files that were held by edits are free. */
export interface FilesFreed {
  readonly event: "files-freed";
  readonly holder: string;
  readonly files: readonly string[];
  /**
   * `committed`: a commit has the edit. `reported`: the task is reported as complete. `silent`: the holder was silent for a
   * lease. `unchanged`: it ended its turn and left them as they were. Others as for a claim.
   */
  readonly reason: "committed" | "reported" | "silent" | "unchanged" | ClaimReleased["reason"];
}

/** A claim ended before its task was done. */
export interface ClaimReleased {
  readonly event: "claim-released";
  readonly key: string;
  readonly task: string;
  readonly holder: string;
  /**
   * `retired`: its holder left the team. `replaced`: it began a new session. `disappeared`: it was silent for too long.
   * `handed-over`: another accepted the task from it. `reassigned`: a lead or the owner gave the task to another agent,
   * or another agent took over a plan on which its holder did nothing for a lease.
   */
  readonly reason: "released" | "retired" | "replaced" | "disappeared" | "handed-over" | "reassigned";
}

/** Agents were silent for so long that their claims ended. A new claim fences the old one; until then it may complete. */
export interface LeasesExpired {
  readonly event: "leases-expired";
  readonly holders: readonly { readonly holder: string; readonly tasks: readonly string[] }[];
  readonly atMs: number;
}

/**
 * Agents were silent for a lease. These claims of theirs are kept for one more, counted from `sinceMs`, because each task
 * waits for the decision of an escalation.
 */
export interface ClaimsKept {
  readonly event: "claims-kept";
  readonly holders: readonly {
    readonly holder: string;
    readonly tasks: readonly KeptTask[];
    /** The holder's last heartbeat. */
    readonly signMs: number;
    readonly sinceMs: number;
  }[];
}

/** A task that waits for a decision; `task` as written. */
export interface KeptTask {
  readonly key: string;
  readonly task: string;
  readonly escalation: string;
}

/** Agents that seemed silent were not: they sent heartbeats outside the record, or the hub stood still, for `pausedMs`. */
export interface LeasesRenewed {
  readonly event: "leases-renewed";
  readonly pausedMs?: number;
  readonly holders: readonly { readonly holder: string; readonly signMs: number }[];
}
