/** Seats: how many streams, or waits, one principal may hold at a time. */

export interface Seats {
  /** A seat for this principal, given back by calling it; null: all are taken. */
  take(principal: string): (() => void) | null;
}

/** `max` seats for each principal. */
export function newSeats(max: number): Seats {
  const taken = new Map<string, number>();
  return {
    take(principal) {
      const count = taken.get(principal) ?? 0;
      if (count >= max) return null;
      taken.set(principal, count + 1);
      let isBack = false;
      return () => {
        if (isBack) return;
        isBack = true;
        const left = (taken.get(principal) ?? 1) - 1;
        if (left === 0) taken.delete(principal);
        else taken.set(principal, left);
      };
    },
  };
}
