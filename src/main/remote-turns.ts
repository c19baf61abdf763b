/**
 * Which hub of a journal works with a remote: one at a time, so that two hubs do not both send a message. The turn is a note
 * next to the entries, which changes under the team's lock. It lasts for half a minute and is prolonged while there is work,
 * so another hub continues where one was killed.
 * Rules: docs/protocol/doors.md, section 17.
 */
import { steadyNow } from "../base/clock.ts";
import type { TeamName } from "../base/ids.ts";
import { isJsonList, parseBounded } from "../base/json.ts";
import { newMessageId } from "../base/new-ids.ts";
import type { Journal } from "../journal/journal.ts";
import { isRunning, processNow } from "../workspace/agent-sessions.ts";

/** How long a turn lasts, in milliseconds of the journal's clock. */
const turnMs = 30_000;
/** With less left it is prolonged: a request to a remote takes less than this, so a message is not sent after its turn. */
const leftMsMin = 15_000;

/** `kept`: this hub had the turn; `taken`: it has it now, and what it read before may be old; `others`: it has it not. */
type Turn = "kept" | "taken" | "others";

export interface RemoteTurns {
  /** Takes or prolongs the turn. `others` also where the journal does not answer. */
  take(remote: string): Promise<Turn>;
  /** Whether another hub has the turn now. */
  isOthers(remote: string): Promise<boolean>;
  /** Gives the turn back, for another hub to take at once. */
  leave(remote: string): Promise<void>;
  /** Gives back the turns of the remotes that are not in `kept`. */
  keepOnly(kept: ReadonlySet<string>): Promise<void>;
}

type TurnsJournal = Pick<Journal<unknown>, "abilities" | "clock" | "notes" | "note">;

interface Holder {
  readonly hub: string;
  readonly untilMs: number;
  /** The hub's process; null: its machine does not say when a process started. */
  readonly process: string | null;
}

/** The turns of one hub for its team. */
export function remoteTurns(journal: TurnsJournal, team: TeamName): RemoteTurns {
  const hub = newMessageId();
  const held = new Map<string, number>();
  const isOther = (text: string | null): boolean => {
    const holder = holderIn(text);
    if (holder === null || holder.hub === hub || steadyNow(journal.clock) >= holder.untilMs) return false;
    // Only the processes of this machine use such a journal, so here it is known that a hub was killed.
    const isGone = journal.abilities.reach === "machine" && holder.process !== null && !isRunning(holder.process);
    return !isGone;
  };
  const isOthers = async (remote: string): Promise<boolean> => {
    const notes = await journal.notes(team);
    return !notes.ok || isOther(notes.value.get(noteName(remote)) ?? null);
  };
  const leave = async (remote: string): Promise<void> => {
    if (!held.delete(remote)) return;
    // Where the journal does not answer, the turn ends by itself.
    await journal.note(team, noteName(remote), (before) => (holderIn(before)?.hub === hub ? "[]" : null));
  };
  return {
    isOthers,
    async take(remote) {
      const now = steadyNow(journal.clock);
      const until = held.get(remote) ?? 0;
      if (now < until - leftMsMin) return "kept";
      // Looking takes no lock.
      let isTaken = false;
      if (!(await isOthers(remote))) {
        const untilMs = now + turnMs;
        const noted = await journal.note(team, noteName(remote), (before) => {
          isTaken = !isOther(before);
          return isTaken ? JSON.stringify([hub, untilMs, processNow()]) : null;
        });
        isTaken &&= noted.ok;
        if (isTaken) held.set(remote, untilMs);
      }
      if (!isTaken) held.delete(remote);
      if (!isTaken) return "others";
      return now < until ? "kept" : "taken";
    },
    leave,
    async keepOnly(kept) {
      for (const remote of [...held.keys()].filter((each) => !kept.has(each))) await leave(remote);
    },
  };
}

/** No agent's note can have such a name. */
function noteName(remote: string): string {
  return `baton/remote/${remote}`;
}

/** Null: nobody has the turn; anything that this file did not write counts as nobody. */
function holderIn(text: string | null): Holder | null {
  const read = text === null ? null : parseBounded(text);
  const [hub, untilMs, process] = read?.ok === true && isJsonList(read.value) ? read.value : [];
  if (typeof hub !== "string" || typeof untilMs !== "number") return null;
  return { hub, untilMs, process: typeof process === "string" ? process : null };
}
