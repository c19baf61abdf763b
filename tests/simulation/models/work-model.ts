/**
 * Tasks and claims by the entries alone: one holder a task, no file held twice, tokens that grow, leases that do not end
 * early, and who may say that work is done. Written from docs/protocol/tasks.md; docs/protocol/verdicts.md.
 */

import type { CoordinationEvent } from "../../../src/perform/deciders.ts";
import { numbersOf } from "../world/vocabulary.ts";
import type { KnownScope } from "./contract-model.ts";
import type { KnownEscalation } from "./escalation-model.ts";
import { checkMove, reasonOfMove } from "./move-check.ts";
import { liesInside, shareAFile } from "./overlap.ts";
import type { EventOf, Seen, Wrong } from "./seen.ts";
import type { Signs } from "./signs.ts";

/** The state of a task by the entries. */
export interface KnownTask {
  readonly key: string;
  readonly task: string;
  readonly plan: string | null;
  files: readonly string[];
  needs: readonly string[];
  claim: { readonly holder: string; readonly token: number; files: readonly string[] } | null;
  /** Every grant, oldest first. */
  readonly grants: { readonly holder: string; readonly token: number }[];
  /** Who reported it as done, in the last word on it; null: it is not, or the repository contradicts it. */
  doneBy: string | null;
  /** The last word on it where it says that it is done. */
  report: { readonly by: string; readonly seq: number } | null;
  /** What the repository shows of that report; null: nothing yet. */
  verdict: "verified" | "disputed" | "gone" | null;
}

/** What an agent waits for. */
type KnownWait = Pick<KnownEscalation, "id" | "task" | "plan" | "decidedMs">;

/** What the rules about work ask of others. */
export interface AroundWork {
  readonly signs: Signs;
  leaseMs(): number;
  /** Escalations that an agent raised and has not closed by going on. */
  waitingFor(agent: string): readonly KnownWait[];
  isActive(agent: string): boolean;
  /** Whether a lead of this department, or of none, may move tasks of this agent. */
  leads(department: string | undefined, agent: string): boolean;
  /** Why an agent may not begin to work now; null: it may. */
  barOf(agent: string): string | null;
  /** What a plan may touch; undefined: no contract says. */
  scopeOf(plan: string): KnownScope | undefined;
  /** Whether a report counts only once the repository confirms it. */
  readonly hasRepository: boolean;
}

export interface WorkModel {
  readonly tasks: ReadonlyMap<string, KnownTask>;
  /** Tasks that an agent holds. */
  heldBy(agent: string): readonly KnownTask[];
  /** The task that an id means, in whatever spelling; undefined: none or several. */
  find(taskId: string, plan: string | null): KnownTask | undefined;
  /** Whether something that comes before it is not done. */
  isBlocked(task: KnownTask): boolean;
  /** Whether others need not wait for it any more. */
  isDone(task: KnownTask): boolean;
  /** Reports of an agent that are the last word on their tasks. */
  reportsOf(agent: string): readonly { readonly seq: number; readonly isConfirmed: boolean }[];
  /** Tasks of others whose files are among these. */
  meeting(files: readonly string[], except: string): readonly KnownTask[];
  /** Follows events about tasks, and leaves all others alone. */
  take(event: CoordinationEvent, seen: Seen): void;
}

/** What is kept of the work. */
interface Book {
  readonly wrong: Wrong;
  readonly around: AroundWork;
  readonly tasks: Map<string, KnownTask>;
  /** Plans that come before a plan. */
  readonly planNeeds: Map<string, readonly string[]>;
  /** The plan of each request for one, by its key; plans that have no yes. */
  readonly plansAsked: Map<string, string>;
  readonly plansHeld: Set<string>;
  lastToken: number;
  /** Until when claims are kept for a decision, by holder, and its last heartbeat when that was said. */
  readonly kept: Map<string, { readonly untilMs: number; readonly saidMs: number; readonly countedFrom: number }>;
}

/** No work. */
export function newWorkModel(wrong: Wrong, around: AroundWork): WorkModel {
  const nothing = { tasks: new Map(), planNeeds: new Map(), plansAsked: new Map(), plansHeld: new Set<string>() };
  const book: Book = { wrong, around, ...nothing, lastToken: 0, kept: new Map() };
  return {
    tasks: book.tasks,
    heldBy: (agent) => heldBy(book, agent),
    find: (taskId, plan) => find(book, taskId, plan),
    isBlocked: (task) => isBlocked(book, task),
    isDone: (task) => isDone(book, task),
    reportsOf: (agent) =>
      [...book.tasks.values()].flatMap((task) =>
        task.report?.by === agent
          ? [{ seq: task.report.seq, isConfirmed: isDone(book, task) && task.verdict !== "gone" }]
          : [],
      ),
    meeting: (files, except) => meeting(book, files, except),
    take: (event, seen) => take(book, event, seen),
  };
}

function take(book: Book, event: CoordinationEvent, seen: Seen): void {
  const { wrong, tasks, planNeeds } = book;
  if (event.event === "task-added") {
    const { key, task, plan, files, needs } = event;
    if (tasks.has(key)) wrong(`${task} is added twice`);
    tasks.set(key, { ...untouched(), key, task, plan, files, needs });
  }
  if (event.event === "task-changed") Object.assign(at(book, event.key), { files: event.files, needs: event.needs });
  if (event.event === "task-dropped") tasks.delete(event.key);
  if (event.event === "plan-ordered") planNeeds.set(event.plan, event.needs);
  if (event.event === "approval-requested") asked(book, event);
  if (event.event === "approval-answered" && event.answer.approved)
    book.plansHeld.delete(book.plansAsked.get(event.key) ?? "");
  if (event.event === "plan-released") {
    if (book.plansHeld.has(event.plan) && seen.entry.principal.agent !== "owner")
      wrong(`plan ${event.plan} is released without a yes`);
    book.plansHeld.delete(event.plan);
  }
  if (event.event === "task-claimed") claimed(book, event, seen);
  if (event.event === "claim-grown") grown(book, event);
  if (event.event === "claim-released") released(book, event, seen);
  if (event.event === "leases-expired") expired(book, event, seen);
  if (event.event === "claims-kept") kept(book, event, seen);
  if (event.event === "task-reported") reported(book, event, seen);
  if (event.event === "task-verified" || event.event === "task-disputed" || event.event === "task-gone")
    judged(book, event, seen);
  if (event.event === "task-reopened")
    Object.assign(at(book, event.key), { doneBy: null, report: null, verdict: null });
  if (event.event === "finding-recorded") found(book, event, seen);
  if (event.event === "verdict-opened") opened(book, event);
  if (event.event === "plan-summarised") {
    const open = ofPlan(book, event.key).filter((task) => !isDone(book, task));
    if (open.length > 0) wrong(`plan ${event.key} is summed up before ${open[0]?.task} is done`);
  }
}

/** A plan whose lead asks for it waits. */
function asked({ plansAsked, plansHeld }: Book, { request }: EventOf<"approval-requested">): void {
  const { plan, requestType, requesterRole, requester, requestId } = request;
  if (plan === null || requestType !== "plan_approval" || !["lead", "architect"].includes(requesterRole ?? "")) return;
  plansAsked.set(`${requester}/${requestId}`, plan);
  plansHeld.add(plan);
}

function at(book: Book, key: string): KnownTask {
  const { wrong, tasks } = book;
  const known = tasks.get(key);
  if (known === undefined) wrong(`an event is about the task ${key}, which nobody added`);
  return known ?? { ...untouched(), key, task: key, plan: null, files: [], needs: [] };
}

function untouched(): Pick<KnownTask, "claim" | "grants" | "doneBy" | "report" | "verdict"> {
  return { claim: null, grants: [], doneBy: null, report: null, verdict: null };
}

function isDone({ around }: Book, { doneBy, verdict }: KnownTask): boolean {
  return doneBy !== null && (!around.hasRepository || verdict === "verified" || verdict === "gone");
}

function heldBy({ tasks }: Book, agent: string): readonly KnownTask[] {
  return [...tasks.values()].filter(({ claim }) => claim?.holder === agent);
}

function ofPlan({ tasks }: Book, plan: string): readonly KnownTask[] {
  return [...tasks.values()].filter((task) => task.plan === plan);
}

function isBlocked(book: Book, { needs, plan }: KnownTask): boolean {
  const { tasks, planNeeds } = book;
  if (plan !== null && book.plansHeld.has(plan)) return true;
  const isOpen = (task: KnownTask | undefined) => task === undefined || !isDone(book, task);
  if (needs.some((key) => isOpen(tasks.get(key)) || tasks.get(key)?.verdict === "gone")) return true;
  return (plan === null ? [] : (planNeeds.get(plan) ?? [])).some((before) => {
    const there = ofPlan(book, before);
    return there.length === 0 || there.some(isOpen);
  });
}

function meeting({ tasks }: Book, files: readonly string[], except: string): readonly KnownTask[] {
  if (files.length === 0) return [];
  return [...tasks.values()].filter(
    ({ claim }) => claim !== null && claim.holder !== except && shareAFile(claim.files, files),
  );
}

function grant(book: Book, task: KnownTask, holder: string, token: number) {
  const { wrong } = book;
  if (token <= book.lastToken) wrong(`the token ${token} of ${task.task} does not grow beyond ${book.lastToken}`);
  book.lastToken = token;
  task.grants.push({ holder, token });
}

function checkInside(book: Book, { task, plan }: KnownTask, files: readonly string[]) {
  const { wrong, around } = book;
  const scope = plan === null ? undefined : around.scopeOf(plan);
  if (scope !== undefined && !liesInside(files, scope)) {
    wrong(`${task} is claimed with ${files.join(", ")}, outside of ${scope.allowed.join(", ")}`);
  }
}

function claimed(book: Book, event: EventOf<"task-claimed">, { entry, content }: Seen) {
  const { wrong, around } = book;
  const { holder, token, files } = event;
  const task = at(book, event.key);
  if (task.claim !== null) wrong(`${task.claim.holder} and ${holder} hold ${task.task} at once`);
  if (task.doneBy !== null) wrong(`${task.task} is claimed and was done by ${task.doneBy}`);
  // A free task is given, too.
  const isReassigned = content.command?.name === "reassign-task" || reasonOfMove(content, task) === "reassigned";
  const named = isReassigned ? content.command?.to : entry.principal.agent;
  if (holder !== named) wrong(`${entry.principal.agent} claims ${task.task} for ${holder}`);
  if (!around.isActive(holder)) wrong(`${holder} claims ${task.task} and is not in the team`);
  const bar = around.barOf(holder);
  if (bar !== null) wrong(`${holder} claims ${task.task} while ${bar}`);
  if (token !== entry.seq) wrong(`the token of ${task.task} is ${token}, not the seq ${entry.seq} of its grant`);
  // A claim that is handed over stays what it was, in other hands.
  const isMoved = reasonOfMove(content, task) !== null;
  if (isReassigned) checkMove(wrong, around.leads, { by: entry.principal, agent: holder, task: task.task });
  if (isBlocked(book, task) && !isMoved) wrong(`${task.task} is claimed before what it waits for is done`);
  for (const other of meeting(book, files, holder)) {
    wrong(`${holder} claims ${files.join(", ")} while ${other.claim?.holder} holds ${other.claim?.files.join(", ")}`);
  }
  if (!isMoved) checkInside(book, task, files);
  grant(book, task, holder, token);
  task.claim = { holder, token, files };
}

function grown(book: Book, event: EventOf<"claim-grown">) {
  const { wrong } = book;
  const task = at(book, event.key);
  if (task.claim?.holder !== event.holder) return wrong(`${event.holder} does not hold ${task.task}, which grows`);
  for (const other of meeting(book, event.files, event.holder)) {
    wrong(`the claim of ${task.task} grows into ${event.files.join(", ")}, held by ${other.claim?.holder}`);
  }
  checkInside(book, task, event.files);
  task.claim.files = [...task.claim.files, ...event.files];
}

function released(book: Book, { key, holder, reason }: EventOf<"claim-released">, { entry, content }: Seen) {
  const { wrong, around } = book;
  const task = at(book, key);
  if (task.claim?.holder !== holder) wrong(`${task.task} is released from ${holder}, who does not hold it`);
  const isOwn = reason === "released" && entry.principal.agent === holder;
  if ((reason === "released" || reason === "reassigned") && !isOwn)
    checkMove(wrong, around.leads, { by: entry.principal, agent: holder, task: task.task });
  const isTaken = content.events?.some((event) => event.event === "task-claimed" && event.key === key) === true;
  if (reason === "reassigned" && !isTaken) wrong(`${task.task} is reassigned, and nobody gets it`);
  const leaves = (content.team ?? []).some(
    (event) =>
      (event.event === "agent-retired" && event.agent === holder) ||
      (event.event === "team-revised" && !event.definition.agents.some(({ agent }) => agent === holder)),
  );
  if (reason === "retired" && !leaves) wrong(`${task.task} is released because ${holder} left, who did not`);
  const isReplaced = (content.team ?? []).some((event) => event.event === "agent-registered" && event.agent === holder);
  if (reason === "replaced" && !isReplaced) wrong(`${task.task} is released for a new session of ${holder}`);
  const isGone = (content.events ?? []).some((event) => event.event === "agent-disappeared" && event.agent === holder);
  const isGiven =
    reason !== "handed-over" || (content.events ?? []).some((event) => event.event === "handoff-accepted");
  if (!isGiven) wrong(`${task.task} is released because ${holder} handed it over, and nobody accepts it`);
  if (reason === "disappeared" && !isGone) wrong(`${task.task} is released because ${holder} disappeared, who did not`);
  task.claim = null;
}

function expired(book: Book, { holders }: EventOf<"leases-expired">, { entry, content, atMs }: Seen) {
  const { wrong, around } = book;
  if (entry.kind !== "timer") wrong("a lease ends in an entry that is no timer's");
  for (const { holder, tasks: keys } of holders) {
    const silentMs = around.signs.silentMs(holder, atMs);
    const early = around.leaseMs() - silentMs;
    if (early > 0) wrong(`the lease of ${holder} ends ${early} ms early`);
    const keeps = (content.events ?? []).flatMap((event) =>
      event.event === "claims-kept" || event.event === "claim-released" ? keysOf(event, holder) : [],
    );
    const held = heldBy(book, holder).map(({ key }) => key);
    // A task that waits for two decisions is named with each.
    if (held.toSorted().join() !== [...new Set([...keys, ...keeps])].toSorted().join()) {
      wrong(`the lease of ${holder} ends for ${keys.join(", ")}; it holds ${held.join(", ")}`);
    }
    const second = book.kept.get(holder);
    const isSecond = second !== undefined && !around.signs.hasSignSince(holder, second.saidMs);
    for (const key of keys) {
      const isBlocked = waitsIn(book, holder, key).some(({ decidedMs }) => decidedMs === null);
      if (isBlocked && !isSecond) wrong(`${holder} loses ${key} after one lease, and it waits for a decision`);
      at(book, key).claim = null;
    }
    if (isSecond && second.untilMs > atMs)
      wrong(`the second lease of ${holder} ends ${second.untilMs - atMs} ms early`);
  }
}

function keysOf(event: EventOf<"claims-kept"> | EventOf<"claim-released">, holder: string): readonly string[] {
  if (event.event === "claim-released") return event.holder === holder ? [event.key] : [];
  return event.holders.flatMap((each) => (each.holder === holder ? each.tasks.map(({ key }) => key) : []));
}

/** A claim is kept over a lease only where its holder waits for the decision about that very task, and only once. */
function kept(book: Book, { holders }: EventOf<"claims-kept">, { entry, atMs }: Seen) {
  const { wrong, around } = book;
  if (entry.kind !== "timer") wrong("claims are kept in an entry that is no timer's");
  for (const { holder, tasks, signMs, sinceMs: countedFrom } of holders) {
    const silentMs = around.signs.silentMs(holder, atMs);
    if (silentMs < around.leaseMs()) wrong(`claims of ${holder} are kept after ${silentMs} ms of silence`);
    // What the checker did not see of the agent, the record says.
    const before = book.kept.get(holder);
    const isSame = signMs === before?.countedFrom && !around.signs.mayHaveSignSince(holder, before.saidMs);
    const isSecond = before !== undefined && (signMs < before.countedFrom || isSame);
    let sinceMs = 0;
    for (const { key, escalation } of tasks) {
      const waits = waitsIn(book, holder, key).find(({ id }) => id === escalation);
      if (at(book, key).claim?.holder !== holder) wrong(`${key} is kept for ${holder}, who does not hold it`);
      if (waits === undefined) wrong(`${key} is kept for ${escalation}, which is not about it`);
      if (waits?.decidedMs === null && isSecond) wrong(`${key} is kept for ${holder} for a third lease`);
      sinceMs = Math.max(sinceMs, waits?.decidedMs ?? atMs);
    }
    book.kept.set(holder, { untilMs: sinceMs + around.leaseMs(), saidMs: atMs, countedFrom });
  }
}

function waitsIn(book: Book, holder: string, key: string): readonly KnownWait[] {
  return book.around
    .waitingFor(holder)
    .filter(({ task, plan }) => task !== null && find(book, task, plan)?.key === key);
}

function reported(book: Book, event: EventOf<"task-reported">, seen: Seen) {
  const { wrong } = book;
  const { reporter, status, key } = event;
  const task = at(book, key);
  const { agent } = seen.entry.principal;
  if (reporter !== agent) wrong(`${agent} reports ${task.task} as ${reporter}`);
  checkNamed(book, task, seen);
  if (status !== "complete") {
    if (task.claim !== null && task.claim.holder !== reporter) {
      wrong(`${reporter} has the word on ${task.task}, which ${task.claim.holder} holds`);
    }
    // Only the agent that said it was done takes that back, by saying that it failed.
    const isTakenBack = status === "failed" && task.doneBy === reporter && event.withdraws === task.report?.seq;
    if (task.doneBy !== null && !isTakenBack) wrong(`${task.task} was done, and is ${status} now`);
    if (task.verdict === "gone") wrong(`${task.task} is gone, and ${reporter} frees it`);
    // A finding stays until the task is reported as complete again.
    const isRefuted = task.verdict === "disputed";
    if (isRefuted !== (event.leavesRefuted !== undefined)) wrong(`${task.task} leaves refuted: ${event.leavesRefuted}`);
    Object.assign(task, { doneBy: null, report: null, verdict: isRefuted ? task.verdict : null });
    return;
  }
  if (task.claim !== null && task.claim.holder !== reporter) {
    wrong(`${reporter} completes ${task.task}, which ${task.claim.holder} holds`);
  }
  if (task.doneBy !== null && task.doneBy !== reporter) {
    wrong(`${reporter} completes ${task.task}, which ${task.doneBy} completed`);
  }
  const token = tokenIn(seen);
  const last = task.grants.at(-1);
  if (token !== null && (last?.token !== token || last.holder !== reporter)) {
    wrong(`${reporter} completes ${task.task} by the token ${token}; the last is ${last?.token} of ${last?.holder}`);
  }
  if (task.claim === null && task.doneBy === null) grant(book, task, reporter, seen.entry.seq);
  const { hasRepository } = book.around;
  if ((event.awaitsVerdict === true) !== hasRepository)
    wrong(`${task.task} waits for a verdict: ${event.awaitsVerdict}`);
  const report = { by: reporter, seq: seen.entry.seq };
  // What is verified or gone stays so until a further report is verified, too.
  const verdict = task.verdict === "disputed" ? null : task.verdict;
  Object.assign(task, { claim: null, doneBy: reporter, report, verdict });
}

/** What the repository shows counts for the last word on a task alone, and is Baton's to say. */
function judged(
  book: Book,
  event: EventOf<"task-verified" | "task-disputed" | "task-gone" | "task-stale">,
  { entry, content }: Seen,
) {
  const { wrong } = book;
  const task = at(book, event.key);
  const { agent } = entry.principal;
  if (agent !== "baton") wrong(`${agent} says what the repository shows of ${task.task}`);
  const looked = content.command?.report;
  if (task.report?.seq !== event.report || looked !== event.report)
    wrong(
      `a verdict on ${task.task} looked at ${JSON.stringify(looked)} and is about ${event.report}, not its last report`,
    );
  if (task.claim !== null) wrong(`a verdict on ${task.task} counts while ${task.claim.holder} holds it`);
  const verdict = {
    "task-verified": "verified",
    "task-disputed": "disputed",
    "task-gone": "gone",
    "task-stale": "gone",
  } as const;
  task.verdict = verdict[event.event];
  task.doneBy = task.verdict === "disputed" ? null : (task.report?.by ?? null);
}

/** Baton cannot see the work, and then there is no verdict. */
function found(book: Book, event: EventOf<"finding-recorded">, { entry, content }: Seen) {
  const { wrong } = book;
  const { judge, state } = event;
  const task = at(book, event.key);
  const { agent } = entry.principal;
  if (agent !== "baton" || judge !== agent) wrong(`${agent} records what ${judge} found of ${task.task}`);
  if (state !== "undecided") wrong(`${judge} finds ${task.task} ${state}, which is a verdict`);
  if (task.report?.seq !== event.report) wrong(`a finding on ${task.task} is about ${event.report}`);
  if (task.claim !== null) wrong(`a finding on ${task.task} counts while ${task.claim.holder} holds it`);
  const isOpened = (content.events ?? []).some((each) => each.event === "verdict-opened" && each.key === event.key);
  if (isOpened !== (task.verdict === "disputed"))
    wrong(`${task.task} is undecided, and its verdict was ${task.verdict}`);
}

/** The work cannot be seen any more, so the report is what it was before there was a verdict. */
function opened(book: Book, event: EventOf<"verdict-opened">) {
  const task = at(book, event.key);
  if (task.verdict === null) book.wrong(`${task.task} has no verdict that could be opened again`);
  Object.assign(task, { verdict: null, doneBy: task.report?.by ?? null });
}

function checkNamed(book: Book, task: KnownTask, seen: Seen) {
  const { wrong } = book;
  if (seen.entry.kind !== "message") return;
  const said = seen.said("task_id") ?? seen.said("task");
  const plan = seen.said("plan_id");
  if (typeof said !== "string") return wrong(`${task.task} is reported by a message that names no task`);
  const meant = find(book, said, typeof plan === "string" ? plan : null);
  if (meant !== task) wrong(`a message about ${said} changes ${task.task}`);
}

function find({ tasks }: Book, taskId: string, plan: string | null): KnownTask | undefined {
  const named = [...tasks.values()].filter(({ task }) => task === taskId);
  if (named.length === 1) return named[0];
  const numbers = numbersOf(taskId);
  const isWhole = numbers.split("-").length >= 3;
  const wanted = isWhole || plan === null ? numbers : `${numbersOf(plan)}-${numbers}`;
  const found = [...tasks.values()].filter(
    (task) =>
      numbersOf(task.task) === wanted || (task.plan !== null && `${task.plan}-${numbersOf(task.task)}` === wanted),
  );
  return found.length === 1 ? found[0] : undefined;
}

/** The fencing token that travelled; null: none did. */
function tokenIn({ entry, content, said }: Seen): number | null {
  const token = entry.kind === "command" ? content.command?.token : said("token");
  return typeof token === "number" ? token : null;
}
