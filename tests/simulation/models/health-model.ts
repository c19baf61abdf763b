/**
 * Health and circuit breakers by the entries alone: no agent disappears early, a disappeared agent holds nothing and is
 * reported, and an open breaker lets no new agent begin but its probe. Written from docs/protocol/asking.md,
 * sections 17 to 19.
 */
import { disappearSecondsDefault, leaseSecondsDefault } from "../../../src/base/limits.ts";
import type { CoordinationEvent } from "../../../src/perform/deciders.ts";
import { breakerLimitsOf, type TeamDefinition } from "../../../src/team/state/definition.ts";
import type { KnownAgent, RosterModel } from "./roster-model.ts";
import type { EventOf, Seen, Wrong } from "./seen.ts";
import type { Signs } from "./signs.ts";

/** The state of a breaker by the entries. */
export interface KnownBreaker {
  state: "closed" | "open" | "half-open";
  /** When agents disappeared since it closed last. */
  readonly failures: number[];
  /** The last time of each agent among them. */
  readonly lostAt: Map<string, number>;
  /** Since which entry it is not closed. */
  since: number;
  openedAt: number;
  probe: { readonly agent: string; readonly at: number } | null;
}

export interface HealthModel {
  readonly breakers: ReadonlyMap<string, KnownBreaker>;
  isLost(agent: string): boolean;
  /** Whether the program that acts and stays is the one that speaks for its agent. */
  checkProgram(seen: Seen, program: string | undefined): void;
  /** Why an agent may not begin to work now; null: it may. */
  barOf(agent: Pick<KnownAgent, "agent" | "role" | "department" | "mode">): string | null;
  takeDefinition(definition: TeamDefinition): void;
  /** Follows events about health and breakers, and leaves all others alone. */
  take(event: CoordinationEvent, seen: Seen): void;
  /** Whether what one entry did fits together. */
  checkEntry(seen: Seen): void;
}

/** What health asks of others. */
export interface AroundHealth {
  readonly signs: Signs;
  readonly roster: RosterModel;
  /** The ids of the tasks that an agent holds. */
  heldBy(agent: string): readonly string[];
}

/** Most time between two signs of a program that shows itself regularly. */
const heartbeatMs = 30_000;

/** What is kept of health and breakers. */
interface Known {
  readonly program: string;
  readonly session: number;
  readonly hasEnded: boolean;
  readonly earlier: readonly string[];
}

interface Book extends AroundHealth {
  readonly wrong: Wrong;
  readonly lost: Set<string>;
  readonly programs: Map<string, Known>;
  /** The first entry of each agent's own in its session. */
  readonly started: Map<string, { readonly session: number; readonly seq: number }>;
  readonly breakers: Map<string, KnownBreaker>;
  definition: TeamDefinition | null;
}

/** Nobody has shown itself. */
export function newHealthModel(wrong: Wrong, around: AroundHealth): HealthModel {
  const kept = { lost: new Set<string>(), programs: new Map(), started: new Map(), breakers: new Map() };
  const book: Book = { ...around, ...kept, wrong, definition: null };
  return {
    breakers: book.breakers,
    isLost: (agent) => book.lost.has(agent),
    checkProgram: (seen, program) => checkProgram(book, seen, program),
    barOf: (asked) => barOf(book, asked),
    takeDefinition: (definition) => {
      book.definition = definition;
    },
    take: (event, seen) => take(book, event, seen),
    checkEntry: (seen) => checkEntry(book, seen),
  };
}

function take(book: Book, event: CoordinationEvent, seen: Seen): void {
  const { wrong, programs, lost, started } = book;
  if (event.event === "program-begun") {
    const { agent, program, session } = event;
    const known = programs.get(agent);
    // What was left open when the day ended goes on in the agent's next session, whoever begins that.
    const isOpen = known?.program === program && !known.hasEnded && known.session < session;
    if (agent !== seen.entry.principal.agent && !isOpen)
      wrong(`${seen.entry.principal.agent} begins a program of ${agent}`);
    // Who is at work goes on so in the next session.
    if (isOpen) started.set(agent, { session, seq: seen.entry.seq });
    const isReplaced = known?.hasEnded === false && known.program !== program;
    const earlier = [...(known?.earlier ?? []), ...(isReplaced ? [known.program] : [])];
    programs.set(agent, { program, session, hasEnded: false, earlier });
  }
  if (event.event === "program-ended") {
    const known = programs.get(event.agent);
    if (known?.program === event.program) programs.set(event.agent, { ...known, hasEnded: true });
  }
  if (event.event === "agent-disappeared") disappeared(book, event, seen);
  if (event.event === "agent-returned" && !lost.delete(event.agent)) {
    wrong(`${event.agent} comes back and was never gone`);
  }
  if (event.event === "breaker-counted") counted(book, event, seen);
  if (event.event === "breaker-opened") opened(book, event, seen);
  if (event.event === "breaker-half-opened") halfOpened(book, event, seen);
  if (event.event === "breaker-probed") probed(book, event, seen);
  if (event.event === "breaker-closed") closed(book, event, seen);
}

function checkProgram({ wrong, programs, roster }: Book, { entry, content }: Seen, program: string | undefined): void {
  const { agent } = entry.principal;
  const known = programs.get(agent);
  const isAct = entry.kind === "message" || (entry.kind === "command" && content.command?.name !== "begin-program");
  if (!isAct || program === undefined || known === undefined) return;
  const isFree = known.hasEnded && known.program !== program && !known.earlier.includes(program);
  if (isFree) return;
  if (known.program !== program) wrong(`${agent} acts by ${program}, and ${known.program} speaks for it`);
  if (known.session !== roster.agents.get(agent)?.session) wrong(`${agent} acts by ${program} of an earlier session`);
}

function barOf(book: Book, asked: Parameters<HealthModel["barOf"]>[0]): string | null {
  const { agent } = asked;
  const scope = scopeOf(book, asked);
  const breaker = scope === null ? undefined : book.breakers.get(scope);
  if (breaker === undefined || breaker.state === "closed" || breaker.probe?.agent === agent) return null;
  if (breaker.state === "half-open" && breaker.probe === null) return null;
  const begun = book.started.get(agent);
  const isOfSession = begun?.session === book.roster.agents.get(agent)?.session;
  const isAtWork = isOfSession && (begun?.seq ?? Number.POSITIVE_INFINITY) < breaker.since;
  return isAtWork ? null : `the breaker of ${scope} is ${breaker.state}`;
}

function checkEntry(book: Book, { entry, content }: Seen): void {
  const { wrong, lost, heldBy, roster, started } = book;
  const events = content.events ?? [];
  for (const event of content.team ?? []) {
    if (event.event === "agent-registered" || event.event === "agent-retired") lost.delete(event.agent);
    // A revision without an agent retires it; who comes back with a later one begins again.
    if (event.event === "team-revised") {
      for (const agent of lost) if (roster.agents.get(agent)?.isActive !== true) lost.delete(agent);
    }
  }
  for (const event of events) {
    if (event.event === "agent-disappeared" && heldBy(event.agent).length > 0) {
      wrong(`${event.agent} disappeared and still holds ${heldBy(event.agent).join(", ")}`);
    }
    if (event.event === "breaker-counted") checkCount(book, event.scope);
  }
  const { agent } = entry.principal;
  const known = roster.agents.get(agent);
  if (known?.isActive === true && started.get(agent)?.session !== known.session) {
    started.set(agent, { session: known.session, seq: entry.seq });
  }
}

/** A breaker that counted as many disappearances within its time as it takes is not closed. */
function checkCount(book: Book, scope: string): void {
  const { state, failures } = breakerOf(book, scope);
  const { failures: most, windowMs } = breakerLimitsOf(book.definition);
  const last = failures.slice(-most);
  const isFull = last.length === most && (last.at(-1) ?? 0) - (last[0] ?? 0) < windowMs;
  if (isFull && state === "closed") book.wrong(`the breaker of ${scope} stays closed after ${most} disappearances`);
}

function scopeOf(
  book: Book,
  { role, department, mode }: Pick<KnownAgent, "role" | "department" | "mode">,
): string | null {
  const { roster } = book;
  if ((mode ?? book.definition?.teamMode ?? "teammate") === "task") return null;
  const working = new Set(roster.workingDepartments());
  if (department !== undefined && ["backend", "frontend", "uiux"].includes(department)) working.add(department);
  if (working.size < 2) return "team";
  const shared = ["critic", "scout", "debugger", "security"];
  return department ?? (role === "owner" ? "owner" : shared.includes(role) ? "shared" : "team");
}

function breakerOf(book: Book, scope: string): KnownBreaker {
  const { breakers } = book;
  const known = breakers.get(scope);
  if (known !== undefined) return known;
  const closed: KnownBreaker = { state: "closed", failures: [], lostAt: new Map(), since: 0, openedAt: 0, probe: null };
  breakers.set(scope, closed);
  return closed;
}

function disappeared(book: Book, { agent, cause, tasks }: EventOf<"agent-disappeared">, { entry, atMs }: Seen) {
  const { wrong, signs, roster, heldBy, lost, programs } = book;
  const known = roster.agents.get(agent);
  const leaseMs = (book.definition?.limits.leaseSeconds ?? leaseSecondsDefault) * 1_000;
  const lateMs = (book.definition?.limits.disappearSeconds ?? disappearSecondsDefault) * 1_000;
  const limitMs = cause === "lease" ? leaseMs : lateMs + Math.min(heartbeatMs, leaseMs / 3, lateMs / 2);
  const early = limitMs - signs.silentMs(agent, atMs);
  if (entry.kind !== "timer") wrong(`${agent} disappears in an entry that is no timer's`);
  if (known?.isActive !== true) wrong(`${agent} disappears and is not in the team`);
  if (lost.has(agent)) wrong(`${agent} disappears twice`);
  if (early > 0) wrong(`${agent} disappears (${cause}) ${early} ms early`);
  const program = programs.get(agent);
  if (cause === "program" && program?.session !== known?.session)
    wrong(`${agent} disappears, and no program is expected`);
  if (heldBy(agent).toSorted().join() !== tasks.toSorted().join()) {
    wrong(`${agent} disappears with ${tasks.join(", ")}; it holds ${heldBy(agent).join(", ")}`);
  }
  lost.add(agent);
}

function counted(book: Book, { scope, agents }: EventOf<"breaker-counted">, { content, atMs }: Seen) {
  const { wrong } = book;
  const gone = (content.events ?? []).flatMap((event) => (event.event === "agent-disappeared" ? [event.agent] : []));
  for (const agent of agents) if (!gone.includes(agent)) wrong(`the breaker of ${scope} counts ${agent}, who is there`);
  const { failures, lostAt } = breakerOf(book, scope);
  for (const agent of agents) {
    const before = failures.indexOf(lostAt.get(agent) ?? -1);
    if (before >= 0) failures.splice(before, 1);
    failures.push(atMs);
    lostAt.set(agent, atMs);
  }
}

function opened(book: Book, { scope }: EventOf<"breaker-opened">, { entry, content, atMs }: Seen) {
  const { wrong } = book;
  const breaker = breakerOf(book, scope);
  const { failures, probeMs } = breakerLimitsOf(book.definition);
  if (breaker.state === "open") wrong(`the breaker of ${scope} opens twice`);
  if (breaker.state === "closed" && breaker.failures.length < failures) {
    wrong(`the breaker of ${scope} opens after ${breaker.failures.length} disappearances`);
  }
  if (breaker.state === "half-open") {
    const { probe } = breaker;
    const isGone = (content.events ?? []).some(
      (event) => event.event === "agent-disappeared" && event.agent === probe?.agent,
    );
    const early = (probe?.at ?? atMs) + probeMs - atMs;
    if (probe === null) wrong(`the breaker of ${scope} opens again without a probe`);
    if (!isGone && early > 0) wrong(`the probe of ${scope} is given up ${early} ms early`);
  }
  const since = breaker.state === "closed" ? entry.seq : breaker.since;
  Object.assign(breaker, { state: "open", openedAt: atMs, probe: null, since });
}

function halfOpened(book: Book, { scope }: EventOf<"breaker-half-opened">, { entry, atMs }: Seen) {
  const { wrong } = book;
  const breaker = breakerOf(book, scope);
  const early = breaker.openedAt + breakerLimitsOf(book.definition).openMs - atMs;
  if (breaker.state !== "open") wrong(`the breaker of ${scope} is half-open after ${breaker.state}`);
  const isPerson = entry.kind === "command" && entry.principal.agent === "owner";
  if (early > 0 && !isPerson) wrong(`the breaker of ${scope} is half-open ${early} ms early`);
  Object.assign(breaker, { state: "half-open", probe: null });
}

function probed(book: Book, { scope, agent }: EventOf<"breaker-probed">, { content, atMs }: Seen) {
  const { wrong } = book;
  const breaker = breakerOf(book, scope);
  if (breaker.state !== "half-open" || breaker.probe !== null) wrong(`the breaker of ${scope} lets ${agent} in to try`);
  const isHere = (content.team ?? []).some((event) => event.event === "agent-registered" && event.agent === agent);
  if (!isHere) wrong(`the breaker of ${scope} tries ${agent}, who is not registered here`);
  breaker.probe = { agent, at: atMs };
}

function closed(book: Book, { scope, agent, reason }: EventOf<"breaker-closed">, { entry }: Seen) {
  const { wrong } = book;
  const breaker = breakerOf(book, scope);
  if (reason === undefined) {
    if (breaker.state !== "half-open") wrong(`the breaker of ${scope} closes and was ${breaker.state}`);
    if (breaker.probe !== null && breaker.probe.agent !== agent)
      wrong(`${agent} closes the breaker that waits for ${breaker.probe.agent}`);
  } else {
    if (breaker.state === "closed") wrong(`the breaker of ${scope} is closed twice`);
    if (entry.principal.agent !== "owner") wrong(`${entry.principal.agent} closes the breaker of ${scope} by hand`);
  }
  breaker.failures.length = 0;
  breaker.lostAt.clear();
  Object.assign(breaker, { state: "closed", probe: null });
}
