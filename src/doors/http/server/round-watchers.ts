/**
 * Who waits for the end of a shutdown round, as far as a hub knows: callers that recently saw an open round and not its
 * end. A hub that ends after a round waits for them.
 */
import type { Clock } from "../../../base/clock.ts";
import type { ShutdownView } from "../../../operations/shutdowns.ts";

export interface RoundWatchers {
  /** Notes that rounds of this team are shown to somebody. */
  show(team: string, who: string, rounds: readonly ShutdownView[]): void;
  /** Whether somebody who asked for a round within the last `askedMsMax` has not seen its end. */
  areWaiting(): boolean;
}

/** Who asks less often than that does not wait. */
export const askedMsMax = 10_000;

/** Nobody waits. */
export function newRoundWatchers(clock: Clock): RoundWatchers {
  /** When each was last shown that a round goes on, the longest ago first. */
  const shownAt = new Map<string, number>();
  const dropOld = () => {
    for (const [key, atMs] of shownAt) {
      if (atMs + askedMsMax > clock.monotonic()) return;
      shownAt.delete(key);
    }
  };
  return {
    show(team, who, rounds) {
      for (const { requester, round, outcome } of rounds) {
        const key = JSON.stringify([team, requester, round, who]);
        shownAt.delete(key);
        if (outcome === "open") shownAt.set(key, clock.monotonic());
      }
      dropOld();
    },
    areWaiting() {
      dropOld();
      return shownAt.size > 0;
    },
  };
}
