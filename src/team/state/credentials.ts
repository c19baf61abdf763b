/**
 * Credentials: which tokens prove which agent, which sessions of the owner's browsers are open, and which links let
 * somebody read, folded from the team's events. A token, a session's id or a link's secret is never kept, only its
 * SHA-256, so that a reader of the journal can use none of them; every hub on the journal knows the same. Source:
 * docs/protocol/record.md, section 1; docs/protocol/doors.md, section 5; docs/protocol/authority.md, sections 11 to 16.
 */

import { argument } from "../../base/argument.ts";
import { agentName } from "../../base/ids.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { isReservedName, nameInOtherCase, ownerName } from "../../messages/principal.ts";
import type { SessionOpened, ShareCreated, TeamEvent } from "./revision.ts";
import { type Member, type Roster, registeringCommand, unknownAgent } from "./roster.ts";

/** One token as it is known: never the token itself. */
export interface Credential {
  readonly tokenId: string;
  /** The agent it proves; `owner` for the person. */
  readonly agent: string;
  /** SHA-256 of the token, 64 hex digits. */
  readonly hash: string;
  /** The agent's session it was made for: registering a retired agent again does not revive its old tokens. */
  readonly session: number;
  readonly status: "valid" | "revoked";
}

export interface CredentialState {
  /** By token id, in the order they were issued. */
  tokens: Map<string, Credential>;
  /** The token id of each hash. */
  byHash: Map<string, string>;
  /** The owner's sessions by their hashes, the oldest first; what has expired goes when the next one opens. */
  sessions: Map<string, OwnerSession>;
  /** Links to read by their ids, in the order they were made; what expired long ago goes when the next one is made. */
  shares: Map<string, Share>;
}

/** A link by which somebody may read the team until a time. */
export interface Share {
  readonly shareId: string;
  /** SHA-256 of its secret. */
  readonly hash: string;
  /** By the journal's time, in milliseconds. */
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  /** For whom it is, in the owner's words; null: nobody said. */
  readonly note: string | null;
  /** Who may decide by it; null: it is for reading. */
  readonly person: string | null;
  readonly isRevoked: boolean;
}

/** A session of the owner in a browser. */
export interface OwnerSession {
  /** SHA-256 of the session's id. */
  readonly hash: string;
  /** By the journal's time, in milliseconds: when the person proved to be the owner, and until when that holds. */
  readonly openedAtMs: number;
  readonly expiresAtMs: number;
}

/** More sessions than a person has browsers; the oldest make room. */
const sessionsMax = 64;

/** More links at once than a team has readers. */
const sharesMax = 64;
/** How long the list shows a link that has expired: 30 days. */
const shareKeptMs = 30 * 86_400_000;

export type CredentialCommand =
  | { readonly command: "issue-token"; readonly agent: string; readonly tokenId: string; readonly hash: string }
  | { readonly command: "revoke-token"; readonly tokenId: string }
  | ({ readonly command: "create-share" } & Omit<ShareCreated, "event">);

/** No tokens yet. */
export function initialCredentials(): CredentialState {
  return { tokens: new Map(), byHash: new Map(), sessions: new Map(), shares: new Map() };
}

/**
 * What follows from `command`; no events when it was already so. Refuses: `unknown-agent`, `retired-agent` (a token for
 * somebody who may not act), `already-exists` (that token id), `not-found` (no such token or link), `too-many-requests`.
 */
export function decideCredentials(
  command: CredentialCommand,
  state: CredentialState,
  roster: Roster,
): Result<readonly TeamEvent[], readonly Problem[]> {
  if (command.command === "revoke-token") {
    const [token, share] = [state.tokens.get(command.tokenId), state.shares.get(command.tokenId)];
    if (token !== undefined)
      return ok(token.status === "revoked" ? [] : [{ event: "token-revoked", tokenId: token.tokenId }]);
    if (share === undefined) return err([unknownToken(command.tokenId)]);
    return ok(share.isRevoked ? [] : [{ event: "share-revoked", shareId: share.shareId }]);
  }
  if (command.command === "create-share") {
    const { command: _, ...share } = command;
    const problem = share.person === undefined ? null : personProblem(share.person, roster);
    if (problem !== null) return err([problem]);
    const open = [...state.shares.values()].filter((each) => isShareGood(each, share.createdAtMs));
    return open.length >= sharesMax ? err([tooManyShares()]) : ok([{ event: "share-created", ...share }]);
  }
  const { agent, tokenId, hash } = command;
  const member = roster.get(agent);
  if (agent !== ownerName && member === undefined) return err([unknownAgent(agent, [...roster.keys(), ownerName])]);
  if (member?.status === "retired") {
    return err([
      makeProblem("retired-agent", agent, `${agent} is retired, so no token can be made for it.`, {
        hint: `register it again first: \`${registeringCommand(member)}\``,
      }),
    ]);
  }
  if (state.tokens.has(tokenId) || state.byHash.has(hash)) {
    return err([makeProblem("already-exists", tokenId, "A token of this id exists already.", { hint: "Ask again." })]);
  }
  return ok([{ event: "token-issued", tokenId, agent, hash, session: member?.session ?? 1 }]);
}

/** Why nobody can be invited under this name; null: one can. */
function personProblem(name: string, roster: Roster): Problem | null {
  const path = argument("person");
  if (agentName(name) === null || isReservedName(name))
    return makeProblem("invalid-id", path, "Nobody can be invited under this name.", {
      expected: "a person's own name, such as anna",
      received: name.slice(0, 64).toWellFormed(),
    });
  if (!roster.has(name) && nameInOtherCase(name, roster.keys()) === null) return null;
  return makeProblem(
    "already-exists",
    path,
    `An agent of the team is called ${name}, and people would take one for the other.`,
  );
}

/** Folds one event into the state it is given, in place; events of other things leave it as it is. */
export function evolveCredentials(state: CredentialState, event: TeamEvent): CredentialState {
  if (event.event === "token-issued") {
    const { event: _, ...token } = event;
    state.tokens.set(token.tokenId, { ...token, status: "valid" });
    state.byHash.set(token.hash, token.tokenId);
  }
  if (event.event === "token-revoked") {
    const token = state.tokens.get(event.tokenId);
    if (token !== undefined) state.tokens.set(token.tokenId, { ...token, status: "revoked" });
  }
  if (event.event === "session-opened") openSession(state.sessions, event);
  if (event.event === "session-ended") state.sessions.delete(event.hash);
  if (event.event === "share-created") keepShare(state.shares, event);
  if (event.event === "share-revoked") {
    const share = state.shares.get(event.shareId);
    if (share !== undefined) state.shares.set(share.shareId, { ...share, isRevoked: true });
  }
  return state;
}

function openSession(sessions: Map<string, OwnerSession>, { hash, openedAtMs, expiresAtMs }: SessionOpened): void {
  for (const known of sessions.values()) if (known.expiresAtMs <= openedAtMs) sessions.delete(known.hash);
  sessions.set(hash, { hash, openedAtMs, expiresAtMs });
  for (const oldest of sessions.keys()) {
    if (sessions.size <= sessionsMax) return;
    sessions.delete(oldest);
  }
}

function keepShare(shares: Map<string, Share>, event: ShareCreated): void {
  const { shareId, hash, createdAtMs, expiresAtMs, note = null, person = null } = event;
  for (const known of shares.values()) if (createdAtMs - known.expiresAtMs > shareKeptMs) shares.delete(known.shareId);
  shares.set(shareId, { shareId, hash, createdAtMs, expiresAtMs, note, person, isRevoked: false });
}

/** Whether the link lets somebody read at `nowMs`. */
export function isShareGood({ isRevoked, expiresAtMs }: Share, nowMs: number): boolean {
  return !isRevoked && nowMs < expiresAtMs;
}

/** The credential with this hash, whatever has become of it; undefined: there is none. */
export function credentialWith(state: CredentialState, hash: string): Credential | undefined {
  return state.tokens.get(state.byHash.get(hash) ?? "");
}

/**
 * The credential with this hash. Refuses `unauthenticated` (no such token), `token-revoked` (revoked, or made for an
 * earlier session of its agent) and `retired-agent` (its agent has left the team).
 * Source: docs/protocol/authority.md, section 14.
 */
export function findCredential(state: CredentialState, hash: string, roster: Roster): Result<Credential, Problem> {
  const token = credentialWith(state, hash);
  if (token === undefined) {
    const hint = "The owner makes one with `baton token create AGENT`.";
    return err(makeProblem("unauthenticated", argument("credential"), "This token is not known here.", { hint }));
  }
  const member = roster.get(token.agent);
  const session = member?.session ?? 1;
  if (token.agent.startsWith(verifierPrefix)) return err(verifiersToken(token));
  if (token.status === "valid" && token.session === session) {
    return member?.status === "retired" ? err(retiredHolder(member)) : ok(token);
  }
  const why = token.status === "revoked" ? "was revoked" : "belongs to an earlier session of its agent";
  return err(
    makeProblem("token-revoked", token.tokenId, `The token ${token.tokenId} ${why}.`, {
      hint: `The owner makes a new one with \`baton token create ${token.agent}\`.`,
    }),
  );
}

/** Only in older entries: whose token judged reports, and did nothing else. */
const verifierPrefix = "verifier:";

function verifiersToken({ tokenId, agent }: Credential): Problem {
  return makeProblem("token-revoked", tokenId, `The token of ${agent} proves nobody any more: a hub judges reports.`, {
    hint: "Start the hub in a clone: it fetches what agents pushed. `baton token revoke` ends the token.",
  });
}

function retiredHolder(member: Member): Problem {
  const { agent } = member;
  return makeProblem("retired-agent", agent, `${agent} is retired, so its token proves nobody any more.`, {
    hint: `Registering it again starts a new session, for which the owner makes a new token: \`${registeringCommand(member)}\`.`,
  });
}

function tooManyShares(): Problem {
  return makeProblem("too-many-requests", argument("share"), `${sharesMax} links are open already.`, {
    expected: `at most ${sharesMax} open links`,
    hint: "Revoke one first: `baton token list --links` shows them.",
  });
}

function unknownToken(tokenId: string): Problem {
  return makeProblem("not-found", tokenId, `There is no token or link "${tokenId}".`, {
    hint: "`baton token list` shows the tokens with their ids, and with --links the links.",
  });
}
