/**
 * What can happen to claims, and to files that agents hold because they edit them, as facts of the journal; and how each
 * changes the work. Source: docs/protocol/tasks.md, sections 13 to 15.
 */
import { invariant } from "../../base/invariant.ts";
import { foldAsStored } from "../../base/paths/paths.ts";
import { keepSignOf, settleWatch } from "../../perform/deadlines.ts";
import { enter, leave } from "../../perform/decider.ts";
import { sightingAt } from "./branches.ts";
import { addFiles, removeFiles } from "./claim-index.ts";
import { isDone, isGone } from "./report-status.ts";
import { type Claim, type KeptClaims, keepPast, type StayingTree, type Task, type Work } from "./task-state.ts";

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
  /** Files that nobody committed keep its holder's tree from what has landed; absent: none do. */
  readonly stays?: StayingTree;
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

/** Everything that can happen to claims and edits. */
export type ClaimEvent =
  | TaskClaimed
  | ClaimGrown
  | FilesTaken
  | FilesFreed
  | ClaimReleased
  | LeasesExpired
  | LeasesRenewed
  | ClaimsKept;

/** What each does to the work, in place. */
export const claimFolds: { readonly [Event in ClaimEvent as Event["event"]]: (work: Work, event: Event) => void } = {
  "task-claimed": keepClaim,
  "claim-grown": grow,
  "files-taken": keepTaken,
  "files-freed": keepFreed,
  "claim-released": (work, { key }) => free(work, taskAt(work, key)),
  "leases-expired": (work, { holders }) => {
    for (const { tasks } of holders) for (const key of tasks) free(work, taskAt(work, key));
  },
  "leases-renewed": (work, { holders }) => {
    for (const { holder, signMs } of holders) keepSign(work, holder, signMs);
  },
  "claims-kept": (work, { holders }) => {
    for (const { holder, tasks, signMs, sinceMs } of holders)
      keepForDecision(work, holder, { tasks: tasks.map(({ key }) => key), signMs, sinceMs });
  },
};

function keepClaim(work: Work, event: TaskClaimed): void {
  const task = taskAt(work, event.key);
  free(work, task);
  const { holder, session, token, files, grows, isNamed = false, ofPlan = false, atMs } = event;
  const given = { holder, session, token, files, grows, isNamed, ofPlan, atMs };
  const claim: Claim = { ...given, growths: [], editedMs: null };
  replace(work, { ...task, claim, grants: granted(task, holder, token) });
  enter(work.held, holder, task.key);
  work.stays.delete(holder);
  if (event.stays !== undefined) work.stays.set(holder, { ...event.stays, key: task.key, seq: token, isBegun: true });
  cover(work, task.key, holder, files);
  keepSign(work, holder, atMs);
}

/** The last grant to each agent, with that of this token. */
export function granted(task: Task, holder: string, token: number): Task["grants"] {
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

function keepTaken(work: Work, { holder, session, files, task, outside = [], seq, atMs }: FilesTaken): void {
  const branches = sightingAt(work.branches, seq);
  for (const file of files) {
    const key = foldAsStored(file);
    const before = work.handedOn.get(key) ?? null;
    work.handedOn.delete(key);
    const isOutside = outside.includes(file);
    work.edits.set(key, { file, holder, session, task, isOutside, atMs, seq, branches, before });
  }
  const edited = task === null ? undefined : work.tasks.get(task);
  if (edited?.claim?.holder !== holder) return;
  work.tasks.set(edited.key, { ...edited, claim: { ...edited.claim, editedMs: atMs } });
}

function keepFreed(work: Work, { holder, files, reason }: FilesFreed): void {
  for (const file of files) {
    const key = foldAsStored(file);
    const edit = work.edits.get(key);
    if (edit?.holder !== holder) continue;
    work.edits.delete(key);
    const task = edit.task === null ? null : (work.tasks.get(edit.task)?.task ?? edit.task);
    keepPast(work, { holder, task, files: [file], atMs: edit.atMs });
    if (reason === "committed") work.handedOn.set(key, holder);
  }
}

/** Ends the task's claim, where it has one. */
export function free(work: Work, task: Task): void {
  const { claim, key } = task;
  if (claim === null) return;
  keepPast(work, { holder: claim.holder, task: task.task, files: claim.files, atMs: claim.atMs });
  removeFiles(work.covered, { task: key, holder: claim.holder }, claim.files);
  leave(work.held, claim.holder, key);
  if (!work.held.has(claim.holder)) work.kept.delete(claim.holder);
  replace(work, { ...task, claim: null });
}

/** Puts the record in the place of the one before, and its plan's open tasks right. */
export function replace(work: Work, task: Task): void {
  work.tasks.set(task.key, task);
  if (task.ask !== undefined) {
    const isOpen = task.ended === undefined && !isDone(task);
    (isOpen ? enter : leave)(work.openAsks, task.ask.asker, task.key);
  }
  const plan = task.plan === null || task.ended !== undefined ? undefined : work.plans.get(task.plan);
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

/** The task that an event is about. */
export function taskAt(work: Work, key: string): Task {
  const task = work.tasks.get(key);
  invariant(task !== undefined, `an event about a task follows the one that added it: ${key}`);
  return task;
}

/** Starts the second lease of a holder's claims, in place. */
function keepForDecision(work: Work, holder: string, kept: KeptClaims): void {
  work.kept.set(holder, kept);
  keepSignOf(work, holdersOf(work), holder, kept.sinceMs);
}

/** Notes that a holder showed itself, in place. Of who holds nothing no sign is kept. */
export function keepSign(work: Work, agent: string, signMs: number): void {
  work.kept.delete(agent);
  keepSignOf(work, holdersOf(work), agent, signMs);
}

/** Repairs the head of the heap: removes an agent that holds nothing, and reinserts one that sent a heartbeat since. */
export function settle(work: Work): void {
  settleWatch(work, holdersOf(work));
}

/** Whether an agent holds something. */
export function holdersOf({ held }: Work): (agent: string) => boolean {
  return (agent) => held.has(agent);
}
