/**
 * Shutdown rounds by the entries alone: who refuses is asked at most four times, and all is ended by everybody's word or by
 * the deadline, with the outcome that the words give. Written from docs/protocol/asking.md, sections 14 to 16.
 */
import type { CoordinationEvent } from "../../../src/perform/deciders.ts";
import type { EventOf, Seen, Wrong } from "./seen.ts";

/** Most askings of a round. */
const askingsMax = 4;

/** An agent's part. */
export interface KnownPart {
  outcome: string | null;
  refusals: number;
  /** Whether it has refused and was not asked again since. */
  isRefusing: boolean;
  /** Whether it held tasks when its part ended. */
  leftClaims: boolean;
  /** Whether it said itself that something is left to be done or to be committed. */
  saidLeft: boolean;
  /** The entry that ended it; null: it goes on, or was never asked. */
  endedBy: number | null;
  /** Messages that it had not read as the round ended; null: the round goes on. */
  unread: number | null;
  /** Reports that were not confirmed as the round ended, and are not since; null: the round goes on. */
  unconfirmed: readonly number[] | null;
}

/** The state of a round by the entries. */
export interface KnownRound {
  readonly id: string;
  readonly requester: string;
  readonly deadlineMs: number;
  readonly parts: Map<string, KnownPart>;
  asked: number;
  askedAt: number;
  status: "open" | "complete" | "incomplete";
  readonly everybody: boolean;
  /** The entries that asked, first or again. */
  readonly requests: number[];
}

export interface ShutdownModel {
  readonly rounds: readonly KnownRound[];
  /** In which of its sessions an agent stopped last, or was made to; undefined: in none. */
  stoppedIn(agent: string): number | undefined;
  /** Whether the agent stopped last, in its present session, in a round of everybody that is over. */
  isBackNextDay(agent: string): boolean;
  /** Open rounds that wait for an agent. */
  waitingFor(agent: string): readonly KnownRound[];
  /** Follows events about rounds, and leaves all others alone. */
  take(event: CoordinationEvent, seen: Seen): void;
  /** How a round is certified, and each part: by what is known now while it goes on, and for ever the same after that. */
  certificate(round: KnownRound): string;
  /** Whether everything that one entry did fits together. */
  checkEntry(seen: Seen): void;
}

/** What rounds ask of others: an agent's present session, how many tasks it holds, and its mail. */
export interface AroundShutdowns {
  sessionOf(agent: string): number;
  holds(agent: string): number;
  /** Reports of an agent that are the last word on their tasks. */
  reportsOf(agent: string): readonly { readonly seq: number; readonly isConfirmed: boolean }[];
  /** Seqs of the messages that an agent has not acknowledged. */
  unread(agent: string): readonly number[];
  /** These requests of a round wait for the agent no more: the round is over by the entry `at`. */
  over(agent: string, requests: readonly number[], at: number): void;
}

/** What is kept of rounds. */
interface Book extends AroundShutdowns {
  readonly wrong: Wrong;
  readonly rounds: KnownRound[];
  /** In which session each agent stopped last. */
  readonly stopped: Map<string, number>;
  /** Entries that asked to stop, first or again. */
  readonly askings: Set<number>;
  /** Reports that were contradicted: a certificate keeps the first verdict. */
  readonly contradicted: Set<number>;
}

/** No rounds. */
export function newShutdownModel(wrong: Wrong, around: AroundShutdowns): ShutdownModel {
  const book: Book = { ...around, wrong, rounds: [], stopped: new Map(), askings: new Set(), contradicted: new Set() };
  const { rounds, stopped } = book;
  return {
    rounds,
    stoppedIn: (agent) => stopped.get(agent),
    isBackNextDay: (agent) =>
      stopped.get(agent) === around.sessionOf(agent) &&
      rounds.some(({ status, everybody, parts }) => {
        const outcome = everybody && status !== "open" ? (parts.get(agent)?.outcome ?? null) : null;
        return outcome !== null && outcome !== "not_addressed";
      }),
    waitingFor: (agent) =>
      rounds.filter(({ status, parts }) => status === "open" && parts.get(agent)?.outcome === null),
    take(event, seen) {
      if (event.event === "shutdown-started") started(book, event, seen);
      if (event.event === "shutdown-joined") joined(book, event);
      if (event.event === "shutdown-answered") answered(book, event, seen);
      if (event.event === "shutdown-repeated") repeated(book, event, seen);
      if (event.event === "shutdown-forced") forced(book, event, seen);
      if (event.event === "shutdown-ended") ended(book, event, seen);
      if (event.event === "task-verified") confirmed(book, event.report);
      if (event.event === "task-disputed" || event.event === "task-gone") contradicted(book, event.report);
    },
    certificate: (round) => certificate(book, round),
    checkEntry: (seen) => checkEntry(book, seen),
  };
}

function checkEntry({ wrong, rounds, holds }: Book, { content }: Seen): void {
  const events = content.events ?? [];
  const touched = new Set(events.flatMap((event) => ("requestId" in event ? [event.requestId] : [])));
  for (const round of rounds) {
    if (round.status === "open" && waiting(round).length === 0) wrong(`${round.id} waits for nobody and goes on`);
    if (!touched.has(round.id)) continue;
    for (const [agent, { outcome }] of round.parts) {
      const isEnded = outcome !== null && outcome !== "not_addressed";
      if (isEnded && endsHere(events, agent) && holds(agent) > 0) wrong(`${agent} stopped and still holds tasks`);
    }
  }
}

function waiting({ parts }: KnownRound): readonly string[] {
  return [...parts].filter(([, { outcome }]) => outcome === null).map(([name]) => name);
}

function at(book: Book, id: string): KnownRound {
  const { wrong, rounds } = book;
  const known = rounds.findLast((round) => round.id === id);
  if (known === undefined) wrong(`the round ${id} goes on, and nobody started it`);
  const none = { requester: "", deadlineMs: 0, parts: new Map(), asked: 0, askedAt: 0, everybody: false, requests: [] };
  return known ?? { id, status: "open", ...none };
}

function joined({ wrong, rounds }: Book, { requestId, agents }: EventOf<"shutdown-joined">) {
  const round = rounds.findLast(({ id }) => id === requestId);
  if (round?.status !== "open") return wrong(`${requestId} is joined and is not open`);
  for (const { agent } of agents) {
    if (round.parts.has(agent)) wrong(`${agent} joins ${requestId} twice`);
    round.parts.set(agent, newPart("not_addressed"));
  }
}

function started(book: Book, { round }: EventOf<"shutdown-started">, { entry, atMs }: Seen) {
  const { wrong, rounds } = book;
  book.askings.add(entry.seq);
  const { requestId: id, requester, deadlineMs, agents } = round;
  const { agent, role } = entry.principal;
  if (agent !== requester) wrong(`${agent} starts the round ${id} as ${requester}`);
  if (agent !== "owner" && role !== "lead") wrong(`${agent} (${role}) starts the round ${id}`);
  if (rounds.some((other) => other.id === id && other.status === "open")) wrong(`${id} names two open rounds`);
  const parts = agents.map(({ agent: name, outcome }): [string, KnownPart] => {
    if (outcome !== null && outcome !== "not_addressed") wrong(`${name} begins the round ${id} as ${outcome}`);
    if (outcome === null && !entry.receivers.includes(name)) wrong(`${name} is asked by ${id} and not told`);
    return [name, newPart(outcome)];
  });
  const requests = [entry.seq];
  const everybody = round.everybody === true;
  const began = { requester, deadlineMs, parts: new Map(parts), asked: 1, askedAt: atMs, everybody, requests };
  rounds.push({ id, status: "open", ...began });
}

function newPart(outcome: string | null): KnownPart {
  const counts = { refusals: 0, isRefusing: false };
  return { outcome, ...counts, leftClaims: false, saidLeft: false, endedBy: null, unread: null, unconfirmed: null };
}

function partOf(book: Book, round: KnownRound, agent: string): KnownPart {
  const { wrong } = book;
  const part = round.parts.get(agent);
  if (part === undefined) wrong(`${agent} has no part in the round ${round.id}`);
  else if (part.outcome !== null) wrong(`${agent} ended in ${round.id} as ${part.outcome}, and goes on`);
  return part ?? newPart(null);
}

function answered(book: Book, { requestId, answerer, outcome }: EventOf<"shutdown-answered">, seen: Seen) {
  const { wrong, stopped, sessionOf, holds } = book;
  const round = at(book, requestId);
  const part = partOf(book, round, answerer);
  if (answerer !== seen.entry.principal.agent) wrong(`${seen.entry.principal.agent} answers as ${answerer}`);
  const said = stoppingWord(seen);
  if (outcome === null) {
    if (said !== "refused") wrong(`${answerer} said ${said} to ${requestId}, taken as a refusal`);
    if (part.isRefusing) wrong(`a second refusal of ${answerer} counts in one asking of ${requestId}`);
    Object.assign(part, { refusals: part.refusals + 1, isRefusing: true });
    return;
  }
  const expected = said !== "clean" ? said : part.refusals > 0 ? "refused-then-clean" : "clean";
  if (outcome !== expected) wrong(`${answerer} ends in ${requestId} as ${outcome}, expected ${expected}`);
  const endedBy = seen.entry.seq;
  Object.assign(part, { outcome, leftClaims: holds(answerer) > 0, saidLeft: saysLeft(seen), endedBy });
  stopped.set(answerer, sessionOf(answerer));
}

function repeated(book: Book, { requestId, agents, asked }: EventOf<"shutdown-repeated">, seen: Seen) {
  const { wrong } = book;
  const round = at(book, requestId);
  book.askings.add(seen.entry.seq);
  round.requests.push(seen.entry.seq);
  if (seen.entry.kind !== "timer") wrong(`${requestId} asks again in an entry that is no timer's`);
  for (const agent of agents) {
    const part = partOf(book, round, agent);
    if (!part.isRefusing) wrong(`${requestId} asks ${agent} again, which has not refused`);
    if (asked !== part.refusals + 1 || asked > askingsMax) wrong(`${requestId} asks ${agent} for the ${asked}th time`);
    part.isRefusing = false;
    round.asked = Math.max(round.asked, asked);
    if (!seen.entry.receivers.includes(agent)) wrong(`${agent} is asked again by ${requestId} and not told`);
  }
}

function forced(book: Book, { requestId, agents }: EventOf<"shutdown-forced">, seen: Seen) {
  const { wrong, stopped, sessionOf, holds } = book;
  const round = at(book, requestId);
  const isByOthers = seen.entry.kind !== "timer";
  for (const agent of agents) {
    const part = partOf(book, round, agent);
    if (isByOthers && !isTakenOut(seen, agent)) wrong(`${agent} is forced by ${requestId}, and nobody takes it out`);
    // Who is forced by another round has stopped for this one too.
    if (!isByOthers && !isLastPassed(book, seen, agent))
      wrong(`${agent} is forced before the deadline of ${requestId}, or a refusal of each asking`);
    Object.assign(part, { outcome: "forced", leftClaims: holds(agent) > 0, endedBy: seen.entry.seq });
    stopped.set(agent, sessionOf(agent));
  }
}

/** By a command, or by a revision of the team that does not name it any more. */
function isTakenOut({ content }: Seen, agent: string): boolean {
  return (content.team ?? []).some(
    (event) =>
      (event.event === "agent-retired" && event.agent === agent) ||
      (event.event === "team-revised" && !event.definition.agents.some((listed) => listed.agent === agent)),
  );
}

function isLastPassed(book: Book, { atMs }: Seen, agent: string): boolean {
  const { rounds } = book;
  return rounds.some(({ parts, askedAt, deadlineMs }) => {
    const part = parts.get(agent);
    return part !== undefined && (askedAt + deadlineMs <= atMs || part.refusals === askingsMax);
  });
}

function ended(book: Book, { requestId, outcome }: EventOf<"shutdown-ended">, { entry }: Seen) {
  const { wrong } = book;
  const round = at(book, requestId);
  if (round.status !== "open") wrong(`${requestId} ends twice`);
  const left = waiting(round);
  if (left.length > 0) wrong(`${requestId} ends while it waits for ${left.join(", ")}`);
  const clean = ["clean", "refused-then-clean", "late", "not_addressed"];
  const isDrained = [...round.parts.values()].every((part) => clean.includes(part.outcome ?? "") && !part.leftClaims);
  const expected = isDrained ? "complete" : "incomplete";
  if (outcome !== expected) wrong(`${requestId} ends as ${outcome}, expected ${expected}`);
  round.status = outcome;
  for (const [agent, part] of round.parts) {
    part.unread = unreadOf(book, agent, part);
    book.over(agent, round.requests, entry.seq);
    part.unconfirmed = unconfirmedOf(book, agent, part);
  }
}

/** Reports of the time before its part ended that the repository has not confirmed. */
function unconfirmedOf({ reportsOf }: Book, agent: string, { endedBy }: KnownPart): readonly number[] {
  const until = endedBy ?? Number.POSITIVE_INFINITY;
  return reportsOf(agent).flatMap(({ seq, isConfirmed }) => (isConfirmed || seq > until ? [] : [seq]));
}

function contradicted(book: Book, report: number) {
  book.contradicted.add(report);
}

/** A verdict that a certificate waited for. */
function confirmed({ rounds, contradicted: known }: Book, report: number) {
  if (known.has(report)) return;
  for (const { parts } of rounds)
    for (const part of parts.values()) part.unconfirmed = part.unconfirmed?.filter((seq) => seq !== report) ?? null;
}

/** Mail of the time before its part ended, requests to stop aside: those are answered, not read. */
function unreadOf({ unread, askings }: Book, agent: string, { endedBy }: KnownPart): number {
  return unread(agent).filter((seq) => seq < (endedBy ?? Number.POSITIVE_INFINITY) && !askings.has(seq)).length;
}

/** Who says that all is clean and leaves something behind is not certified as clean, and neither is the round. */
function certificate(book: Book, { id, status, asked, parts }: KnownRound): string {
  const certified = [...parts].map(([agent, part]) => {
    const unread = part.unread ?? unreadOf(book, agent, part);
    const isSaidClean = ["clean", "refused-then-clean", "late"].includes(part.outcome ?? "");
    const unconfirmed = part.unconfirmed ?? unconfirmedOf(book, agent, part);
    const isLeft = isSaidClean && (part.leftClaims || part.saidLeft || unconfirmed.length > 0);
    return { agent, outcome: isLeft ? "left-work" : part.outcome, unread };
  });
  const isLeft = status === "complete" && certified.some(({ outcome }) => outcome === "left-work");
  const shown = certified.map(({ agent, outcome, unread }) => `${agent}:${outcome}:${unread}`).join();
  return `${id} ${isLeft ? "incomplete" : status} ${asked} ${shown}`;
}

function endsHere(events: readonly object[], agent: string): boolean {
  return events.some(
    (event) =>
      ("answerer" in event && event.answerer === agent) ||
      ("agents" in event && Array.isArray(event.agents) && event.agents.includes(agent)),
  );
}

/** What an answer to a request to stop says, in the words of the certificate; `refused`: it works on. */
function stoppingWord({ said }: Seen): string {
  const status = said("status");
  if (typeof status === "string" && said("final_status") === undefined) return status;
  const approved = said("approve") ?? said("approved");
  if (approved !== true) return "refused";
  return said("final_status") === "in_progress" ? "in_progress" : "clean";
}

/** Whether the answer itself names work that is left, or says that not everything is committed. */
function saysLeft({ said }: Seen): boolean {
  const pending = said("pending_work");
  const isPending = Array.isArray(pending) ? pending.length > 0 : typeof pending === "string" && pending !== "";
  return isPending || said("artifacts_committed") === false;
}
