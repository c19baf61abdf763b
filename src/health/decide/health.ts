/**
 * The health of agents: who has shown itself, whose program is expected to do so again, who has disappeared. Starting
 * and stopping are the roster's, working is holding a task; `healthOf` puts them together.
 * Source: docs/protocol/asking.md, sections 17 to 19.
 */
import { unreachable } from "../../base/invariant.ts";
import { ok, type Result } from "../../base/result.ts";
import { keepSignOf, silentAmong, type Watch } from "../../perform/deadlines.ts";
import { type Decided, type Decider, nothing } from "../../perform/decider.ts";
import type { AgentDisappeared, AgentsRecovered, HealthEvent, ProgramBegun, ProgramEnded, Silence } from "../state.ts";

/** The state of a agent. */
export const healthStates = ["start", "idle", "working", "stop", "disappeared"] as const;
export type HealthState = (typeof healthStates)[number];

/** What is kept of an agent that acted in its present session, or disappeared in it. */
export interface Vitals {
  readonly session: number;
  /** Seq of the agent's first own entry; null: it was given a task and disappeared before it had one. */
  readonly startedSeq: number | null;
  /** Set while it is disappeared. */
  readonly lost: Pick<AgentDisappeared, "cause" | "atMs" | "lastSignMs" | "tasks"> | null;
  /** When it last came back; null: it never was away. */
  readonly returnedAtMs: number | null;
}

/** The program that speaks for an agent. */
export interface Program {
  readonly program: string;
  /** The agent's session in which it began. */
  readonly session: number;
  /** Seq of the entry by which it began. */
  readonly seq: number;
  /** Set once it ended in order; `isAwaited`: in mid-work, and no heartbeat of its agent came since. */
  readonly ended: { readonly seq: number; readonly isAwaited: boolean } | null;
  /** The agent's programs whose place others took before they ended: they never speak for it again. */
  readonly earlier: readonly string[];
}

/** What is known of all agents. `signs` and `silence` are of those whose program is expected to show itself. */
export interface Health extends Watch {
  readonly agents: Map<string, Vitals>;
  /** The last program of each agent, kept over its end and its agent's sessions so that an older one is known. */
  readonly programs: Map<string, Program>;
}

/** Orders that health takes. */
export type HealthCommand =
  | BeginProgram
  | EndProgram
  | PassSilence
  | { readonly command: "return-agent"; readonly agent: string; readonly session: number; readonly atMs: number };

/** A program takes the agent's place. */
export interface BeginProgram {
  readonly command: "begin-program";
  readonly agent: string;
  readonly session: number;
  readonly program: string;
  readonly seq: number;
  readonly atMs: number;
}

/** A program leaves its agent's place. */
export interface EndProgram {
  readonly command: "end-program";
  readonly agent: string;
  readonly program: string;
  readonly isHolding: boolean;
  readonly seq: number;
  readonly atMs: number;
}

/** Time has passed: which agents sent a heartbeat after all, and which did not. */
export interface PassSilence {
  readonly command: "pass-silence";
  /** The last heartbeat outside the record of each agent whose program is expected. */
  readonly signs: readonly (readonly [agent: string, signMs: number])[];
  /** Agents whose program seems silent by the record. */
  readonly silent: readonly string[];
  /** How long a program must have been silent. */
  readonly unseenMs: number;
  /** Agents whose lease is over and of whom no program is expected. */
  readonly leaseOver: readonly string[];
  /** What each of all those holds, as written, and its session. */
  readonly sessions: { readonly [agent: string]: Pick<AgentDisappeared, "session" | "tasks"> };
  readonly atMs: number;
}

/** Nothing is refused: what is repeated, or by a program that no longer speaks for its agent, changes nothing. */
export const health: Decider<Health, HealthCommand, HealthEvent> = {
  name: "health",
  initial: () => ({ agents: new Map(), programs: new Map(), signs: new Map(), silence: [] }),
  decide(command, state) {
    switch (command.command) {
      case "begin-program":
        return begin(command, state);
      case "end-program": {
        const known = state.programs.get(command.agent);
        if (known?.program !== command.program || known.ended !== null)
          return nothing("already-so", "This program speaks for the agent no longer.");
        const { command: _, ...ended } = command;
        return ok({ events: [{ event: "program-ended", ...ended }], notes: [] });
      }
      case "pass-silence":
        return ok({ events: passSilence(command, state), notes: [] });
      case "return-agent": {
        const { agent, session, atMs } = command;
        if (!isLost(state, agent)) return nothing("already-so", `${agent} has not disappeared.`);
        return ok({ events: [{ event: "agent-returned", agent, session, atMs }], notes: [] });
      }
      default:
        return unreachable(command);
    }
  },
  evolve(state, event) {
    switch (event.event) {
      case "program-begun":
        return keepProgram(state, event);
      case "program-ended":
        return endProgram(state, event);
      case "agents-heard":
        for (const { agent, signMs } of event.agents) keepSignOf(state, watched(state), agent, signMs);
        return state;
      case "agent-disappeared":
        return keepLoss(state, event);
      case "agent-returned": {
        const { agent, atMs } = event;
        const known = state.agents.get(agent);
        if (known !== undefined) state.agents.set(agent, { ...known, lost: null, returnedAtMs: atMs });
        keepSignOf(state, watched(state), agent, atMs);
        return state;
      }
      default:
        return unreachable(event);
    }
  },
};

/** Whether the agent has disappeared and not come back. */
export function isLost({ agents }: Health, agent: string): boolean {
  return (agents.get(agent)?.lost ?? null) !== null;
}

/**
 * Whether the agent is expected to show itself regularly: its program of this session is running, or ended while it
 * worked. Nothing is expected of one that has disappeared.
 */
export function isExpected({ agents, programs }: Health, agent: string, isHolding: boolean): boolean {
  const [known, program] = [agents.get(agent), programs.get(agent)];
  if (known === undefined || known.lost !== null || program?.session !== known.session) return false;
  return program.ended === null || (program.ended.isAwaited && isHolding);
}

/**
 * The state of an active agent; `hasShown`: its only heartbeats are outside the record. `stop` is decided by the
 * roster.
 */
export function healthOf(
  state: Health,
  agent: string,
  shown: { readonly hasShown: boolean; readonly isHolding: boolean },
): HealthState {
  const known = state.agents.get(agent);
  if (known !== undefined && known.lost !== null) return "disappeared";
  if (shown.isHolding) return "working";
  return known !== undefined || shown.hasShown ? "idle" : "start";
}

/** Notes the first entry of an agent's own in a session, in place; the same session again changes nothing. */
export function keepStart(state: Health, agent: string, start: Pick<Vitals, "session" | "startedSeq">): void {
  const known = state.agents.get(agent);
  if (known?.session !== start.session) state.agents.set(agent, { ...start, lost: null, returnedAtMs: null });
  else if (known.startedSeq === null) state.agents.set(agent, { ...known, ...start });
}

/** Notes an entry of an agent's own after its program's end, in place: from here on its lease is the limit. */
export function keepActAfterEnd(state: Health, agent: string, seq: number): void {
  const known = state.programs.get(agent);
  if (known === undefined || known.ended === null || !known.ended.isAwaited || seq <= known.ended.seq) return;
  state.programs.set(agent, { ...known, ended: { ...known.ended, isAwaited: false } });
}

/** Drops what was known of an agent that left or began a new session, in place. */
export function dropVitals(state: Health, agent: string): void {
  state.agents.delete(agent);
}

function begin(command: BeginProgram, state: Health): Result<Decided<HealthEvent>, never> {
  const { agent, session, program, seq, atMs } = command;
  const known = state.programs.get(agent);
  if (known?.program === program) return nothing("already-so", "This program speaks for the agent since it began.");
  return ok({ events: [{ event: "program-begun", agent, session, program, seq, atMs }], notes: [] });
}

function passSilence(command: PassSilence, state: Health): readonly HealthEvent[] {
  const { unseenMs, sessions, atMs } = command;
  const signs = new Map(command.signs);
  const isSeen = (agent: string) => (signs.get(agent) ?? 0) + unseenMs > atMs;
  // If one agent seems silent, all are checked, so that one entry is about them all.
  const seen: AgentsRecovered["agents"] =
    command.silent.length === 0
      ? []
      : [...signs]
          .filter(([agent, signMs]) => isSeen(agent) && signMs > (state.signs.get(agent) ?? 0))
          .map(([agent, signMs]) => ({ agent, signMs }));
  const lost = (cause: Silence) => (agent: string) => {
    const { session = 1, tasks = [] } = sessions[agent] ?? {};
    const lastSignMs = Math.max(signs.get(agent) ?? 0, state.signs.get(agent) ?? 0);
    const last = lastSignMs === 0 ? null : lastSignMs;
    return { event: "agent-disappeared", agent, session, cause, lastSignMs: last, tasks, atMs } as const;
  };
  const isNew = (agent: string) => !isLost(state, agent);
  return [
    ...(seen.length === 0 ? [] : [{ event: "agents-heard" as const, agents: seen }]),
    ...command.silent
      .filter((agent) => isNew(agent) && !isSeen(agent))
      .toSorted()
      .map(lost("program")),
    ...command.leaseOver.filter(isNew).map(lost("lease")),
  ];
}

/** Agents whose program has been silent by the record, among those it is expected of. */
export function silentPrograms(
  state: Health,
  isExpected: (agent: string) => boolean,
  moment: { readonly atMs: number; readonly silentMs: number },
): readonly string[] {
  return silentAmong(state, isExpected, moment);
}

function keepProgram(state: Health, event: ProgramBegun): Health {
  const { agent, session, program, seq, atMs } = event;
  const known = state.programs.get(agent);
  const isReplaced = known?.ended === null && known.program !== program;
  const earlier = isReplaced ? [...known.earlier, known.program] : (known?.earlier ?? []);
  state.programs.set(agent, { program, session, seq, ended: null, earlier });
  keepStart(state, agent, { session, startedSeq: seq });
  keepSignOf(state, watched(state), agent, atMs);
  return state;
}

function endProgram(state: Health, { agent, program, isHolding: isAwaited, seq }: ProgramEnded): Health {
  const known = state.programs.get(agent);
  if (known?.program === program) state.programs.set(agent, { ...known, ended: { seq, isAwaited } });
  return state;
}

function keepLoss(state: Health, event: AgentDisappeared): Health {
  const { agent, session, cause, lastSignMs, tasks, atMs } = event;
  const known = state.agents.get(agent);
  // Without an own entry it was given a task and never acted, so to its breaker it is as new as before.
  const started = known ?? { session, startedSeq: null, returnedAtMs: null };
  state.agents.set(agent, { ...started, lost: { cause, atMs, lastSignMs, tasks } });
  return state;
}

/** Whom health alone would watch; whether one holds something is the work's to say, see `disappearance.ts`. */
function watched(state: Health): (agent: string) => boolean {
  return (agent) => isExpected(state, agent, true);
}
