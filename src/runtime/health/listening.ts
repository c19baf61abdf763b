/**
 * Since when a hub hears whoever speaks to it. It looks at deadlines every second; when it comes back late, it was stopped
 * or held up, and has heard nobody meanwhile. How late is too late depends on the team: see `awayMsOf`.
 * Source: docs/protocol/health.md.
 */
import { type Clock, steadyNow } from "../../base/clock.ts";
import { awayMsMax, awayMsMin } from "../../team/definition.ts";

export interface Listening {
  /** Since when nobody was missed, where a hub counts as away that did not look for longer than `awayMs`. */
  sinceMs(awayMs: number): number;
  /** The hub looks at deadlines. */
  look(): void;
}

/** Listens from now on. */
export function listen(clock: Clock): Listening {
  const begunMs = steadyNow(clock);
  let lookedMs = begunMs;
  /** Times without a look, each longer than all that came after it. */
  let absences: readonly { readonly endMs: number; readonly forMs: number }[] = [];
  const look = (): void => {
    const nowMs = steadyNow(clock);
    // Beyond the longest that anybody asks about they are all the same.
    const forMs = Math.min(nowMs - lookedMs, awayMsMax + 1);
    lookedMs = nowMs;
    if (forMs <= awayMsMin) return;
    absences = [...absences.filter((each) => each.forMs > forMs), { endMs: nowMs, forMs }];
  };
  return {
    look,
    // Whatever asks may come before the next look.
    sinceMs: (awayMs) => {
      look();
      return absences.findLast(({ forMs }) => forMs > awayMs)?.endMs ?? begunMs;
    },
  };
}
