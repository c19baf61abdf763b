/**
 * Handoffs by the entries alone: one answer each, by one it is addressed to in the role that it had, with its files looked
 * at; the task's claim moves with it; who leaves does not answer any more, and its lead reads so. Written from
 * docs/protocol/phases.md, sections 12 to 14; docs/protocol/tasks.md, section 14.
 */
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../../src/base/json.ts";
import type { CoordinationEvent } from "../../../src/perform/deciders.ts";
import type { EventOf, Seen, Wrong } from "./seen.ts";
import type { KnownTask } from "./work-model.ts";

/** A handoff as the entries say it is. */
export interface KnownHandoff {
  readonly id: string;
  readonly issuer: string;
  readonly issuerRole: string | null;
  /** Those who may answer, with the roles that they had. */
  readonly receivers: ReadonlyMap<string, string | undefined>;
  readonly task: string | null;
  /** What it belongs to with others: its workflow, else its task. */
  readonly line: string | null;
  readonly after: string | null;
  readonly digest: string;
  /** How many files are looked at before it is accepted, and before it is completed. */
  readonly required: number;
  readonly generated: number;
  /** Whether the document says that something of it is to be repaired. */
  readonly isRepair: boolean;
  status: "issued" | "accepted" | "rejected" | "completed";
  answeredBy: string | null;
}

export interface HandoffModel {
  readonly all: ReadonlyMap<string, KnownHandoff>;
  /** Handoffs that wait for an agent. */
  waitingFor(agent: string): readonly KnownHandoff[];
  /** Whether those who lead an agent that leaves read what waits for it; asked before the entry takes effect. */
  checkLeaving(seen: Seen): void;
  /** Follows events about handoffs, and leaves all others alone. */
  take(event: CoordinationEvent, seen: Seen): void;
  /** Whether the claim moved, and whether a refusal is right; asked when the whole entry was taken. */
  checkEntry(seen: Seen): void;
}

/** What handoffs ask of others. */
export interface AroundHandoffs {
  roleOf(agent: string): string | undefined;
  isActive(agent: string): boolean;
  /** Agents that leave by the entry, which has not taken effect. */
  leavers(seen: Seen): readonly string[];
  /** Active leads of an agent. */
  leadsOf(agent: string): readonly string[];
  find(taskId: string): KnownTask | undefined;
}

/** What is kept of handoffs. */
interface Book {
  readonly wrong: Wrong;
  readonly around: AroundHandoffs;
  readonly all: Map<string, KnownHandoff>;
  /** Which agent continues from which handoff, by line, oldest first; `""`: one that received none. */
  readonly goesOn: Map<string, { readonly agent: string; readonly id: string }[]>;
  /** What an acceptance of the entry under way must bring: its task in the hands of the one who accepts. */
  expected: { readonly task: KnownTask; readonly by: string } | null;
}

/** No handoffs. */
export function newHandoffModel(wrong: Wrong, around: AroundHandoffs): HandoffModel {
  const book: Book = { wrong, around, all: new Map(), goesOn: new Map(), expected: null };
  return {
    all: book.all,
    waitingFor: (agent) => waitingFor(book, agent),
    checkLeaving: (seen) => checkLeaving(book, seen),
    take(event, seen) {
      if (event.event === "handoff-issued") issued(book, event, seen);
      if (event.event === "handoff-accepted") accepted(book, event, seen);
      if (event.event === "handoff-rejected") rejected(book, event, seen);
      if (event.event === "handoff-completed") completed(book, event, seen);
    },
    checkEntry(seen) {
      checkMoved(book, seen);
      checkRefusal(book, seen);
    },
  };
}

function waitingFor({ all }: Book, agent: string): readonly KnownHandoff[] {
  return [...all.values()].filter(({ status, receivers }) => status === "issued" && receivers.has(agent));
}

function issued(book: Book, { handoff }: EventOf<"handoff-issued">, { entry, head }: Seen) {
  const { wrong, around, all } = book;
  const { id, issuer, digest } = handoff;
  const { agent, role } = entry.principal;
  const document = partOf(head("handoff"));
  const { workflow_id, task_id, id: named } = partOf(document.metadata);
  if (entry.kind !== "message") wrong(`the handoff ${id} is issued without a document`);
  if (named !== id) wrong(`the document of ${id} calls itself ${JSON.stringify(named)}`);
  if (issuer !== agent) wrong(`${agent} hands over ${id} as ${issuer}`);
  if (all.has(id)) wrong(`the handoff ${id} is issued twice`);
  if (handoff.receivers.toSorted().join() !== entry.receivers.toSorted().join())
    wrong(`${id} is handed to ${handoff.receivers.join(", ")}, and sent to ${entry.receivers.join(", ")}`);
  const task = typeof task_id === "string" ? task_id : null;
  const line = typeof workflow_id === "string" ? workflow_id : task;
  const after = lastOf(book, line, issuer);
  if (handoff.after !== after) wrong(`${id} follows ${handoff.after}, expected ${after}`);
  const { required_files, generated_files } = partOf(document.dependencies);
  all.set(id, {
    id,
    issuer,
    issuerRole: role,
    receivers: new Map(handoff.receivers.map((receiver) => [receiver, around.roleOf(receiver)])),
    task,
    line,
    after,
    digest,
    required: countOf(required_files),
    generated: countOf(generated_files),
    isRepair: handoff.unfit.length > 0,
    status: "issued",
    answeredBy: null,
  });
  goOn(book, line, id, ["", ...handoff.receivers]);
}

/** The handoff that an agent goes on from: the last of the line that it was handed or has answered, else the last. */
function lastOf({ goesOn }: Book, line: string | null, agent: string): string | null {
  const steps = goesOn.get(line ?? "") ?? [];
  return (steps.findLast((step) => step.agent === agent) ?? steps.findLast((step) => step.agent === ""))?.id ?? null;
}

function goOn({ goesOn }: Book, line: string | null, id: string, agents: readonly string[]) {
  if (line === null) return;
  goesOn.set(line, [...(goesOn.get(line) ?? []), ...agents.map((agent) => ({ agent, id }))]);
}

function accepted(book: Book, event: EventOf<"handoff-accepted">, seen: Seen) {
  const { wrong, around } = book;
  const { id, by, task: moved } = event;
  const known = answered(book, event, seen);
  if (known === undefined) return;
  const [role, meant] = [around.roleOf(by), known.receivers.get(by)];
  if (role !== meant) wrong(`${by} accepts ${id} as ${role}, and was meant as ${meant}`);
  checkFiles(book, known, known.required, seen);
  known.status = "accepted";
  known.answeredBy = by;
  goOn(book, known.line, id, [by]);
  const task = known.task === null ? undefined : around.find(known.task);
  // Work that is handed over for repair is to be done again.
  const isOpen = task !== undefined && (task.doneBy === null || known.isRepair) && around.isActive(by);
  if (!isOpen) {
    if (moved !== null) wrong(`${id} moves the claim on ${moved}, which is no open task`);
    return;
  }
  const holder = task.claim?.holder ?? by;
  const mayGive = holder === known.issuer || known.issuerRole === "lead" || known.issuerRole === "owner";
  if (holder !== by && !mayGive) wrong(`${by} accepts ${id} of ${known.issuer}, and ${holder} holds ${task.task}`);
  if (moved === null) wrong(`${by} accepts ${id} and does not get ${task.task}`);
  book.expected = { task, by };
}

function rejected(book: Book, event: EventOf<"handoff-rejected">, seen: Seen) {
  const known = answered(book, event, seen);
  if (known === undefined) return;
  if (!event.reasons.some((reason) => reason.trim() !== ""))
    book.wrong(`${event.by} rejects ${event.id} and says nothing`);
  known.status = "rejected";
  known.answeredBy = event.by;
  goOn(book, known.line, known.id, [known.issuer]);
}

function completed(book: Book, { id, by }: EventOf<"handoff-completed">, seen: Seen) {
  const { wrong, all } = book;
  const known = all.get(id);
  if (known === undefined) return wrong(`${id} is completed, and nobody issued it`);
  if (by !== seen.entry.principal.agent) wrong(`${seen.entry.principal.agent} completes ${id} as ${by}`);
  if (known.status !== "accepted") wrong(`${by} completes ${id}, which is ${known.status}`);
  if (![known.answeredBy, known.issuer, "owner"].includes(by)) wrong(`${by} completes ${id}, which is not its own`);
  checkFiles(book, known, known.generated, seen);
  checkTold(book, known, by, [known.issuer, known.answeredBy ?? by], seen);
  known.status = "completed";
  goOn(book, known.line, id, [by]);
}

/** A handoff that is answered now, once, by one that it is addressed to; undefined: there is none. */
function answered(
  book: Book,
  { event, id, by }: EventOf<"handoff-accepted" | "handoff-rejected">,
  seen: Seen,
): KnownHandoff | undefined {
  const { wrong, all } = book;
  const known = all.get(id);
  if (known === undefined) {
    wrong(`${event}: nobody issued ${id}`);
    return undefined;
  }
  if (by !== seen.entry.principal.agent) wrong(`${seen.entry.principal.agent} answers ${id} as ${by}`);
  if (known.status !== "issued") wrong(`${by} answers ${id}, which is ${known.status}`);
  const isRejected = event === "handoff-rejected";
  // The person ends what waits for nobody.
  if (!known.receivers.has(by) && !(isRejected && by === "owner"))
    wrong(`${by} answers ${id}, which is addressed to others`);
  const leads = isRejected ? leadsInstead(book, known) : [];
  checkTold(book, known, by, [known.issuer, ...known.receivers.keys(), ...leads], seen);
  return known;
}

/** Who hears of a rejection where its issuer has left: those who led it, or the person. */
function leadsInstead({ around }: Book, { issuer }: KnownHandoff): readonly string[] {
  if (issuer === "owner" || around.isActive(issuer)) return [];
  const leads = around.leadsOf(issuer).filter((agent) => agent !== issuer);
  return leads.length === 0 ? ["owner"] : leads;
}

/** Everyone involved is notified, except agents that left and the one that reports it. */
function checkTold({ wrong, around }: Book, { id }: KnownHandoff, by: string, all: readonly string[], { entry }: Seen) {
  const expected = [...new Set(all)].filter((agent) => agent !== by && (agent === "owner" || around.isActive(agent)));
  if (expected.toSorted().join() !== entry.receivers.toSorted().join())
    wrong(`what ${by} says of ${id} is reported to ${entry.receivers.join(", ")}, expected ${expected.join(", ")}`);
}

/** Every file of this document was checked, and none fails. */
function checkFiles({ wrong }: Book, { id, digest }: KnownHandoff, files: number, { entry, content }: Seen) {
  const verified = partOf(content.command?.verified);
  if (files === 0 && verified.digest === undefined) return;
  const { agent } = entry.principal;
  const isWhole = verified.digest === digest && verified.files === files;
  if (!isWhole || countOf(verified.failed) > 0)
    wrong(`${agent} goes on with ${id}, and its ${files} files were not all found as they are`);
}

/** The claim is in the hands of the one who accepted, by the token that the acceptance names. */
function checkMoved(book: Book, { content }: Seen) {
  const { wrong, expected } = book;
  if (expected === null) return;
  book.expected = null;
  const { task, by } = expected;
  const acceptance = content.events?.find((each) => each.event === "handoff-accepted");
  const token = acceptance?.event === "handoff-accepted" ? acceptance.token : null;
  if (task.claim?.holder !== by) wrong(`${task.task} was handed to ${by}, and ${task.claim?.holder} holds it`);
  else if (task.claim.token !== token) wrong(`${by} gets the token ${token} of ${task.task}, not its claim's`);
}

/** Whether the reason of a refused answer is in the entries before it. */
function checkRefusal({ wrong, all }: Book, { entry, content }: Seen) {
  const code = content.problems?.[0]?.code;
  const handoff = content.command?.handoff;
  if (entry.kind !== "refusal" || code === undefined || typeof handoff !== "string") return;
  const known = all.get(handoff);
  const { agent } = entry.principal;
  const denied = (reason: string) =>
    wrong(`${agent} is denied ${content.command?.name} of ${handoff} (${code}), and ${reason}`);
  if (code === "unknown-request" && known !== undefined) denied("it was issued");
  if (code === "already-answered" && known?.status === "issued") denied("nobody answered it");
  if (code === "handoff-not-accepted" && known?.status === "accepted") denied("it is accepted");
}

function checkLeaving(book: Book, seen: Seen) {
  const { wrong, around } = book;
  const { entry } = seen;
  const leavers = around.leavers(seen);
  if (leavers.length === 0) return;
  const leads = leavers.flatMap((agent) => around.leadsOf(agent)).filter((each) => !leavers.includes(each));
  const hearing = (leads.length === 0 ? ["owner"] : leads).filter((each) => each !== entry.principal.agent);
  if (hearing.length === 0) return;
  const text = JSON.stringify(entry.content);
  for (const agent of leavers) {
    for (const { id, issuer } of waitingFor(book, agent)) {
      if (hearing.every((each) => entry.receivers.includes(each)) && text.includes(`The handoff ${id} of`)) continue;
      wrong(`${agent} leaves while ${id} of ${issuer} waits for it, and ${hearing.join(", ")} do not read so`);
    }
  }
}

/** A part of a document; an empty one where it says nothing. */
function partOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function countOf(value: Json | undefined): number {
  return isJsonList(value) ? value.length : 0;
}
