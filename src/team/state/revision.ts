/**
 * Who is in the team and by which definition it works, folded from the team's events. The truth is the journal: the
 * file is recorded as a revision whenever it says something new, and agents registered by command exist next to its
 * agents. A file of an earlier time is no revision: a clone that lacks the last pull still has what was in force
 * before. Source: docs/protocol/record.md, section 1; docs/protocol/authority.md, section 19.
 */
import { canonical, sha256 } from "../../base/canonical.ts";
import type { Json } from "../../base/json.ts";
import type { TeamDefinition } from "./definition.ts";
import type { TeamEvent } from "./events.ts";
import { applyRevision, type Member, type Roster, registrarsOf } from "./roster.ts";

export interface TeamRevisionState {
  /** The state of many revisions recorded. */
  revision: number;
  /** The last of them; null before the first. */
  definition: TeamDefinition | null;
  /** Every agent that ever was, in order of first appearance. */
  roster: Roster;
  /** What the team's file wants and the owner has not confirmed; null: the file says what is in force. */
  proposal: Proposal | null;
  /** Agents whom a command retired, with the reason (empty: none given). The file does not bring them back. */
  retired: ReadonlyMap<string, string>;
  /** What the team's file has said so far. */
  files: FileHistory;
  /** The id of the repository that the owner named; absent: none was, as where the journal lies in the repository. */
  repository?: string;
}

/** A definition that takes effect only when the owner confirms it. */
export interface Proposal {
  /** Its id: a confirmation applies to this definition over this revision, and to nothing later. */
  readonly id: string;
  readonly definition: TeamDefinition;
  readonly status: "waiting" | "declined";
  /** Why it was declined, where the owner said so. */
  readonly reason?: string;
}

/** The team before its first event. */
export function initialTeam(): TeamRevisionState {
  return { revision: 0, definition: null, proposal: null, roster: new Map(), retired: new Map(), files: new Map() };
}

/** Folds one event into the state it is given, in place. */
export function evolveTeam(state: TeamRevisionState, event: TeamEvent): TeamRevisionState {
  switch (event.event) {
    case "team-revised":
      state.revision = event.revision;
      state.definition = event.definition;
      state.files = withFile(state.files, event.definition);
      state.roster = applyRevision(state.roster, event, state.retired);
      if (event.proposal !== undefined && event.proposal === state.proposal?.id) state.proposal = null;
      return state;
    case "revision-proposed":
      state.proposal = { id: event.proposal, definition: event.definition, status: "waiting" };
      state.files = withFile(state.files, event.definition);
      return state;
    case "revision-declined": {
      const reason = event.reason === undefined ? {} : { reason: event.reason };
      if (state.proposal?.id === event.proposal) state.proposal = { ...state.proposal, status: "declined", ...reason };
      return state;
    }
    case "revision-withdrawn":
      if (state.proposal?.id === event.proposal) state.proposal = null;
      if (state.definition !== null) state.files = withFile(state.files, state.definition);
      return state;
    case "agent-registered": {
      const { event: _, by, declared, ...agent } = event;
      const registrars = registrarsOf(state.roster.get(agent.agent), by);
      const source = declared === true ? "file" : "command";
      const member: Member = { ...agent, source, status: "active", ...registrars };
      state.roster = new Map(state.roster).set(agent.agent, member);
      const retired = new Map(state.retired);
      retired.delete(agent.agent);
      state.retired = retired;
      return state;
    }
    case "agent-retired": {
      const member = state.roster.get(event.agent);
      if (member === undefined) return state;
      const { retiredBy: before, ...rest } = member;
      // Who had left already was not taken out by an agent that says it again; the person's word counts always.
      const by = event.by === undefined || member.status === "active" ? event.by : before;
      const retiredBy = by === undefined ? {} : { retiredBy: by };
      state.roster = new Map(state.roster).set(event.agent, { ...rest, status: "retired", ...retiredBy });
      state.retired = new Map(state.retired).set(event.agent, event.reason ?? "");
      return state;
    }
    case "members-kept":
      state.roster = new Map(event.members.map((member) => [member.agent, member]));
      state.retired = new Map(event.retired.map(({ agent, reason }) => [agent, reason]));
      return state;
    case "repository-named":
      state.repository = event.repository;
      return state;
    // Tokens, sessions and shares are folded separately: credentials.ts.
    case "token-issued":
    case "token-revoked":
    case "session-opened":
    case "session-ended":
    case "share-created":
    case "share-revoked":
      return state;
  }
}

/** Whether a definition is in force and nothing waits: then the file says nothing new. */
export function isInForce({ definition, proposal }: TeamRevisionState, wanted: TeamDefinition): boolean {
  return definition !== null && proposal === null && definitionText(definition) === definitionText(wanted);
}

/**
 * Every definition that a team file had, by its digest, in the order in which the file said it last, each with its number
 * (1, 2, 3 ...) in that order.
 */
type FileHistory = ReadonlyMap<string, number>;

/** The definition as canonical text: equal text, equal definition. Its digest is the SHA-256 of this. */
export function definitionText(definition: TeamDefinition): string {
  // A definition holds strings, numbers, lists and absent fields only, so it is plain JSON.
  return canonical(definition as unknown as Json);
}

/** The history with what the file says now, at its end. */
function withFile(history: FileHistory, definition: TeamDefinition): FileHistory {
  const digest = digestOf(definition);
  const latest = latestOf(history);
  if (latest?.digest === digest) return history;
  const next = new Map(history);
  next.delete(digest);
  return next.set(digest, (latest?.number ?? 0) + 1);
}

/** Whether the file said `definition` earlier, and has said something else since. */
export function isEarlierFile(history: FileHistory, definition: TeamDefinition): boolean {
  const digest = digestOf(definition);
  return history.has(digest) && latestOf(history)?.digest !== digest;
}

/** By what a folder remembers that it had the latest file. Where a file comes back later, it has another mark. */
export function latestMark(history: FileHistory): string {
  const latest = latestOf(history);
  return latest === null ? "" : `${latest.number} ${latest.digest}`;
}

function latestOf(history: FileHistory): { readonly digest: string; readonly number: number } | null {
  const [digest, number] = [...history].at(-1) ?? [];
  return digest === undefined || number === undefined ? null : { digest, number };
}

function digestOf(definition: TeamDefinition): string {
  return sha256(definitionText(definition));
}
