/**
 * Tokens through a door: created, listed and revoked by the owner, and the identity that one proves; and the owner's
 * browser sessions, which hold at every hub of the journal and end at every one. The journal has their hashes only: a
 * reader can open nothing with them, and an agent that lost its token gets a new one.
 * Source: docs/protocol/record.md, section 1; docs/protocol/doors.md, section 5; docs/protocol/authority.md,
 * section 15.
 */
import { sha256 } from "../../base/canonical.ts";
import { aheadMsOf, type Clock, steadyNow, timestampOf } from "../../base/clock.ts";
import { type TeamName, teamName } from "../../base/ids.ts";
import { isJsonList, parseBounded } from "../../base/json.ts";
import { newSecret } from "../../base/new-ids.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { shorten } from "../../base/text.ts";
import { ownerName } from "../../messages/principal.ts";
import { tokensArchived } from "../../perform/closed-team.ts";
import type { Actor, Context, TeamContext } from "../../perform/context.ts";
import type { Terms } from "../../perform/gates.ts";
import type {
  CreatedShare,
  CreateShare,
  IssuedToken,
  IssueToken,
  Named,
  RevokeToken,
} from "../../perform/operations/generated/calls.ts";
import { problemsOf, type Reply } from "../../perform/operations/reply.ts";
import { type Operation, type Outcome, perform, type Refusal } from "../../perform/perform.ts";
import type { At } from "../../perform/rules.ts";
import type { TeamState } from "../../perform/state.ts";
import type { ShareView } from "../operations/tokens.ts";
import {
  type Credential,
  type CredentialCommand,
  credentialWith,
  decideCredentials,
  findCredential,
  isShareGood,
  type OwnerSession,
  type Share,
} from "../state/credentials.ts";
import type { TeamEvent } from "../state/revision.ts";
import { stoppedProblem } from "../view/session-endings.ts";

const tokenIdDigits = 12;

/** Tokens and links are the owner's, whom no deadline concerns; everybody else is told so, retired agents too. */
const ownersAlone = { judgesRetired: true, terms: (): Terms => ({ timeless: true }) } as const;

/**
 * Makes a token for `agent`. The reply to a repeated `id` names the token of the first time without the token itself:
 * it was shown then and is kept nowhere.
 */
export async function issueToken(
  context: TeamContext,
  actor: Actor,
  { agent }: IssueToken,
  { id }: Named = {},
): Promise<Reply<IssuedToken>> {
  // With the team's name a hub of many teams needs to look in one.
  const token = `${newSecret()}.${context.team}`;
  const hash = sha256(token);
  const tokenId = hash.slice(0, tokenIdDigits);
  const asked = { command: "issue-token", agent, tokenId, hash } as const;
  const reply = await perform({ context, actor }, issuing(token), asked, id);
  return agent === ownerName ? await madeHere(context, tokenId, reply) : reply;
}

type CommandOf<Name extends CredentialCommand["command"]> = Extract<CredentialCommand, { readonly command: Name }>;

function issuing(token: string): Operation<CommandOf<"issue-token">, TeamContext, IssuedToken> {
  return {
    ...ownersAlone,
    decide: decideByOwner,
    name: "issue-token",
    recorded: ({ tokenId, agent }) => ({ tokenId, agent }),
    // Without what chance added: a retry asks the same.
    compared: ({ command, agent }) => ({ command, agent }),
    gives({ team }, { duplicate }) {
      const issued = eventIn(team, "token-issued");
      return { tokenId: issued?.tokenId ?? null, token: duplicate ? null : token, agent: issued?.agent ?? "" };
    },
  };
}

/** Revokes a token or a link: it proves nobody from here on, at every hub of the journal. Once more changes nothing. */
export const revokeToken: Operation<RevokeToken, TeamContext> = {
  ...ownersAlone,
  name: "revoke-token",
  recorded: ({ token }) => ({ tokenId: token }),
  compared: ({ token }) => ({ command: "revoke-token", tokenId: token }),
  decide: (state, { token }, at) => decideByOwner(state, { command: "revoke-token", tokenId: token }, at),
};

/** Every token that was ever made, in order. Refuses `sender-not-authorised` to all but the owner. */
export async function tokens(context: TeamContext, actor: Actor): Promise<Result<readonly Credential[], Problem>> {
  if (actor.agent !== ownerName) return err(ownersOnly(actor.agent));
  const folded = await context.journal.state(context.team);
  return folded.ok ? ok([...folded.value.state.credentials.tokens.values()]) : folded;
}

/**
 * Whom `token` proves in this team: also an agent that stopped by its answer in a shutdown round, which reads and
 * acknowledges what is left in its inbox and may do nothing else. Refuses `unauthenticated`, `token-revoked`,
 * `retired-agent`, `team-archived` where the team's tokens are in an archive only, or what the journal refuses.
 * Source: docs/protocol/authority.md, section 14.
 */
export async function identifyToken(context: TeamContext, token: string): Promise<Result<Credential, Problem>> {
  const folded = await context.journal.state(context.team);
  if (!folded.ok) return folded;
  const { state } = folded.value;
  const hash = sha256(token);
  const found = findCredential(state.credentials, hash, state.team.roster);
  if (!found.ok && found.error.code === "unauthenticated" && state.archived?.isGivenUp === true)
    return err(tokensArchived(context.team, state.archived));
  if (found.ok && found.value.agent === ownerName) {
    const inForce = await isInForce(context, found.value.tokenId);
    if (!inForce.ok) return inForce;
    return inForce.value ? found : err(importing(context.team));
  }
  if (found.ok || found.error.code !== "retired-agent") return found;
  const credential = credentialWith(state.credentials, hash);
  return credential !== undefined && stoppedProblem(state, credential.agent) !== null ? ok(credential) : found;
}

/** The team that a token names; null: it was made before tokens did, or is none. */
export function teamOfToken(token: string): TeamName | null {
  const point = token.indexOf(".");
  return point === -1 ? null : teamName(token.slice(point + 1));
}

/** Hours for which a link is good where nobody says for how long, and at most. */
const [shareHours, shareHoursMax] = [24, 720] as const;

/**
 * Makes a link by which somebody may read the team for some hours. The secret is in the answer, this once; a repeated `id`
 * gives the link's facts without it. Refuses `sender-not-authorised` to all but the owner, `wrong-value`,
 * `too-many-requests`.
 */
export async function createShare(
  context: TeamContext,
  actor: Actor,
  { hours = shareHours, note, person }: CreateShare = {},
  { id }: Named = {},
): Promise<Reply<CreatedShare>> {
  const secret = newSecret();
  const hash = sha256(secret);
  const createdAtMs = steadyNow(context.clock);
  const bounded = Math.min(Math.max(Math.floor(hours), 1), shareHoursMax);
  const asked: CommandOf<"create-share"> = {
    command: "create-share",
    shareId: hash.slice(0, tokenIdDigits),
    hash,
    createdAtMs,
    expiresAtMs: createdAtMs + bounded * 3_600_000,
    ...(note === undefined || note.trim() === "" ? {} : { note: shorten(note.trim(), 200) }),
    ...(person === undefined ? {} : { person }),
  };
  const reply = await perform({ context, actor }, creatingShare(bounded, secret, context.clock), asked, id);
  return await madeHere(context, asked.shareId, reply);
}

function creatingShare(
  hours: number,
  secret: string,
  clock: Clock,
): Operation<CommandOf<"create-share">, TeamContext, CreatedShare> {
  return {
    ...ownersAlone,
    name: "create-share",
    recorded: ({ shareId, person }) => ({ shareId, ...(person === undefined ? {} : { person }) }),
    compared: ({ command, note = "", person = "" }) => ({ command, hours, note, person }),
    decide: decideByOwner,
    gives({ team }, { duplicate }) {
      const made = eventIn(team, "share-created");
      const expiresAt = made === null ? null : timestampOf(made.expiresAtMs + aheadMsOf(clock));
      return { secret: duplicate ? null : secret, shareId: made?.shareId ?? null, expiresAt };
    },
  };
}

/** The links that let somebody read, and those that did lately. Refuses `sender-not-authorised` to all but the owner. */
export async function shares(context: TeamContext, actor: Actor): Promise<Result<readonly ShareView[], Problem>> {
  if (actor.agent !== ownerName) return err(ownersOnly(actor.agent));
  const folded = await context.journal.state(context.team);
  if (!folded.ok) return folded;
  const [now, aheadMs] = [steadyNow(context.clock), aheadMsOf(context.clock)];
  const views = [...folded.value.state.credentials.shares.values()].map((share): ShareView => {
    const { shareId, note, person, createdAtMs, expiresAtMs, isRevoked } = share;
    const status = isRevoked ? "revoked" : isShareGood(share, now) ? "open" : "expired";
    const [createdAt, expiresAt] = [timestampOf(createdAtMs + aheadMs), timestampOf(expiresAtMs + aheadMs)];
    return { shareId, note, person, createdAt, expiresAt, status };
  });
  return ok(views);
}

/** The link with this secret's hash that lets somebody read now; null: none does. */
export async function findShare(context: Context, hash: string): Promise<Result<Share | null, Problem>> {
  const folded = await context.journal.state(context.team);
  if (!folded.ok) return folded;
  const share = folded.value.state.credentials.shares.get(hash.slice(0, tokenIdDigits));
  const isGood = share?.hash === hash && isShareGood(share, steadyNow(context.clock));
  return isGood ? await ifInForce(context, share.shareId, share) : ok(null);
}

function decideByOwner(state: TeamState, asked: CredentialCommand, { by }: At): Result<Outcome, Refusal> {
  if (by.agent !== ownerName) return err([ownersOnly(by.agent)]);
  const decided = decideCredentials(asked, state.credentials, state.team.roster);
  if (!decided.ok) return decided;
  const path = "tokenId" in asked ? asked.tokenId : asked.shareId;
  const unchanged = { code: "already-so", path, message: "It was so already; nothing changed." };
  return ok({
    team: decided.value,
    events: [],
    notes: decided.value.length === 0 ? [unchanged] : [],
  });
}

/** The event of that name among those of an entry; null: there is none. */
function eventIn<Name extends TeamEvent["event"]>(
  events: readonly TeamEvent[] = [],
  name: Name,
): Extract<TeamEvent, { readonly event: Name }> | null {
  const isOfName = (event: TeamEvent): event is Extract<TeamEvent, { readonly event: Name }> => event.event === name;
  return events.find(isOfName) ?? null;
}

function ownersOnly(agent: string): Problem {
  return makeProblem("sender-not-authorised", agent, `${agent} may not handle tokens and links.`, {
    expected: "the owner",
    hint: "Ask the person who owns the team.",
  });
}

/** The session with this hash, whether it has expired or not; null: it was never opened here, or has ended. */
export async function findSession(context: Context, hash: string): Promise<Result<OwnerSession | null, Problem>> {
  const folded = await context.journal.state(context.team);
  if (!folded.ok) return folded;
  const session = folded.value.state.credentials.sessions.get(hash);
  return session === undefined ? ok(null) : await ifInForce(context, hash, session);
}

/** Records that the session is open. Refuses what the journal refuses. */
export async function openSession(context: Context, session: OwnerSession): Promise<Result<void, Problem>> {
  const opened = await recordSession(context, "begin-session", { event: "session-opened", ...session });
  const ended = opened.ok ? await endImport(context, session.hash) : opened;
  return ended.ok ? ok(undefined) : ended;
}

/** Records that the session has ended. Refuses what the journal refuses. */
export function endSession(context: TeamContext, hash: string): Promise<Result<void, Problem>> {
  return recordSession(context, "end-session", { event: "session-ended", hash });
}

const owner: Actor = { agent: ownerName, via: "launcher" };

async function recordSession(
  context: TeamContext,
  name: SessionName,
  event: SessionEvent,
): Promise<Result<void, Problem>> {
  return doneBy(await perform({ context, actor: owner }, sessionOperation(name), event));
}

function doneBy(reply: Reply): Result<void, Problem> {
  const [refused] = problemsOf(reply);
  return refused === undefined ? ok(undefined) : err(refused);
}

type SessionName = "begin-session" | "end-session";
type SessionEvent = Extract<TeamEvent, { readonly event: "session-opened" | "session-ended" }>;

function sessionOperation(name: SessionName): Operation<SessionEvent, TeamContext> {
  return {
    ...ownersAlone,
    name,
    recorded: () => ({}),
    compared: ({ hash }) => ({ name, hash }),
    decide: (_, event) => ok({ team: [event], events: [], notes: [] }),
  };
}

/*
 * The owner's access that comes with the entries of another journal: a credential that a person made there must not become
 * one here. From before the first entry is restored until what came is ended, a note next to the chain lists what was in
 * force before, and nothing else is. So an import that was killed lets nobody in. What the owner makes here ends it with
 * what is there: behind its entry nothing can be restored. Source: docs/protocol/record.md, section 14.
 */

/** No agent can have such a name. */
const importNote = "owner/import";

/**
 * Before an import restores entries: what is in force now stays so; after an import that was killed, what was before that. A
 * team without entries keeps no note, so of a new one it is called when the first is restored.
 */
export async function beginImport(context: TeamContext): Promise<Result<void, Problem>> {
  const folded = await context.journal.state(context.team);
  if (!folded.ok) return folded;
  const { state, head } = folded.value;
  const ids = head.seq <= 1 ? [] : accessIn(state).map(({ id }) => id);
  return await context.journal.note(context.team, importNote, (before) =>
    heldBefore(before) === null ? JSON.stringify(ids) : null,
  );
}

/** Whether an import has begun and not come to its end. */
export async function isImporting(context: TeamContext): Promise<Result<boolean, Problem>> {
  const held = await importOf(context);
  return held.ok ? ok(held.value !== null) : held;
}

/** Ends what of the owner's access an import has brought, but for `made`, and with it the import; answers how much. */
export async function endImport(context: TeamContext, made?: string): Promise<Result<number, Problem>> {
  const [held, folded] = [await importOf(context), await context.journal.state(context.team)];
  if (!held.ok) return held;
  if (!folded.ok) return folded;
  if (held.value === null) return ok(0);
  const came = accessIn(folded.value.state).filter(({ id }) => id !== made && held.value?.has(id) === false);
  for (const { kind, id } of came) {
    const on = { context, actor: owner };
    const ended =
      kind === "session" ? await endSession(context, id) : doneBy(await perform(on, revokeToken, { token: id }));
    if (!ended.ok) return ended;
  }
  const noted = await context.journal.note(context.team, importNote, () => "");
  return noted.ok ? ok(came.length) : noted;
}

/** What proves the owner, or lets somebody read. */
function accessIn({ credentials: { tokens, shares, sessions } }: TeamState) {
  const ownTokens = [...tokens.values()].filter(({ agent, status }) => agent === ownerName && status === "valid");
  return [
    ...ownTokens.map(({ tokenId }) => ({ kind: "token", id: tokenId }) as const),
    ...[...shares.values()].flatMap(({ shareId, isRevoked }) =>
      isRevoked ? [] : [{ kind: "share", id: shareId } as const],
    ),
    ...[...sessions.keys()].map((id) => ({ kind: "session", id }) as const),
  ];
}

/** What was in force before the import that has not come to its end; null: there is no such import. */
async function importOf({ journal, team }: TeamContext): Promise<Result<ReadonlySet<unknown> | null, Problem>> {
  const notes = await journal.notes(team);
  return notes.ok ? ok(heldBefore(notes.value.get(importNote) ?? null)) : notes;
}

/** What the note lists; nothing, where it cannot be read. */
function heldBefore(note: string | null): ReadonlySet<unknown> | null {
  if (note === null || note === "") return null;
  const read = parseBounded(note);
  return new Set(read.ok && isJsonList(read.value) ? read.value : []);
}

async function isInForce(context: TeamContext, id: string): Promise<Result<boolean, Problem>> {
  const held = await importOf(context);
  return held.ok ? ok(held.value?.has(id) ?? true) : held;
}

async function ifInForce<Access>(
  context: Context,
  id: string,
  access: Access,
): Promise<Result<Access | null, Problem>> {
  const inForce = await isInForce(context, id);
  return inForce.ok ? ok(inForce.value ? access : null) : inForce;
}

/** What was made while an import was not at its end is in force, and nothing that it brought. */
async function madeHere<More extends object>(
  context: TeamContext,
  id: string,
  reply: Reply<More>,
): Promise<Reply<More>> {
  const ended = reply.outcome === "accepted" ? await endImport(context, id) : ok(0);
  return ended.ok ? reply : { outcome: "failed", problem: ended.error };
}

function importing(team: TeamName): Problem {
  return makeProblem("unauthenticated", team, `This token came with an import into team ${team} that has not ended.`, {
    hint: "Run the same `baton journal import` again, or make a new token: `baton token create owner`.",
  });
}
