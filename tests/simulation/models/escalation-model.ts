/**
 * Escalations by the entries alone: up one level at a time, down by a decision from where it waits or above, one decision
 * each, two rounds a task. Written from docs/protocol/asking.md, sections 5 to 10.
 */

import type { Role } from "../../../src/messages/role.ts";
import type { CoordinationEvent } from "../../../src/perform/deciders.ts";
import { numbersOf } from "../world/vocabulary.ts";
import type { KnownAgent, RosterModel } from "./roster-model.ts";
import type { EventOf, Seen, Wrong } from "./seen.ts";

const levels = ["dev", "senior", "lead", "architect", "owner", "user"];
const roundsMax = 2;

const rolesAt: { readonly [level: string]: readonly Role[] } = {
  dev: ["dev", "tester", "docs"],
  senior: ["senior"],
  lead: ["lead"],
  architect: ["architect"],
  owner: ["owner"],
  user: ["user"],
};

/** Advisers escalate as a senior does, and are on no level. */
const advisers: readonly Role[] = ["qa", "qa-lead", "qa-code", "scout", "critic", "security", "debugger"];

/** The state of an escalation by the entries. */
export interface KnownEscalation {
  readonly id: string;
  readonly task: string | null;
  readonly plan: string | null;
  readonly originators: string[];
  readonly chain: readonly string[];
  /** Baton opened it because a limit was reached, so a message that settles the limit closes it. */
  readonly isLimit: boolean;
  level: string;
  /** Until when its level may say nothing. */
  silentUntil: number;
  /** Nobody of its level got the message that brought it there, and Baton has not told them yet. */
  isUntold: boolean;
  round: number;
  mustDecide: boolean;
  status: "open" | "resolved" | "closed";
  decidedAt: string | null;
  /** When it was decided; null: it was not. */
  decidedMs: number | null;
}

export interface EscalationModel {
  readonly all: ReadonlyMap<string, KnownEscalation>;
  open(): readonly KnownEscalation[];
  /** Active agents that are at a level for an agent. */
  agentsAtLevel(level: string, agent: string): readonly string[];
  /** What the agent has not closed by going on. */
  waitingFor(agent: string): readonly KnownEscalation[];
  /** Whether everything had gone on that was left waiting where nobody is, before somebody acts. */
  checkLeft(seen: Seen): void;
  /** Follows events about escalations, and leaves all others alone. */
  take(event: CoordinationEvent, seen: Seen): void;
}

/** The level of a role; undefined: none. */
export function levelOfRole(role: string | null): string | undefined {
  return levels.find((level) => rolesAt[level]?.some((each) => each === role));
}

/** The level that a role names when it escalates. */
function speakingLevelOf(role: string | null): string | undefined {
  return advisers.some((each) => each === role) ? "senior" : levelOfRole(role);
}

/** What is kept of escalations. */
interface Book {
  readonly wrong: Wrong;
  readonly roster: RosterModel;
  readonly around: AroundEscalations;
  readonly all: Map<string, KnownEscalation>;
}

/** What escalations ask of others. */
export interface AroundEscalations {
  /** How long a level may say nothing. */
  silenceMs(): number;
  /** Whether an agent has disappeared and was not heard since. */
  isLost(agent: string): boolean;
}

/** None yet. */
export function newEscalationModel(wrong: Wrong, roster: RosterModel, around: AroundEscalations): EscalationModel {
  const book: Book = { wrong, roster, around, all: new Map() };
  return {
    all: book.all,
    open: () => openIn(book),
    agentsAtLevel: (level, agent) => agentsAt(book, level, agent),
    waitingFor: (agent) =>
      [...book.all.values()].filter(({ status, originators }) => status !== "closed" && originators.includes(agent)),
    checkLeft({ entry: { kind, principal } }) {
      if (kind !== "message" && kind !== "command") return;
      for (const { id, level, originators } of openIn(book))
        if (thereAt(book, level, originators).length === 0)
          wrong(`${principal.agent} acts while ${id} waits at ${level}, where nobody is left`);
    },
    take(event, seen) {
      if (event.event === "escalation-opened") opened(book, event, seen);
      if (event.event === "escalation-raised") raised(book, event, seen);
      if (event.event === "escalation-resolved") resolved(book, event, seen);
      if (event.event === "escalation-closed") closed(book, event, seen);
      if (event.event === "limit-told") levelTold(book, event, seen);
      if (event.event !== "escalation-told") return;
      const known = at(book, event.id);
      if (known.status !== "open") wrong(`more is said of ${event.id}, which is ${known.status}`);
      reaches(book, known, seen);
      if (!known.originators.includes(event.agent)) known.originators.push(event.agent);
    },
  };
}

function openIn({ all }: Book): readonly KnownEscalation[] {
  return [...all.values()].filter(({ status }) => status === "open");
}

function at(book: Book, id: string): KnownEscalation {
  const { wrong, all } = book;
  const known = all.get(id);
  if (known === undefined) wrong(`the escalation ${id} goes on, and nobody opened it`);
  return known ?? { ...none, id };
}

function above(chain: readonly string[], level: string | undefined) {
  return chain.find((each) => levels.indexOf(each) > levels.indexOf(level ?? "user"));
}

/** The levels at which somebody is that an agent can turn to: of its department where there are several; and the user. */
function chainOf(book: Book, agent: string): readonly string[] {
  const { roster } = book;
  const own = roster.agents.get(agent);
  return levels.filter((level) => {
    if (level === "user") return true;
    if (level === "owner") return roster.hasDepartments();
    if (level === "senior" && own?.dialect.startsWith("vbw/") === true) return false;
    return agentsAt(book, level, agent).length > 0;
  });
}

/**
 * Which agents are at a level for an agent: those of its department below the architect; at the highest level the
 * person too.
 */
function agentsAt({ roster }: Book, level: string, agent: string): readonly string[] {
  const own = roster.agents.get(agent);
  const mine = own === undefined ? undefined : departmentOf(own);
  const isBeside = (other: KnownAgent) => {
    const theirs = departmentOf(other);
    return mine === undefined || mine === "shared" || theirs === undefined || theirs === mine;
  };
  const isEverybodys = !roster.hasDepartments() || level === "architect" || level === "owner";
  const active = [...roster.agents.values()].filter(
    (other) =>
      other.isActive && other.agent !== agent && levelOfRole(other.role) === level && (isEverybodys || isBeside(other)),
  );
  const agents = active.map((other) => other.agent);
  return level === "owner" || level === "user" ? [...agents, "owner"] : agents;
}

/** Who of a level is there to answer: not who has disappeared, nor whose own matter it is. */
function thereAt(book: Book, level: string, originators: readonly string[]): readonly string[] {
  return agentsAt(book, level, originators[0] ?? "").filter(
    (each) => !book.around.isLost(each) && !isOwnMatter(book, each, originators),
  );
}

/** Whether an agent, or one that registered its name, is held up. */
function isOwnMatter({ roster }: Book, agent: string, originators: readonly string[]): boolean {
  const registrars = roster.registrarsOf(agent);
  return originators.some((each) => each === agent || registrars.includes(each));
}

/**
 * The agents of the level where it waits did not get the message, so Baton tells each of them, and they have their
 * whole time.
 */
function levelTold(book: Book, { escalation }: EventOf<"limit-told">, { entry, atMs }: Seen) {
  const known = at(book, escalation);
  toldToAll(book, known, entry.receivers);
  if (known.isUntold) Object.assign(known, { isUntold: false, silentUntil: atMs + book.around.silenceMs() });
}

function toldToAll(book: Book, { id, level, originators }: KnownEscalation, receivers: readonly string[]) {
  const expected = agentsAt(book, level, originators[0] ?? "");
  const isTold = expected.toSorted().join() === receivers.toSorted().join();
  if (!isTold) book.wrong(`${id} is reported to ${receivers.join(", ")}, expected ${expected.join(", ")}`);
}

/** Whether no agent of the level where it waits is left to notify: the entry reaches one of them, or there is none. */
function reaches(book: Book, { id, level, originators }: KnownEscalation, { entry, content }: Seen): boolean {
  const there = agentsAt(book, level, originators[0] ?? "");
  const isReached = there.some((agent) => entry.receivers.includes(agent));
  const isToBeTold = (content.events ?? []).some(
    (each) => each.event === "limit-reached" && each.limit.escalation === id,
  );
  if (!isReached && !isToBeTold && there.length > 0)
    book.wrong(`${id} waits at ${level}, where nobody is notified of it`);
  return !isToBeTold;
}

function opened(book: Book, { escalation }: EventOf<"escalation-opened">, seen: Seen) {
  const { wrong, around, all } = book;
  const { entry, content, atMs } = seen;
  const { id, level, chain, originators, task, plan } = escalation;
  const { agent, role } = entry.principal;
  if (originators.join() !== agent) wrong(`${agent} opens ${id} for ${originators.join(", ")}`);
  if (all.has(id)) wrong(`the escalation ${id} is opened twice`);
  const expected = chainOf(book, agent);
  const [own, next] = [speakingLevelOf(role), above(chain, speakingLevelOf(role))];
  if (chain.join() !== expected.join()) wrong(`${id} is to go ${chain.join(", ")}, expected ${expected.join(", ")}`);
  // What Baton escalates because a limit is reached goes to the level that the limit names.
  const limit = (content.events ?? []).flatMap((each) => (each.event === "limit-reached" ? [each.limit] : []))[0];
  const isLimit = limit !== undefined && limit.kind !== "unheard";
  if (level !== next && !isLimit) wrong(`${id} of ${agent} (${own}) begins at ${level}, expected ${next}`);
  const begun: KnownEscalation = {
    id,
    task,
    plan,
    originators: [...originators],
    chain,
    isLimit,
    level,
    silentUntil: atMs + around.silenceMs(),
    isUntold: false,
    round: 1,
    mustDecide: false,
    status: "open",
    decidedAt: null,
    decidedMs: null,
  };
  begun.isUntold = !reaches(book, begun, seen);
  all.set(id, begun);
}

function raised(book: Book, { id, step, round, mustDecide }: EventOf<"escalation-raised">, seen: Seen) {
  const { wrong, around } = book;
  const { entry, atMs } = seen;
  const known = at(book, id);
  const { agent, role } = entry.principal;
  if (step.how === "again") {
    if (known.status === "open") wrong(`${id} is opened again and waits still`);
    if (step.level !== known.decidedAt) wrong(`${id} comes again to ${step.level}, and ${known.decidedAt} decided it`);
    if (round !== Math.min(known.round + 1, roundsMax)) wrong(`${id} comes to round ${round} after ${known.round}`);
    if (mustDecide !== known.round >= roundsMax) wrong(`${id} comes again with mustDecide ${mustDecide}`);
    if (!known.originators.includes(step.by)) known.originators.push(step.by);
  } else {
    const next = above(known.chain, known.level);
    if (known.status !== "open") wrong(`${id} is raised and is ${known.status}`);
    if (step.level !== next) wrong(`${id} goes from ${known.level} to ${step.level}, expected ${next}`);
    if (step.how === "silence") {
      const early = known.silentUntil - atMs;
      if (entry.kind !== "timer") wrong(`${id} is passed on by silence in an entry that is no timer's`);
      if (early > 0) wrong(`${known.level} is skipped in ${id} ${early} ms early`);
      if (known.isUntold) wrong(`${known.level} is skipped in ${id}, of which nobody there was notified`);
    } else if (step.how === "left") {
      const there = thereAt(book, known.level, known.originators);
      if (entry.kind !== "timer") wrong(`${id} goes on from an empty level in an entry that is no timer's`);
      if (there.length > 0) wrong(`${known.level} is skipped in ${id} as empty, and ${there.join(", ")} is there`);
    } else {
      const own = levelOfRole(role);
      if (step.by !== agent) wrong(`${agent} raises ${id} as ${step.by}`);
      if (known.mustDecide) wrong(`${agent} raises ${id}, which must be decided where it is`);
      if (own !== known.level) wrong(`${agent} (${own}) raises ${id}, which waits at ${known.level}`);
    }
  }
  // If no process looked for long, the next level still has its whole time: it is notified only now.
  const silentUntil = atMs + around.silenceMs();
  Object.assign(known, {
    level: step.level,
    silentUntil,
    round,
    mustDecide,
    status: "open",
    decidedAt: null,
    decidedMs: null,
  });
  const isByItself = step.how === "silence" || step.how === "left";
  if (isByItself) toldToAll(book, known, entry.receivers);
  known.isUntold = !isByItself && !reaches(book, known, seen);
}

function resolved(book: Book, { id, decision }: EventOf<"escalation-resolved">, { entry, atMs }: Seen) {
  const { wrong } = book;
  const known = at(book, id);
  const { agent, role } = entry.principal;
  const own = agent === "owner" ? "user" : levelOfRole(role);
  if (known.status !== "open") wrong(`${agent} decides ${id}, which is ${known.status}`);
  if (decision.decidedBy !== agent) wrong(`${agent} decides ${id} as ${decision.decidedBy}`);
  if (decision.level !== own) wrong(`${agent} (${own}) decides ${id} as ${decision.level}`);
  if (own === undefined || levels.indexOf(own) < levels.indexOf(known.level)) {
    wrong(`${agent} (${own}) decides ${id}, which waits at ${known.level}`);
  }
  if (isOwnMatter(book, agent, known.originators)) wrong(`${agent} decides ${id}, which is its own matter`);
  if (known.level === "user" && agent !== "owner") wrong(`${agent} decides ${id}, which has come to the user`);
  Object.assign(known, { status: "resolved", decidedAt: decision.level, decidedMs: atMs });
}

function closed(book: Book, { id }: EventOf<"escalation-closed">, { entry, content, said }: Seen) {
  const { wrong } = book;
  const known = at(book, id);
  const { agent } = entry.principal;
  if (known.isLimit && isSettled(content)) {
    if (known.status === "closed") wrong(`${id} is closed twice`);
    // Nobody has to have decided it; should it come again, then to where it waited.
    Object.assign(known, { status: "closed", decidedAt: known.decidedAt ?? known.level });
    return;
  }
  if (known.status !== "resolved") wrong(`${id} is closed and is ${known.status}`);
  // Whose work a task is now, may have changed since it was asked about.
  if (known.task === null && !known.originators.includes(agent))
    wrong(`${agent} closes ${id} of ${known.originators.join(", ")}`);
  const task = said("task_id") ?? said("task");
  const isItsTask = known.task === null || typeof task !== "string" || numbersOf(known.task).endsWith(lastNumber(task));
  if (!isItsTask) wrong(`${id} is closed by progress on ${String(task)}`);
  known.status = "closed";
}

/** Whether an entry shows that a limit is no matter any more. */
function isSettled({ events = [] }: Seen["content"]): boolean {
  return events.some((each) => {
    if (each.event === "code-reviewed") return each.review.status === "approved";
    if (each.event === "tests-recorded") return each.tests.allRed;
    if (each.event === "api-negotiated") return each.contract.status === "agreed";
    return (each.event === "work-judged" || each.event === "code-judged") && each.verdict.result === "PASS";
  });
}

/** The department of an agent, or that of its role where it is in none. */
function departmentOf({ department, role }: KnownAgent): string | undefined {
  return department ?? (["critic", "scout", "debugger", "security"].includes(role) ? "shared" : undefined);
}

const none = {
  task: null,
  plan: null,
  originators: [],
  chain: [],
  isLimit: false,
  level: "dev",
  silentUntil: 0,
  isUntold: false,
  round: 1,
  mustDecide: false,
  status: "open" as const,
  decidedAt: null,
  decidedMs: null,
};

function lastNumber(task: string): string {
  return numbersOf(task).split("-").at(-1) ?? "";
}
