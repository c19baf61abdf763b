/**
 * Taking turns at a team that several processes write. It saves lost races and is fair; what is safe is safe without it,
 * because a message that does not follow the last one is refused. While a team is contended its processes tell each other
 * by plain messages who writes and who waits, and at the end of a turn it goes to the one that waits longest. A turn that
 * takes more than half a second counts as ended.
 */
import { systemClock } from "../../base/clock.ts";
import type { TeamName } from "../../base/ids.ts";
import type { Link, Message } from "./connection.ts";

/** How long a team counts as contended after somebody waited for it or lost a race. */
const contendedMs = 2_000;
/** How long a turn may take before another begins its own. */
const turnMs = 500;

export interface Turns {
  /** Waits for this process's turn, where the team is contended. Answers how to end it. */
  take(team: TeamName): Promise<() => void>;
  /** A race was lost. */
  lost(team: TeamName): void;
  /** Calls `tell` where another process waits, or has lost a race. */
  onContention(tell: (team: TeamName) => void): void;
}

/** A plain message about turns: somebody waits, begins, or ends and names who is next (nobody: an empty string). */
interface Word {
  readonly wants?: string;
  readonly took?: string;
  readonly goes?: string;
}

interface TeamTurns {
  contendedUntil: number;
  /** Who writes, by the last message; an empty string: nobody. */
  holder: string;
  heldSince: number;
  /** Who waits, oldest first. */
  waiting: string[];
  /** Set while this process waits. */
  wake: (() => void) | null;
  /** Whether this process writes: two that began at once may both. */
  isMine: boolean;
}

/** The turns of the process `me`; `subjectOf` gives the subject of the messages about a team. */
export function newTurns(link: Link, subjectOf: (team: string) => string, me: string): Turns {
  const teams = new Map<string, TeamTurns>();
  let tell: (team: TeamName) => void = () => undefined;
  const of = (team: string): TeamTurns => {
    const known = teams.get(team) ?? newTeamTurns();
    teams.set(team, known);
    return known;
  };
  const contend = (team: string) => {
    of(team).contendedUntil = systemClock.monotonic() + contendedMs;
  };
  const say = (team: TeamName, word: Word) => link.tell(subjectOf(team), JSON.stringify(word));
  const end = (team: TeamName) => {
    const turns = of(team);
    turns.isMine = false;
    const next = turns.waiting.shift() ?? "";
    hold(turns, next);
    say(team, { goes: next });
  };
  link.listen(subjectOf("*"), (message) => {
    const { wants, took, goes } = readWord(message);
    const team = message.subject.split(".").at(-1) as TeamName; // compared only
    const other = wants ?? took;
    const turns = of(team);
    if (other !== undefined && other !== me) {
      contend(team);
      tell(team);
      if (wants === undefined) hold(turns, other);
      else if (!turns.waiting.includes(wants)) turns.waiting.push(wants);
    }
    if (goes === undefined) return;
    hold(turns, goes);
    if (goes !== me && goes !== "") return;
    // One that does not wait any more passes it on.
    if (turns.wake !== null) turns.wake();
    else if (goes === me && !turns.isMine) end(team);
  });
  return {
    async take(team) {
      const turns = of(team);
      if (systemClock.monotonic() > turns.contendedUntil) return () => undefined;
      while (turns.holder !== "" && turns.holder !== me) {
        const leftMs = turns.heldSince + turnMs - systemClock.monotonic();
        if (leftMs <= 0) break;
        const waiting = new AbortController();
        turns.wake = () => waiting.abort();
        say(team, { wants: me });
        await systemClock.wait(leftMs, waiting.signal);
        turns.wake = null;
      }
      if (turns.holder !== me) say(team, { took: me });
      hold(turns, me);
      turns.isMine = true;
      return () => {
        if (turns.isMine) end(team);
      };
    },
    lost: contend,
    onContention(listener) {
      tell = listener;
    },
  };
}

function newTeamTurns(): TeamTurns {
  return { contendedUntil: 0, holder: "", heldSince: 0, waiting: [], wake: null, isMine: false };
}

/** Notes that this one writes now; an empty string: nobody. */
function hold(turns: TeamTurns, holder: string): void {
  turns.holder = holder;
  turns.heldSince = systemClock.monotonic();
  turns.waiting = turns.waiting.filter((each) => each !== holder);
}

function readWord({ data }: Message): Word {
  try {
    const read: unknown = JSON.parse(Buffer.from(data).toString("utf8"));
    if (typeof read !== "object" || read === null) return {};
    const said = read as Readonly<Record<string, unknown>>;
    const named = (key: keyof Word) => (typeof said[key] === "string" ? { [key]: said[key] } : {});
    return { ...named("wants"), ...named("took"), ...named("goes") };
  } catch {
    return {}; // Anyone who may publish here can only cost time.
  }
}
