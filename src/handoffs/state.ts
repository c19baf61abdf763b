/**
 * Handoffs as they are kept: who handed what to whom, what became of it, which one it follows, and what can happen to
 * them, as facts of the journal. The rules about them are `handoffs.ts`.
 */
import { invariant } from "../base/invariant.ts";
import type { HandoffBody, VerifiedFiles } from "../messages/handoff-body.ts";
import { ownerName } from "../messages/principal.ts";
import type { Role } from "../messages/role.ts";
import { taskKey } from "../messages/task-ids.ts";

/** Who took a handoff over, and what was verified before. */
export interface HandoffAcceptance {
  readonly by: string;
  /** Files that were looked at, and how many of them have a checksum that tells nothing. */
  readonly files: number;
  readonly weak: number;
  /** The task whose claim came with it, and its fencing token; null: none did. */
  readonly task: string | null;
  readonly token: number | null;
  readonly seq: number;
  readonly atMs: number;
}

/** One handoff. */
export interface Handoff {
  readonly id: string;
  /** The agent that issued it, with the role that it had. */
  readonly issuer: string;
  readonly issuerRole: Role | null;
  /** Who hands over and who takes over, as the document says. */
  readonly source: string;
  readonly target: string;
  /** Agents that may accept or reject it. */
  readonly receivers: readonly string[];
  readonly workflow: string | null;
  /** As written; null: it belongs to no task. */
  readonly task: string | null;
  /** The main instruction, shortened. */
  readonly summary: string;
  /** The document's own. */
  readonly timestamp: string;
  /** What tells the document from others; see `handoffDigest`. */
  readonly digest: string;
  /** How many files are verified before it is accepted, and how many are looked for when it is completed. */
  readonly files: number;
  readonly generated: number;
  /** The statement of the document that forbids accepting it. */
  readonly unfit: readonly string[];
  /** Id of the handoff that this one follows in its workflow or task; null: it is the first. */
  readonly after: string | null;
  /** Seq of the entry that holds the document. */
  readonly seq: number;
  readonly issuedAtMs: number;
  readonly status: "issued" | "accepted" | "rejected" | "completed";
  readonly acceptance: HandoffAcceptance | null;
  readonly rejection: {
    readonly by: string;
    readonly reasons: readonly string[];
    readonly seq: number;
    readonly atMs: number;
  } | null;
  readonly completion: { readonly by: string; readonly seq: number; readonly atMs: number } | null;
}

/** All handoffs. */
export interface Handoffs {
  /** By id, in the order they came. */
  readonly all: Map<string, Handoff>;
  /** By line (a workflow, or a task): from which handoff each agent goes on, and under "" the latest of all. */
  readonly lines: Map<string, Map<string, string>>;
  /** By id, the roles that the receivers had when it was issued; those of older entries are not known. */
  readonly roles: Map<string, { readonly [agent: string]: Role }>;
}

/** None yet. */
export function noHandoffs(): Handoffs {
  return { all: new Map(), lines: new Map(), roles: new Map() };
}

/** The line that handoffs of one workflow, or else of one task, belong to; null: they belong together by nothing. */
export function lineOf({ workflow, task }: Pick<Handoff, "workflow" | "task">): string | null {
  if (workflow !== null) return `workflow/${workflow}`;
  return task === null ? null : `task/${taskKey(task)}`;
}

/**
 * Id of the handoff that the agent goes on from: the one it was handed last, or had rejected; else the latest of the
 * line. Null: there is none, or no line.
 */
export function earlierHandoff(
  { lines }: Handoffs,
  { agent, workflow, task }: Pick<Handoff, "workflow" | "task"> & { readonly agent: string },
): string | null {
  const line = lines.get(lineOf({ workflow, task }) ?? "");
  return line?.get(agent) ?? line?.get("") ?? null;
}

/** The handoff with that id and those before it, the first of all first; empty where there is none. */
export function lineUpTo({ all }: Handoffs, id: string | null): readonly Handoff[] {
  const found: Handoff[] = [];
  for (let at = id; at !== null; ) {
    const handoff = all.get(at);
    invariant(handoff !== undefined, `a handoff follows one that is kept: ${at}`);
    found.push(handoff);
    at = handoff.after;
  }
  return found.toReversed();
}

/** Whether nobody was called as the document says, so that it went to the person until somebody is. */
export function isUncalled({ receivers, target }: Pick<Handoff, "receivers" | "target">): boolean {
  return target !== ownerName && receivers.every((agent) => agent === ownerName);
}

/** Whether an agent may answer: a receiver; where nobody was called so, also who joins under that name or role. */
export function isAddressee(
  handoff: Pick<Handoff, "receivers" | "target">,
  agent: string,
  role?: Role | null,
): boolean {
  const { receivers, target } = handoff;
  return receivers.includes(agent) || (isUncalled(handoff) && (target === agent || target === role));
}

/** The handoffs after the event, in place. */
export function evolveHandoffs(state: Handoffs, event: HandoffEvent): Handoffs {
  if (event.event === "handoff-issued") return keepIssued(state, event);
  const known = state.all.get(event.id);
  invariant(known !== undefined, `an event about a handoff follows the one that issued it: ${event.id}`);
  if (event.event === "handoff-accepted") {
    const { event: _, id, ...acceptance } = event;
    state.all.set(id, { ...known, status: "accepted", acceptance });
    goOnFrom(state, known, [event.by]);
  } else if (event.event === "handoff-rejected") {
    const { event: _, id, ...rejection } = event;
    state.all.set(id, { ...known, status: "rejected", rejection });
    goOnFrom(state, known, [known.issuer]);
  } else {
    const { event: _, id, ...completion } = event;
    state.all.set(id, { ...known, status: "completed", completion });
    goOnFrom(state, known, [event.by]);
  }
  return state;
}

function keepIssued(state: Handoffs, { handoff, receiverRoles }: HandoffIssued): Handoffs {
  if (receiverRoles !== undefined) state.roles.set(handoff.id, receiverRoles);
  state.all.set(handoff.id, { ...handoff, status: "issued", acceptance: null, rejection: null, completion: null });
  goOnFrom(state, handoff, ["", ...handoff.receivers]);
  return state;
}

function goOnFrom(
  { lines }: Handoffs,
  handoff: Pick<Handoff, "id" | "workflow" | "task">,
  agents: readonly string[],
): void {
  const line = lineOf(handoff);
  if (line === null) return;
  const known = lines.get(line) ?? new Map<string, string>();
  lines.set(line, known);
  for (const agent of agents) known.set(agent, handoff.id);
}

/** An agent handed work over, with a document that the same entry holds. */
interface HandoffIssued {
  readonly event: "handoff-issued";
  /** The roles that the receivers have; absent: recorded before roles were kept. */
  readonly receiverRoles?: { readonly [agent: string]: Role };
  readonly handoff: Pick<
    Handoff,
    | "id"
    | "issuer"
    | "issuerRole"
    | "source"
    | "target"
    | "receivers"
    | "workflow"
    | "task"
    | "summary"
    | "timestamp"
    | "digest"
    | "files"
    | "generated"
    | "unfit"
    | "after"
    | "seq"
    | "issuedAtMs"
  >;
}

/** One of those it was addressed to took it over, its files verified. */
export interface HandoffAccepted extends HandoffAcceptance {
  readonly event: "handoff-accepted";
  readonly id: string;
}

/** One of those it was addressed to gave it back. */
export interface HandoffRejected {
  readonly event: "handoff-rejected";
  readonly id: string;
  readonly by: string;
  readonly reasons: readonly string[];
  readonly seq: number;
  readonly atMs: number;
}

/** What was handed over is done. */
export interface HandoffCompleted {
  readonly event: "handoff-completed";
  readonly id: string;
  readonly by: string;
  readonly seq: number;
  readonly atMs: number;
}

export type HandoffEvent = HandoffIssued | HandoffAccepted | HandoffRejected | HandoffCompleted;

/** Work is handed over. */
export interface IssueHandoff {
  readonly command: "issue-handoff";
  readonly issuer: string;
  readonly issuerRole: Role | null;
  readonly receivers: readonly string[];
  /** The roles of the receivers; absent: nobody asks. */
  readonly receiverRoles?: { readonly [agent: string]: Role };
  readonly body: HandoffBody;
  readonly digest: string;
  readonly seq: number;
  readonly atMs: number;
}

/** Whether it was accepted, rejected or completed, and by whom. */
interface Answer {
  readonly id: string;
  readonly by: string;
  readonly seq: number;
  readonly atMs: number;
}

export interface AcceptHandoff extends Answer {
  readonly command: "accept-handoff";
  /** Its present role; absent: nobody asks. */
  readonly role?: Role | null;
  /** Null: nobody looked. */
  readonly verified: VerifiedFiles | null;
  /** The task whose claim comes with it, and its token; null: none does. */
  readonly claim: { readonly task: string; readonly token: number } | null;
}

export interface RejectHandoff extends Answer {
  readonly command: "reject-handoff";
  /** As in an acceptance. */
  readonly role?: Role | null;
  readonly reasons: readonly string[];
}

export interface CompleteHandoff extends Answer {
  readonly command: "complete-handoff";
  /** What was found of the generated files; null: nobody looked. */
  readonly verified: VerifiedFiles | null;
}

export type HandoffCommand = IssueHandoff | AcceptHandoff | RejectHandoff | CompleteHandoff;
