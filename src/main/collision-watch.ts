/** A hub's watch on the agents' trees: who changes the same file as another learns of it soon. */
import { systemClock } from "../base/clock.ts";
import type { TeamName } from "../base/ids.ts";
import { lookAtTrees, nothingSeen } from "../evidence/services/collisions.ts";
import type { RepositoryPlace } from "../evidence/services/gate.ts";
import type { Hub } from "../perform/hub.ts";

const lookMs = 500;

/** Looks until `signal` aborts. */
export async function watchTrees(
  { journal }: Pick<Hub, "journal">,
  { team, place }: { readonly team: TeamName; readonly place: RepositoryPlace },
  signal: AbortSignal,
): Promise<void> {
  const seen = nothingSeen();
  const context = { journal, team, clock: journal.clock };
  while (!signal.aborted) {
    if (journal.condition().condition === "ready") await lookAtTrees(context, place, seen);
    await systemClock.wait(lookMs, signal);
  }
}
