/** A hub's watch on the agents' trees: who changes the same file as another learns of it soon. */
import { systemClock } from "../base/clock.ts";
import type { TeamName } from "../base/ids.ts";
import type { HubLog } from "../doors/http/index.ts";
import { lookAtTrees, nothingSeen } from "../evidence/services/collisions.ts";
import type { RepositoryPlace } from "../evidence/services/gate.ts";
import type { Hub } from "../perform/hub.ts";

const lookMs = 500;
const failedLookMs = 10_000;

/** Looks until `signal` aborts. */
export async function watchTrees(
  { journal }: Pick<Hub, "journal">,
  { team, place }: { readonly team: TeamName; readonly place: RepositoryPlace },
  log: HubLog,
  signal: AbortSignal,
): Promise<void> {
  const context = { journal, team, clock: journal.clock };
  let seen = nothingSeen();
  let told = "";
  while (!signal.aborted) {
    let waitMs = lookMs;
    try {
      if (journal.condition().condition === "ready") await lookAtTrees(context, place, seen);
    } catch (cause) {
      // A full disk, or a tree that is removed while it is read: the hub goes on, and looks at all again.
      const why = cause instanceof Error ? cause.message : "";
      if (why !== told) log.warn({ why }, "the agents' trees cannot be looked at");
      [told, seen, waitMs] = [why, nothingSeen(), failedLookMs];
    }
    await systemClock.wait(waitMs, signal);
  }
}
