/** The act that appends entries of another journal as they are: one transaction, all or none. */
import type { TeamName } from "../../base/ids.ts";
import type { Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import { continuation } from "../chain.ts";
import type { Entry } from "../entry.ts";
import type { Head } from "../journal.ts";
import { type Answer, addSealed, answering, type Recorded } from "./acts.ts";
import type { Act } from "./append.ts";
import { foldNow } from "./read.ts";
import type { Store } from "./store.ts";

/** Appends what of `entries` the team's stream does not hold yet. Refuses as `continuation` does. */
export function restoreAct<State>(
  store: Store<State>,
  team: TeamName,
  entries: readonly Entry[],
  answer: Answer<Head>,
  recorded: Recorded,
): Act {
  let outcome: Result<Head, Problem>;
  const written: Entry[] = [];
  return {
    ...answering(answer),
    team,
    perform() {
      written.length = 0;
      const kept = foldNow(store, team);
      if (!kept.ok) {
        outcome = kept;
        return 0;
      }
      const more = continuation(team, kept.value.fold.head, entries);
      if (!more.ok) {
        outcome = more;
        return 0;
      }
      let bytes = 0;
      for (const sealed of more.value) {
        bytes += addSealed(store, team, kept.value, sealed).bytes;
        written.push(sealed.entry);
      }
      outcome = ok(kept.value.fold.head);
      return bytes;
    },
    settle() {
      for (const entry of written) recorded(entry);
      answer.resolve(outcome);
    },
  };
}
