/**
 * Approval requests as they are kept: what is known of each, and the ways to find one without looking at all. The rules
 * about them are `approvals.ts`.
 */
import { invariant } from "../base/invariant.ts";
import type { Json } from "../messages/facts.ts";
import type { Role } from "../messages/role.ts";
import { addDeadline, type Deadlines, dropEnded, passedDeadlines } from "../perform/deadlines.ts";

/** How a request was answered, as written. */
export interface ApprovalAnswer {
  readonly approved: boolean;
  /** The agent that answered, or `owner`. */
  readonly decidedBy: string;
  /** Its role; null for the owner. */
  readonly role: Role | null;
  readonly reason: string;
  readonly conditions: readonly string[];
  readonly modifications: readonly Json[];
  readonly seq: number;
  readonly atMs: number;
}

/** One request and what became of it. `expired` counts as denied. */
export interface ApprovalState {
  /** The id that an answer names. */
  readonly requestId: string;
  readonly requester: string;
  readonly requesterRole: Role | null;
  readonly subject: string;
  readonly requestType: ApprovalType;
  readonly evidence: string;
  readonly options: readonly string[];
  /** Paths that a scope change asks for; absent: it names none. */
  readonly paths?: readonly string[];
  /** Phase and task the request is under, as written, and the key of the plan they point to; null: none. */
  readonly phase: number | string | null;
  readonly task: string | null;
  readonly plan: string | null;
  /** Agents that were asked. */
  readonly addressees: readonly string[];
  readonly seq: number;
  readonly openedAtMs: number;
  /** How long an answer was given, counted from acceptance; null: no deadline. */
  readonly deadlineMs: number | null;
  readonly status: "open" | "approved" | "denied" | "expired";
  readonly answer: ApprovalAnswer | null;
  /** When the deadline was recorded as passed; null: it was not. */
  readonly expiredAtMs: number | null;
}

/** All requests, and what finds them without looking at each. */
export interface Approvals {
  /** Every request by its key: requester, `/`, request id. Agents' names hold no `/`. */
  readonly requests: Map<string, ApprovalState>;
  /** Key of the latest request with an id. While one is open, no other principal may use its id. */
  readonly byId: Map<string, string>;
  /** Keys of all open requests, in the order they came. */
  readonly open: Map<string, true>;
  /** Deadlines of open requests by key, in the accepting machine's milliseconds. */
  readonly deadlines: Deadlines;
}

/** The latest request with that id, or null: none was made. */
export function requestOf(state: Approvals, requestId: string): ApprovalState | null {
  return state.requests.get(state.byId.get(requestId) ?? "") ?? null;
}

/** The key of a request: agents' names hold no `/`, so two requests never share one. */
export function requestKey(request: { readonly requester: string; readonly requestId: string }): string {
  return `${request.requester}/${request.requestId}`;
}

/** Open requests, oldest first. */
export function openRequests(state: Approvals): readonly ApprovalState[] {
  return [...state.open.keys()].map((key) => requestAt(state, key));
}

/** When the next deadline passes, in the accepting machine's milliseconds; null: no open request has one. */
export function nextDeadline(state: Approvals): number | null {
  return state.deadlines[0]?.[0] ?? null;
}

/** Open requests whose deadline has passed at `atMs`, oldest first. */
export function requestsDue(state: Approvals, atMs: number): readonly ApprovalState[] {
  return passedDeadlines(state.deadlines, atMs)
    .filter((key) => state.open.has(key))
    .map((key) => requestAt(state, key))
    .toSorted((a, b) => a.seq - b.seq);
}

/** The open request whose deadline passed first, at `atMs` or before, of one instant the oldest; none: no deadline has. */
export function firstRequestDue(state: Approvals, atMs: number): readonly ApprovalState[] {
  const [first] = state.deadlines;
  if (first === undefined || first[0] > atMs) return [];
  let oldest = requestAt(state, first[1]);
  for (const key of passedDeadlines(state.deadlines, first[0])) {
    const request = requestAt(state, key);
    if (request.status === "open" && request.seq < oldest.seq) oldest = request;
  }
  return [oldest];
}

/** Keeps a new request and every way to find it, in place. */
export function keepOpened(state: Approvals, request: ApprovalState): Approvals {
  const key = requestKey(request);
  state.requests.set(key, request);
  state.byId.set(request.requestId, key);
  state.open.set(key, true);
  const due = dueAt(request);
  if (due !== null) addDeadline(state.deadlines, due, key);
  return state;
}

/** Ends an open request with its outcome, in place; it is found by its id only, from then on. */
export function closeRequest(state: Approvals, key: string, outcome: Partial<ApprovalState>): Approvals {
  const request = requestAt(state, key);
  state.requests.set(key, { ...request, ...outcome });
  state.open.delete(key);
  dropEnded(state.deadlines, (waiting) => state.open.has(waiting));
  return state;
}

/** When the deadline of a request passes, in the accepting machine's milliseconds; null: it has none. */
export function dueAt(request: ApprovalState): number | null {
  return request.deadlineMs === null ? null : request.openedAtMs + request.deadlineMs;
}

/** The request with that key, which something that is kept has named. */
export function requestAt(state: Approvals, key: string): ApprovalState {
  const request = state.requests.get(key);
  invariant(request !== undefined, `an index of approvals names a request that is kept: ${key}`);
  return request;
}

/*
 * What leave can be asked for, and who may give it. Imports nothing, so that the page can ask too.
 * Source: docs/protocol/asking.md, sections 1 to 4.
 */
type ApprovalType = "scope_change" | "plan_approval" | "gate_override";

/** Whether only the owner may answer: a gate is lifted by a person. */
export function needsOwner(request: { readonly requestType: ApprovalType }): boolean {
  return request.requestType === "gate_override";
}

/* What can happen to approval requests, as facts of the journal. */

/** What happened to requests. */
export type ApprovalEvent =
  | { readonly event: "approval-requested"; readonly request: ApprovalState }
  | { readonly event: "approval-answered"; readonly key: string; readonly answer: ApprovalAnswer }
  | { readonly event: "approval-expired"; readonly key: string; readonly atMs: number }
  /** Its requester left the team, so nobody waits for an answer; it counts as expired. */
  | { readonly event: "approval-closed"; readonly key: string; readonly requester: string; readonly atMs: number };
