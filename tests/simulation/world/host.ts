/**
 * Processes that run the production core over the disk. Each request has a separate connection to the disk; a
 * connection may be held before every call, so that other requests come in between, and a process may die at any of
 * them. What happens to a write is decided where it reaches the disk.
 */
import type { TeamName } from "../../../src/base/ids.ts";
import { makeProblem, type Problem } from "../../../src/base/problem.ts";
import { err, type Result } from "../../../src/base/result.ts";
import type { Attempt, Committed, Journal } from "../../../src/journal/journal.ts";
import { dialectOf, dialects } from "../../../src/messages/dialects/registry.ts";
import type { Context } from "../../../src/perform/context.ts";
import { teamHandle } from "../../../src/perform/handle.ts";
import type { TeamState } from "../../../src/perform/state.ts";
import type { WorkingTeam } from "../../../src/perform/team.ts";
import { type Act, actorOf, perform, type Told } from "../agents/act.ts";
import type { Disk } from "./disk.ts";
import type { SimulatedClock } from "./time.ts";

/**
 * What happens to a write. `lost-race`: it is decided twice, as on engines without a lock. `full`, `busy`: nothing is
 * written, and it is said so. `failed`: an input or output error, before or after the writing; the process then writes no
 * more. `death`: the process dies before, in the middle of the decision, or after the writing.
 */
export type Mishap =
  | "none"
  | "lost-race"
  | "full"
  | "busy"
  | "failed-before"
  | "failed-after"
  | "death-before"
  | "death-deciding"
  | "death-after";

/** The state of a request: answered, held before a call to the disk, or gone with its process; or the core threw. */
export type Step =
  | { readonly at: "told"; readonly told: Told }
  | { readonly at: "disk" }
  | { readonly at: "dead" }
  | { readonly at: "thrown"; readonly error: unknown };

/** One process. */
export interface Host {
  readonly name: string;
  isUp: boolean;
  /** It met an input or output error, and writes nothing until it is started again. */
  hasFailed: boolean;
  /** Counts its lives; lines of an earlier one are gone. */
  life: number;
}

/** A request under way. */
export interface Line {
  readonly host: Host;
  /** The life of the host that it belongs to. */
  readonly life: number;
  readonly act: Act;
  /** Lets the call go that is held. */
  resume(): Promise<Step>;
}

/** What the lines of a simulation share. */
export interface Wiring {
  readonly team: TeamName;
  readonly clock: SimulatedClock;
  readonly disk: Disk;
  /** Whether reports are checked against a repository. */
  readonly hasRepository: boolean;
  /** What happens to the write that comes now. */
  mishap(host: Host): Mishap;
  /** A context as the core gets it; tests plant errors this way. */
  context(context: Context): Context;
}

/** Starts a request; `isHeld`: each of its calls to the disk waits to be let go. */
export function request(wiring: Wiring, host: Host, act: Act, isHeld: boolean): [Line, Promise<Step>] {
  const run = takeRun(wiring, host);
  const { life } = host;
  const line: Line = { host, life, act, resume: () => run.resume() };
  return [line, run.start(act, isHeld)];
}

/** Something that carries out one request at a time; kept for the next one, as a server keeps its connections. */
interface Run {
  start(act: Act, isHeld: boolean): Promise<Step>;
  resume(): Promise<Step>;
}

/** Calls to the disk that one act may take: many times what any does, and few enough to end one that never would. */
const callsMax = 5_000;

const idle = new WeakMap<Host, { readonly life: number; readonly runs: Run[] }>();

function takeRun(wiring: Wiring, host: Host): Run {
  let known = idle.get(host);
  if (known?.life !== host.life) {
    known = { life: host.life, runs: [] };
    idle.set(host, known);
  }
  const { runs } = known;
  const run = runs.pop() ?? newRun(wiring, host, (free) => runs.push(free));
  return run;
}

function newRun(wiring: Wiring, host: Host, done: (run: Run) => void): Run {
  let isHeld = false;
  let calls = 0;
  /** Calls that are held; those that were asked together go on together. */
  let waiting: (() => void)[] = [];
  let stand: (step: Step) => void = () => undefined;
  const turn = async <Value>(call: () => Promise<Value>): Promise<Value> => {
    calls += 1;
    if (calls > callsMax) throw new Error(`the core asks its journal more than ${callsMax} times for one act`);
    if (isHeld) {
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        stand({ at: "disk" });
      });
    }
    return call();
  };
  const die = (): Promise<never> => {
    host.isUp = false;
    stand({ at: "dead" });
    // Nothing ever comes back to a process that is gone.
    return new Promise<never>(() => undefined);
  };
  const journal = journalOver(wiring, host, turn, die);
  const { team, clock, hasRepository } = wiring;
  const context = wiring.context({ journal, team, clock, dialectOf, dialects, hasRepository });
  const handles = new Map<string, WorkingTeam>();
  const handleOf = (act: Act): WorkingTeam => {
    const name = `${act.agent} ${act.program ?? ""}`;
    const known = handles.get(name);
    if (known !== undefined) return known;
    const made = teamHandle(context, actorOf(act), () => Promise.resolve());
    handles.set(name, made);
    return made;
  };
  const carryOut = async (act: Act): Promise<void> => {
    try {
      const told = await perform(handleOf(act), context, act);
      done(run);
      stand({ at: "told", told });
    } catch (error) {
      // The core throws for its own bugs only; the checker shows it.
      stand({ at: "thrown", error });
    }
  };
  const run: Run = {
    start(act, held) {
      isHeld = held;
      calls = 0;
      waiting = [];
      return new Promise((resolve) => {
        stand = resolve;
        void carryOut(act);
      });
    },
    resume() {
      return new Promise((resolve) => {
        stand = resolve;
        const held = waiting;
        waiting = [];
        for (const letGo of held) letGo();
      });
    },
  };
  return run;
}

type Turn = <Value>(call: () => Promise<Value>) => Promise<Value>;

/** The journal as a line of that host has it. */
function journalOver(wiring: Wiring, host: Host, turn: Turn, die: () => Promise<never>): Journal<TeamState> {
  const { disk } = wiring;
  const kept = () => disk.journal();
  return {
    abilities: kept().abilities,
    place: kept().place,
    clock: kept().clock,
    stats: () => kept().stats(),
    probe: () => kept().probe(),
    heed: (report) => kept().heed(report),
    teams: () => turn(() => kept().teams()),
    commit: (team, attempt) => turn(() => write(wiring, host, { team, attempt, die })),
    state: (team) => turn(() => kept().state(team)),
    read: (team, options) => turn(() => kept().read(team, options)),
    search: (team, options) => turn(() => kept().search(team, options)),
    find: (team, id) => turn(() => kept().find(team, id)),
    follow: (team, options) => kept().follow(team, options),
    marks: (team, agent) => turn(() => kept().marks(team, agent)),
    mark: (team, agent, marks) => turn(() => kept().mark(team, agent, marks)),
    heartbeats: (team) => turn(() => kept().heartbeats(team)),
    heartbeat: (team, agent, at) => turn(() => kept().heartbeat(team, agent, at)),
    notes: (team) => kept().notes(team),
    note: (team, agent, change) => kept().note(team, agent, change),
    due: (atMs) => kept().due(atMs),
    noteDue: (team) => kept().noteDue(team),
    condition: () => (host.hasFailed ? { condition: "failed", problem: ioError } : kept().condition()),
    verify: (options) => kept().verify(options),
    acceptLoss: (team, by, reason, id) => kept().acceptLoss(team, by, reason, id),
    restore: (...asked) => kept().restore(...asked),
    close: () => Promise.resolve(),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

interface Write {
  readonly team: TeamName;
  readonly attempt: Attempt<TeamState>;
  readonly die: () => Promise<never>;
}

async function write(
  { disk, mishap }: Wiring,
  host: Host,
  { team, attempt, die }: Write,
): Promise<Result<Committed, Problem>> {
  // What else a process had asked for goes with it.
  if (!host.isUp) return new Promise<never>(() => undefined);
  if (host.hasFailed) return err(ioError);
  const journal = disk.journal();
  const happens = mishap(host);
  switch (happens) {
    case "full":
      return err(makeProblem("journal-full", "disk", "The simulated disk is full."));
    case "busy":
      return err(makeProblem("journal-busy", "disk", "The simulated disk is busy."));
    case "death-before":
      return die();
    case "death-deciding":
      await decideInVain(journal, team, attempt);
      return die();
    case "lost-race":
      await decideInVain(journal, team, attempt);
      return journal.commit(team, attempt);
    case "failed-before":
      host.hasFailed = true;
      return err(ioError);
    case "failed-after":
      await journal.commit(team, attempt);
      host.hasFailed = true;
      return err(ioError);
    case "death-after":
      await journal.commit(team, attempt);
      return die();
    case "none":
      return journal.commit(team, attempt);
  }
}

/** Decides, and lets what was decided be lost. */
async function decideInVain(journal: Journal<TeamState>, team: TeamName, attempt: Attempt<TeamState>): Promise<void> {
  await journal.commit(team, {
    once: attempt.once,
    decide(state, moment) {
      attempt.decide(state, moment);
      return { decline: [] };
    },
  });
}

const ioError = makeProblem("journal-failed", "disk", "The simulated disk failed.");
