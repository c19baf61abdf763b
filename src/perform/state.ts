/**
 * The team's state as the runtime folds it from the journal: roster and definition, the work, and how far each
 * agent's mail has come. The journal hands it to every attempt and snapshots it.
 */

import type { ArchiveNotice } from "../journal/archive-notice.ts";
import { type EntryKind, entryKinds } from "../journal/entry.ts";
import type { RefusalLoops, RefusedRequests } from "../needs/view/refusal-loops.ts";
import { type CredentialState, initialCredentials } from "../team/state/credentials.ts";
import { initialTeam, type TeamRevisionState } from "../team/state/revision.ts";
import { type CoordinationState, initialCoordination, type StatePart } from "./coordination-state.ts";

/** An agent's mail: the cursor that only its own acknowledgement moves, and what lies beyond it. */
export interface Mail {
  acknowledged: number;
  /** Seqs addressed to the agent after the cursor, ascending. */
  waiting: number[];
}

export interface TeamState {
  team: TeamRevisionState;
  credentials: CredentialState;
  coordination: CoordinationState;
  mail: Map<string, Mail>;
  /** When each principal's last entry was recorded. */
  lastActs: Map<string, string>;
  counts: Record<EntryKind, number>;
  /** The entry that last changed each part. */
  changed: Map<StatePart | "team" | "refusals", number>;
  /** What agents of the team were refused for lately. */
  refusals: RefusalLoops;
  /** Which requests of an agent were refused since something of it was accepted. */
  refusedRequests: RefusedRequests;
  /** The address, without credentials, of the journal into which an older version moved the team; null or absent: none. */
  moved?: string | null;
  /** The archive of the team, which has ended, as an older journal says; null or absent: it goes on. */
  archived?: TeamArchive | null;
}

/** The archive of a team that has ended. */
export interface TeamArchive extends ArchiveNotice {
  /** The entry that names it. */
  readonly seq: number;
  /** Whether this journal has given up what is in it. */
  readonly isGivenUp: boolean;
}

/** The state before the first entry. */
export function initialState(): TeamState {
  const counts = Object.fromEntries(entryKinds.map((kind) => [kind, 0])) as Record<EntryKind, number>;
  return {
    team: initialTeam(),
    credentials: initialCredentials(),
    coordination: initialCoordination(),
    mail: new Map(),
    lastActs: new Map(),
    counts,
    changed: new Map(),
    refusals: new Map(),
    refusedRequests: new Map(),
  };
}
