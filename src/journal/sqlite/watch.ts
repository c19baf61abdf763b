/**
 * Noticing what other processes append: the connection's `data_version` is asked every few milliseconds while anyone
 * follows, oftener while things happen. What this process appends rings the bell by itself.
 */
import { systemClock } from "../../base/clock.ts";
import { isSqliteError } from "./fault.ts";
import { dataVersion, type Store } from "./store.ts";

/** Time between two looks while entries come, and while nothing happens; both well below the promised 50 ms. */
const busyMs = 8;
const quietMs = 20;
/** How many looks without news make it quiet. */
const looksUntilQuiet = 50;

/** Keeps looking while somebody has joined. */
export interface Watch {
  /** Joins the followers; the returned function leaves again. */
  join(): () => void;
}

/** The watch of an open journal; ends with `signal`. */
export function watchOthers(store: Store<unknown>, signal: AbortSignal): Watch {
  let followers = 0;
  let isLooking = false;
  let seen = -1;

  const look = (): boolean => {
    try {
      const version = dataVersion(store);
      const isNew = version !== seen;
      seen = version;
      return isNew;
    } catch (error) {
      // Busy for a moment, or unreadable: the followers' own reads will tell which; waking them costs nothing.
      if (isSqliteError(error)) return true;
      throw error;
    }
  };

  const keepLooking = async () => {
    for (let quietLooks = 0; followers > 0 && !signal.aborted; quietLooks += 1) {
      await systemClock.wait(quietLooks < looksUntilQuiet ? busyMs : quietMs, signal);
      if (signal.aborted || !look()) continue;
      quietLooks = -1;
      store.bell.ring();
    }
    isLooking = false;
  };

  return {
    join() {
      followers += 1;
      if (!isLooking && !signal.aborted) {
        isLooking = true;
        look();
        void keepLooking();
      }
      return () => {
        followers -= 1;
      };
    },
  };
}
