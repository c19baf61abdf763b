/**
 * The check of claims: grants and ends are replayed in the order of the journal, and no two agents may ever have held the
 * same task or files, and of two grants of one task the later has the higher token. It compares paths by itself, without
 * anything of what decided the claims.
 */
import type { WorkEvent } from "../../src/coordination/tasks/work-events.ts";
import type { RecordedWork } from "./record.ts";

interface Held {
  readonly holder: string;
  readonly task: string;
  readonly files: readonly string[];
}

/** What is wrong with the claims, a sentence each. */
export function claimFaults(work: readonly RecordedWork[]): readonly string[] {
  const live = new Map<string, Held>();
  const tokens = new Map<string, number>();
  const faults: string[] = [];
  for (const { seq, event } of work) {
    for (const task of endedBy(event)) live.delete(task);
    faults.push(...tokenFaults({ seq, event }, tokens));
    const taken = takenBy(event, live);
    if (taken === null) continue;
    const before = live.get(taken.task);
    if (before !== undefined && before.holder !== taken.holder) {
      faults.push(`entry ${seq} grants ${taken.task} to ${taken.holder}, and ${before.holder} holds it`);
    }
    for (const other of live.values()) {
      const shared = other.holder === taken.holder ? null : sharedFile(other.files, taken.files);
      if (shared !== null) faults.push(`entry ${seq} gives ${taken.holder} ${shared}, which ${other.holder} holds`);
    }
    live.set(taken.task, taken);
  }
  return faults;
}

/** Whether a grant's token is newer than that of the task's grant before, which `tokens` knows; notes it there. */
function tokenFaults({ seq, event }: RecordedWork, tokens: Map<string, number>): readonly string[] {
  if (event.event !== "task-claimed") return [];
  const { task, token } = event;
  const before = tokens.get(task) ?? Number.NEGATIVE_INFINITY;
  tokens.set(task, token);
  return token > before ? [] : [`entry ${seq} grants ${task} under token ${token}, not newer than ${before}`];
}

/** Whether two lists hold the same, in any order. */
export function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.toSorted().join("\n") === other.toSorted().join("\n");
}

/** Tasks that nobody holds any more after this. */
function endedBy(event: WorkEvent): readonly string[] {
  if (event.event === "claim-released" || event.event === "task-dropped") return [event.task];
  if (event.event === "task-reported") return event.status === "complete" ? [event.task] : [];
  return event.event === "leases-expired" ? event.holders.flatMap(({ tasks }) => tasks) : [];
}

/** The claim as it is after this; null: nothing is claimed. */
function takenBy(event: WorkEvent, live: ReadonlyMap<string, Held>): Held | null {
  if (event.event === "task-claimed") return { holder: event.holder, task: event.task, files: event.files };
  if (event.event !== "claim-grown") return null;
  return { holder: event.holder, task: event.task, files: [...(live.get(event.task)?.files ?? []), ...event.files] };
}

/** A file or folder of the second list that the first holds too; null: none. The demo claims no globs. */
function sharedFile(one: readonly string[], other: readonly string[]): string | null {
  return other.find((file) => one.some((each) => lies(file, each) || lies(each, file))) ?? null;
}

/** Whether a file or folder is the other, or lies in it. */
function lies(path: string, folder: string): boolean {
  const below = folder.endsWith("/") ? folder : `${folder}/`;
  return path === folder || path.startsWith(below);
}
