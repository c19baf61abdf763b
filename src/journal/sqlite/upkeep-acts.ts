/** Acts beside the record: raised marks, signs of life, a probe of the disk, a snapshot, a moved anchor. */
import type { TeamName } from "../../base/ids.ts";
import type { Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import { dropHeld } from "../held-ids.ts";
import type { Marks } from "../journal.ts";
import { raiseMarks } from "../memory.ts";
import { type Answer, answering } from "./acts.ts";
import type { Act } from "./append.ts";
import { idsBetweenLooks, indexIds } from "./id-index.ts";
import { writeSignOfLife } from "./life.ts";
import { readMarks, writeMarks } from "./marks.ts";
import { schemaVersion } from "./migrate.ts";
import { storeSnapshot } from "./snapshot.ts";
import { type KeptFold, type Store, teamNumber } from "./store.ts";

/** Raises an agent's marks. */
export function markAct(
  store: Store<unknown>,
  team: TeamName,
  agent: string,
  marks: Partial<Marks>,
  answer: Answer<void>,
): Act {
  let outcome: Result<void, Problem> = ok(undefined);
  return {
    ...answering(answer),
    team: null,
    perform() {
      const known = readMarks(store, team, agent);
      if (!known.ok) outcome = known;
      else outcome = writeMarks(store, team, agent, raiseMarks(known.value, marks));
      return 0;
    },
    settle: () => answer.resolve(outcome),
  };
}

/** Keeps an agent's sign of life. */
export function signAct(
  store: Store<unknown>,
  team: TeamName,
  agent: string,
  at: () => number,
  answer: Answer<void>,
): Act {
  return {
    ...answering(answer),
    team: null,
    perform() {
      writeSignOfLife(store, team, agent, at());
      return 0;
    },
    settle: () => answer.resolve(ok(undefined)),
  };
}

/** Writes the file's header as it is: a page of the log reaches the disk, and no table changes. */
export function probeAct(store: Store<unknown>, answer: Answer<void>): Act {
  return {
    ...answering(answer),
    team: null,
    perform() {
      store.db.exec(`PRAGMA user_version = ${schemaVersion}`);
      return 0;
    },
    settle: () => answer.resolve(ok(undefined)),
  };
}

/**
 * Stores a snapshot of the team's fold, and takes its ids into the table. Both are derived data: when they cannot be
 * stored, the journal is as good without.
 */
export function snapshotAct<State>(store: Store<State>, team: TeamName): Act {
  let stored: { readonly kept: KeptFold<State>; readonly seq: number; readonly indexed: number } | null = null;
  return {
    team: null,
    isAlone: true,
    perform() {
      const kept = store.folds.get(team);
      const number = teamNumber(store, team);
      if (kept === undefined || number === null) return 0;
      const indexed = indexIds(store, number, kept.fold);
      if (indexed === null) return 0;
      storeSnapshot(store, number, kept);
      stored = { kept, seq: kept.fold.head.seq, indexed };
      return 0;
    },
    settle() {
      if (stored === null) return;
      stored.kept.snapshotSeq = stored.seq;
      dropHeld(stored.kept.fold.held, stored.indexed);
      stored.kept.lookAtIds = idsBetweenLooks;
    },
    refuse: () => undefined,
    abandon(error) {
      throw error;
    },
  };
}

/** Writes nothing; the writer moves a due anchor before any act. `done` is called whatever happens. */
export function anchorAct(done: () => void, move: () => Problem | null): Act {
  return {
    team: null,
    isRepair: true,
    perform() {
      move();
      return 0;
    },
    settle: done,
    refuse: done,
    abandon(error) {
      throw error;
    },
  };
}
