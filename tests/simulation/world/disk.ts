/**
 * The simulated disk: a journal that outlives the processes over it. After a process died it is opened again, so that
 * whatever that process knew by heart is folded again from what is there.
 */

import type { TeamName } from "../../../src/base/ids.ts";
import { invariant } from "../../../src/base/invariant.ts";
import type { Journal } from "../../../src/journal/journal.ts";
import { openMemoryJournal } from "../../../src/journal/memory.ts";
import { openTeamJournal } from "../../../src/perform/open.ts";
import { teamProjection } from "../../../src/perform/projection.ts";
import type { TeamState } from "../../../src/perform/state.ts";
import type { SimulatedClock } from "./time.ts";

/** Where entries are kept. */
export interface Disk {
  /** The journal as it is open now. */
  journal(): Journal<TeamState>;
  /** Opens it again, as a process does that is started after another one died. */
  reopen(): Promise<void>;
  close(): Promise<void>;
}

/** Inserts something between the processes and the journal; tests plant errors this way. */
export type JournalWrapper = (journal: Journal<TeamState>) => Journal<TeamState>;

/** A disk that is the journal in memory. Opening it again carries the state through its snapshot. */
export function memoryDisk(team: TeamName, clock: SimulatedClock, wrap: JournalWrapper): Disk {
  const kept = openMemoryJournal(teamProjection, { clock });
  const journal = wrap(kept);
  return {
    journal: () => journal,
    async reopen() {
      const folded = await kept.state(team);
      invariant(folded.ok, "a journal in memory can be read");
      const { state } = folded.value;
      // The state is the simulation's own here: each part is replaced by what its snapshot says.
      Object.assign(state, teamProjection.decode(teamProjection.encode(state)));
    },
    close: () => kept.close(),
  };
}

/** A disk that is a journal in the file `path`. Opening it again closes the file, as the end of a process does. */
export async function fileDisk(path: string, clock: SimulatedClock, wrap: JournalWrapper): Promise<Disk> {
  const open = async (): Promise<Journal<TeamState>> => {
    const opened = await openTeamJournal(path, { clock });
    invariant(opened.ok, `the simulation's own file opens: ${opened.ok ? "" : opened.error.message}`);
    return wrap(opened.value);
  };
  let journal = await open();
  return {
    journal: () => journal,
    async reopen() {
      await journal.close();
      journal = await open();
    },
    close: () => journal.close(),
  };
}
