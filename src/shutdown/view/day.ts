/**
 * The page of a day: what landed, what waits, what came back, what is open, and what needs the person. Pure, and fit for a
 * browser.
 */
import { conflictsAt } from "../../evidence/state.ts";
import type { TaskView } from "../../tasks/view/task-view.ts";
import type { ShutdownView } from "../operations.ts";

export interface Day {
  /** Tasks whose work was reported, verified or landed since the last stop and is on the main branch, or that need none. */
  readonly landed: readonly string[];
  /** Verified, and not on the main branch. */
  readonly waiting: readonly string[];
  /** The work is not as it was reported, or does not merge: its author goes on with it. */
  readonly returned: readonly string[];
  readonly open: readonly { readonly task: string; readonly holder: string | null }[];
}

/** The day that ends with the round `last`; null: no round was needed. */
export function dayOf(tasks: readonly TaskView[], rounds: readonly ShutdownView[], last: string | null): Day {
  const before = rounds.findLast(({ round, outcome }) => outcome !== "open" && round !== last);
  const groups = Map.groupBy(tasks, groupOf);
  const named = (group: Group) => groups.get(group) ?? [];
  return {
    landed: named("landed").flatMap(({ task, seq }) => (seq > (before?.seq ?? 0) ? [task] : [])),
    waiting: named("waiting").map(({ task }) => task),
    returned: named("returned").map(({ task }) => task),
    open: named("open").map(({ task, holder }) => ({ task, holder })),
  };
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
  if (
    state === "disputed" ||
    state === "reverted" ||
    state === "gone" ||
    conflictsAt(place && { ...place, notes }).length > 0
  )
    return "returned";
  if (state !== "verified" && state !== "complete") return "open";
  // Nobody looks for work that needs no file, or where there is no repository.
  const isThere = place?.at === "landed" || place?.at === "settled";
  return isThere || verdict === "unneeded" || verdict === "unavailable" ? "landed" : "waiting";
}
