/**
 * Taking turns at a team that several processes write. It saves lost races and is fair; what is safe is safe without it,
 * because a message that does not follow the last one is refused. While a team is contended its processes tell each other
 * by plain messages who writes and who waits, and at the end of a turn it goes to the one that waits longest. A process
 * whose turn takes longer, such as one behind a slow link, says so again and again; half a second after its last message a
 * turn counts as ended.
 */
import { systemClock } from "../../base/clock.ts";
import type { TeamName } from "../../base/ids.ts";
import type { Link } from "./connection.ts";
import type { Message } from "./driver.ts";

/** How long a team is contended after somebody waited for it or lost a race: one behind a slow link reads for long. */
const contendedMs = 30_000;
/** How long a turn may take before another begins its own. */
const turnMs = 500;
/** How often a process says that its turn goes on, and how many times: one that hangs gives way. */
const renewMs = 200;
const renewalsMax = 25;

export interface Turns {
  /** Waits for this process's turn, where the team is contended. */
  take(team: TeamName): Promise<Turn>;
  /** A race was lost. */
  lost(team: TeamName): void;
  /** Calls `tell` where another process waits, or has lost a race. */
  onContention(tell: (team: TeamName) => void): void;
}

export interface Turn {
  /** Nobody gave it to this process: others may still be writing, since they do not know yet. */
  readonly isTaken: boolean;
  /** Ends it; after a lost race it goes on, for the next try. */
  end(isLost: boolean): void;
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
  /** Ends what says that this process's turn goes on. */
  renewal: AbortController;
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
  const contend = (team: string) => contendFor(of(team));
  const say = (team: TeamName, word: Word) => link.tell(subjectOf(team), JSON.stringify(word));
  const end = (team: TeamName) => {
    const turns = of(team);
    turns.isMine = false;
    turns.renewal.abort();
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
      if (systemClock.monotonic() > turns.contendedUntil) return { isTaken: false, end: () => undefined };
      while (turns.holder !== "" && turns.holder !== me) {
        const leftMs = turns.heldSince + turnMs - systemClock.monotonic();
        if (leftMs <= 0) break;
        const waiting = new AbortController();
        turns.wake = () => waiting.abort();
        say(team, { wants: me });
        await systemClock.wait(leftMs, waiting.signal);
        turns.wake = null;
      }
      const isTaken = turns.holder !== me;
      if (isTaken) say(team, { took: me });
      hold(turns, me);
      turns.isMine = true;
      turns.renewal.abort();
      const renewal = new AbortController();
      turns.renewal = renewal;
      void renew(() => say(team, { took: me }), renewal.signal);
      return {
        isTaken,
        end(isLost) {
          if (turns.isMine && !isLost) end(team);
        },
      };
    },
    lost: contend,
    onContention(listener) {
      tell = listener;
    },
  };
}

/** Says it until `ended` aborts, or the turn has lasted too long. */
async function renew(say: () => void, ended: AbortSignal): Promise<void> {
  for (let times = 0; times < renewalsMax; times += 1) {
    await systemClock.wait(renewMs, ended);
    if (ended.aborted) return;
    say();
  }
}

function contendFor(turns: TeamTurns): void {
  turns.contendedUntil = systemClock.monotonic() + contendedMs;
}

function newTeamTurns(): TeamTurns {
  return {
    contendedUntil: 0,
    holder: "",
    heldSince: 0,
    waiting: [],
    wake: null,
    isMine: false,
    renewal: new AbortController(),
  };
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
