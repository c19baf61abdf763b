/**
 * Who is in the team and by which definition it works, folded from the team's events, which are
 * listed last. The truth is the journal: the
 * file is recorded as a revision whenever it says something new, and agents registered by command exist next to its
 * agents. A file of an earlier time is no revision: a clone that lacks the last pull still has what was in force
 * before. Source: docs/protocol/record.md, section 1; docs/protocol/authority.md, section 19.
 */

import { canonical, sha256 } from "../../base/canonical.ts";
import type { Json } from "../../base/json.ts";
import type { DialectId } from "../../messages/message.ts";
import type { Department, Role } from "../../messages/role.ts";
import type { TeamDefinition, TeamMode } from "./definition.ts";
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

/** A definition became revision `revision` (1, 2, 3 ...) and is in force from here on. */
export interface TeamRevised {
  readonly event: "team-revised";
  readonly revision: number;
  readonly definition: TeamDefinition;
  /** The proposal that the owner confirmed by it; absent: the first revision, or one that needed no word of the owner. */
  readonly proposal?: string;
  /**
   * Agents that a command had registered and that the changed lines of the file are about: from here on they are the
   * file's, as if it had always named them. Absent: none.
   */
  readonly takesOver?: readonly string[];
}

/**
 * The team's file wants what the owner must confirm first; until then the revision in force stays. It replaces whatever
 * waited before.
 */
export interface RevisionProposed {
  readonly event: "revision-proposed";
  readonly proposal: string;
  readonly definition: TeamDefinition;
}

/** The owner declined what the file wants. The file still says it, so it is shown as different from what is in force. */
export interface RevisionDeclined {
  readonly event: "revision-declined";
  readonly proposal: string;
  readonly reason?: string;
}

/** The file says what is in force again, so nothing waits any more. */
export interface RevisionWithdrawn {
  readonly event: "revision-withdrawn";
  readonly proposal: string;
}

/** An agent was registered by command: for the first time, again after it had been retired, or in a new session. */
export interface AgentRegistered {
  readonly event: "agent-registered";
  readonly agent: string;
  readonly role: Role;
  readonly department?: Department;
  readonly dialect: DialectId;
  /** Absent: the team's. */
  readonly mode?: TeamMode;
  readonly session: number;
  /** The agent that registered it; absent: the person who owns the team, or it was not kept yet. */
  readonly by?: string;
  /** It is what the team file says of it, and stays an agent of the file; absent: it is an agent of the command. */
  readonly declared?: true;
}

/** An agent was taken out by command. It stays so until it is registered again, whatever the file says. */
export interface AgentRetired {
  readonly event: "agent-retired";
  readonly agent: string;
  readonly reason?: string;
  /** The agent that retired it, itself where it stopped; absent: the person who owns the team, or it was not kept yet. */
  readonly by?: string;
}

/** The first entry of a forked journal: who was in the team of the record that was copied, and who had left it. */
export interface MembersKept {
  readonly event: "members-kept";
  readonly members: readonly Member[];
  /** Agents whom a command had retired, with the reason (empty: none given). */
  readonly retired: readonly { readonly agent: string; readonly reason: string }[];
}

/** A token was made that proves `agent`; the token itself is nowhere but with the agent. */
export interface TokenIssued {
  readonly event: "token-issued";
  readonly tokenId: string;
  readonly agent: string;
  /** SHA-256 of the token, 64 hex digits. */
  readonly hash: string;
  readonly session: number;
}

/** A token proves nobody any more. */
export interface TokenRevoked {
  readonly event: "token-revoked";
  readonly tokenId: string;
}

/** The owner opened a session in a browser. Its id is nowhere but with the browser. */
export interface SessionOpened {
  readonly event: "session-opened";
  /** SHA-256 of the session's id, 64 hex digits. */
  readonly hash: string;
  /** By the journal's time, in milliseconds. */
  readonly openedAtMs: number;
  readonly expiresAtMs: number;
}

/** The owner ended a session, at every hub of the journal. */
export interface SessionEnded {
  readonly event: "session-ended";
  readonly hash: string;
}

/** The owner shared the team for reading until a time. The secret is nowhere but with those who have the link. */
export interface ShareCreated {
  readonly event: "share-created";
  readonly shareId: string;
  /** SHA-256 of the secret, 64 hex digits. */
  readonly hash: string;
  /** By the journal's time, in milliseconds. */
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  /** For whom it is, in the owner's words; absent: nobody said. */
  readonly note?: string;
  /** Who may decide by it; absent: it is for reading. */
  readonly person?: string;
}

/** A share is good no more, at every hub of the journal. */
export interface ShareRevoked {
  readonly event: "share-revoked";
  readonly shareId: string;
}

/** The owner named the repository by which reports are judged, in place of any before. */
export interface RepositoryNamed {
  readonly event: "repository-named";
  /** The id that lies in its git folder. */
  readonly repository: string;
}

export type TeamEvent =
  | TeamRevised
  | RevisionProposed
  | RevisionDeclined
  | RevisionWithdrawn
  | AgentRegistered
  | AgentRetired
  | MembersKept
  | TokenIssued
  | TokenRevoked
  | SessionOpened
  | SessionEnded
  | ShareCreated
  | ShareRevoked
  | RepositoryNamed;

/** What may be asked. The names come from outside and are checked here, whatever the types say. */
export type TeamCommand =
  | { readonly command: "revise-team"; readonly definition: TeamDefinition }
  | { readonly command: "confirm-revision"; readonly proposal: string }
  | { readonly command: "decline-revision"; readonly proposal: string; readonly reason?: string }
  | {
      readonly command: "register-agent";
      readonly agent: string;
      readonly role: Role;
      readonly department?: Department;
      /** Absent: the team's first dialect. */
      readonly dialect?: DialectId;
      /** Absent: the team's. */
      readonly mode?: TeamMode;
      /** Whether an agent that is there begins a new session; absent: nothing changes for it. */
      readonly newSession?: boolean;
      /** The agent that registers it; absent: the person who owns the team. */
      readonly by?: string;
    }
  | {
      readonly command: "retire-agent";
      readonly agent: string;
      readonly reason?: string;
      /** The agent that retires it; absent: the person who owns the team. */
      readonly by?: string;
    };
