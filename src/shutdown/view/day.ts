/**
 * The page of a day: what landed, what waits, what came back, what is open, and what needs the person. Pure, and fit for a
 * browser.
 */
import { conflictsAt } from "../../evidence/state.ts";
import { isBatons } from "../../tasks/state/task-state.ts";
import type { TaskView } from "../../tasks/view/task-view.ts";
import type { ShutdownView } from "../operations.ts";

export interface Day {
  /** Tasks whose work was reported, verified or landed since the last stop and is on the main branch, or that need none. */
  readonly landed: readonly string[];
  /** On Baton's own branch, from which the person's has not moved on yet. */
  readonly ahead: readonly { readonly task: string; readonly branch: string }[];
  /** Somebody decided since the last stop that the task is done, wherever its work is. */
  readonly settled: readonly string[];
  /** Verified, and not on the main branch. */
  readonly waiting: readonly string[];
  /** The work is not as it was reported, or does not merge: its author goes on with it. */
  readonly returned: readonly string[];
  /** Landed work that was taken back on purpose. */
  readonly undone: readonly string[];
  readonly open: readonly { readonly task: string; readonly holder: string | null }[];
}

/** The day that ends with the round `last`; null: no round was needed. */
export function dayOf(tasks: readonly TaskView[], rounds: readonly ShutdownView[], last: string | null): Day {
  const before = rounds.findLast(({ round, outcome }) => outcome !== "open" && round !== last);
  const groups = Map.groupBy(tasks, groupOf);
  const all = (group: Group) => (groups.get(group) ?? []).map(({ task }) => task);
  const since = (group: Group) =>
    (groups.get(group) ?? []).flatMap(({ task, seq }) => (seq > (before?.seq ?? 0) ? [task] : []));
  return {
    landed: since("landed"),
    ahead: (groups.get("ahead") ?? []).map(({ task, place }) => ({ task, branch: place?.branch ?? "" })),
    settled: since("settled"),
    waiting: all("waiting"),
    returned: all("returned"),
    undone: all("undone"),
    open: (groups.get("open") ?? []).map(({ task, holder }) => ({ task, holder })),
  };
}

/** What is shown of it: what each part is called, and its tasks. */
export function dayRows(day: Day): readonly (readonly [string, readonly string[]])[] {
  const rows: readonly (readonly [string, readonly string[]])[] = [
    ["landed", day.landed],
    [`on ${day.ahead[0]?.branch}`, day.ahead.map(({ task }) => task)],
    ["settled", day.settled],
    ["waiting to land", day.waiting],
    ["came back", day.returned],
    ["undone", day.undone],
    ["open", day.open.map(({ task, holder }) => (holder === null ? task : `${task} (${holder})`))],
  ];
  return rows.filter(([, tasks]) => tasks.length > 0);
}

/** Whether a round is over and nobody has taken or reported anything since: then the day is over. */
export function isDayOver(
  tasks: readonly Pick<TaskView, "report" | "token">[],
  round: Pick<ShutdownView, "seq" | "outcome"> | undefined,
): boolean {
  if (round === undefined || round.outcome === "open") return false;
  return tasks.every(({ report, token }) => Math.max(report ?? 0, token ?? 0) < round.seq);
}

type Group = keyof Day | "ended";

function groupOf({ state, holder, place, verdict, notes }: TaskView): Group {
  if (holder !== null) return "open";
  if (state === "ended") return "ended";
  if (state === "reverted") return "undone";
  if (
    state === "disputed" ||
    state === "gone" ||
    state === "returned" ||
    conflictsAt(place && { ...place, notes }).length > 0
  )
    return "returned";
  if (state !== "verified" && state !== "complete") return "open";
  // Nobody looks for work that needs no file, or where there is no repository.
  if (place?.at === "settled") return "settled";
  if (place?.at === "landed") return isBatons(place.branch ?? "") ? "ahead" : "landed";
  return verdict === "unneeded" || verdict === "unavailable" ? "landed" : "waiting";
}
