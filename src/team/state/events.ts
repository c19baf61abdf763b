/** What can happen to a team, as facts of the journal. */
import type { DialectId } from "../../messages/message.ts";
import type { Department, Role } from "../../messages/role.ts";
import type { TeamDefinition, TeamMode } from "./definition.ts";
import type { Member } from "./roster.ts";

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
