/** Moments at which an agent waits, as long work would, until whoever started it lets it go on. */
import { invariant } from "../src/base/invariant.ts";
import { type Moment, moments } from "./agent-order.ts";

export interface Holds {
  /** Lets work go on past the moment that a line names, now or when it comes; other lines mean nothing. */
  lift(line: string): void;
  /** Resolves when the moment is lifted. */
  lifted(moment: Moment): Promise<void>;
}

/** Holds that are all still in force. */
export function makeHolds(): Holds {
  const waiting = new Map(moments.map((moment) => [moment as string, Promise.withResolvers<void>()]));
  return {
    lift: (line) => waiting.get(line)?.resolve(),
    lifted: (moment) => {
      const hold = waiting.get(moment);
      invariant(hold !== undefined, "every moment has a hold");
      return hold.promise;
    },
  };
}
