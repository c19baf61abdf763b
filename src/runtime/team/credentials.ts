/**
 * Tokens through a door: created, listed and revoked by the owner, and the identity that one proves; and the owner's
 * browser sessions, which hold at every hub of the journal and end at every one. The journal has their hashes only: a
 * reader can open nothing with them, and an agent that lost its token gets a new one.
 * Source: docs/protocol/journal.md, section 1; docs/protocol/doors.md, section 5; docs/protocol/rights.md, section 7.
 */
import { sha256 } from "../../base/canonical.ts";
import { newSecret } from "../../base/new-ids.ts";
import { type Problem, problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { ownerName } from "../../message/principal.ts";
import type { Reply } from "../../operations/reply.ts";
import {
  type Credential,
  type CredentialCommand,
  credentialWith,
  decideCredentials,
  findCredential,
  type OwnerSession,
} from "../../team/credentials.ts";
import type { TeamEvent } from "../../team/events.ts";
import type { Actor, Context } from "../context.ts";
import { asJson, effectsOf } from "../record/content.ts";
import { type AskedAct, recordAct } from "../record/recorded-act.ts";
import type { TeamState } from "../state.ts";
import { stoppedProblem } from "./session-endings.ts";
import type { IssuedToken, Team } from "./team.ts";

const tokenIdDigits = 12;

/** What the owner does with tokens, as a team's handle has it. */
export function tokenWork(context: Context, actor: Actor): Pick<Team, "tokens" | "issueToken" | "revokeToken"> {
  return {
    tokens: () => tokens(context, actor),
    issueToken: ({ agent }, options) => issueToken(context, actor, agent, options),
    revokeToken: ({ token }, options) => revokeToken(context, actor, token, options),
  };
}

/**
 * Makes a token for `agent`. The reply to a repeated `id` names the token of the first time without the token itself:
 * it was shown then and is kept nowhere.
 */
export async function issueToken(
  context: Context,
  actor: Actor,
  agent: string,
  options: { readonly id?: string } = {},
): Promise<IssuedToken> {
  const token = newSecret();
  const hash = sha256(token);
  const tokenId = hash.slice(0, tokenIdDigits);
  const asked: CredentialCommand = { command: "issue-token", agent, tokenId, hash };
  // The digest names what was asked, without what chance added: a retry asks the same.
  const reply = await act(context, actor, asked, { command: asked.command, agent }, options.id);
  if (reply.outcome !== "accepted") return { reply, tokenId: null, token: null, agent: null };
  if (!reply.receipt.duplicate) return { reply, tokenId, token, agent };
  const first = await issuedBy(context, reply.receipt.seq);
  return { reply, tokenId: first, token: null, agent };
}

/** Revokes a token: it proves nobody from here on, at every hub of the journal. A revoked token again changes nothing. */
export function revokeToken(
  context: Context,
  actor: Actor,
  tokenId: string,
  options: { readonly id?: string } = {},
): Promise<Reply> {
  const asked: CredentialCommand = { command: "revoke-token", tokenId };
  return act(context, actor, asked, asked, options.id);
}

/** Every token that was ever made, in order. Refuses `sender-not-authorised` to all but the owner. */
export async function tokens(context: Context, actor: Actor): Promise<Result<readonly Credential[], Problem>> {
  if (actor.agent !== ownerName) return err(ownersOnly(actor.agent));
  const folded = await context.journal.state(context.team);
  return folded.ok ? ok([...folded.value.state.credentials.tokens.values()]) : folded;
}

/**
 * Whom `token` proves in this team: also an agent that stopped by its answer in a shutdown round, which reads and
 * acknowledges what is left in its inbox and may do nothing else. Refuses `unauthenticated`, `token-revoked`,
 * `retired-agent`, or what the journal refuses.
 * Source: docs/protocol/rights.md, section 5.
 */
export async function identifyToken(context: Context, token: string): Promise<Result<Credential, Problem>> {
  const folded = await context.journal.state(context.team);
  if (!folded.ok) return folded;
  const { state } = folded.value;
  const hash = sha256(token);
  const found = findCredential(state.credentials, hash, state.team.roster);
  if (found.ok || found.error.code !== "retired-agent") return found;
  const credential = credentialWith(state.credentials, hash);
  return credential !== undefined && stoppedProblem(state, credential.agent) !== null ? ok(credential) : found;
}

function act(
  context: Context,
  actor: Actor,
  asked: CredentialCommand,
  compared: { readonly [argument: string]: string },
  named: string | undefined,
): Promise<Reply> {
  return recordAct(context, actor, {
    name: asked.command,
    asked,
    compared,
    named,
    isTimeless: true,
    decide: (state) => decide(actor, asked, state),
  });
}

function decide(actor: Actor, asked: CredentialCommand, state: TeamState): ReturnType<AskedAct["decide"]> {
  if (actor.agent !== ownerName) return err([ownersOnly(actor.agent)]);
  const decided = decideCredentials(asked, state.credentials, state.team.roster);
  if (!decided.ok) return decided;
  // The event reports the hash once.
  const subject = asked.command === "issue-token" ? { agent: asked.agent } : {};
  const unchanged = { code: "already-so", path: asked.tokenId, message: "It was so already; nothing changed." };
  return ok({
    receivers: [],
    content: asJson({
      command: { name: asked.command, tokenId: asked.tokenId, ...subject },
      team: decided.value,
      ...(decided.value.length === 0 ? { notes: [unchanged] } : {}),
    }),
  });
}

/** The id of the token that the entry at `seq` issued; null when it cannot be read. */
async function issuedBy(context: Context, seq: number): Promise<string | null> {
  const folded = await context.journal.read(context.team, { after: seq - 1, limit: 1 });
  const entry = folded.ok ? folded.value.entries[0] : undefined;
  if (entry?.seq !== seq) return null;
  const issued = effectsOf(entry).team?.find((event) => event.event === "token-issued");
  return issued?.event === "token-issued" ? issued.tokenId : null;
}

function ownersOnly(agent: string): Problem {
  return problem("sender-not-authorised", agent, `${agent} may not handle tokens.`, {
    expected: "the owner",
    hint: "Ask the person who owns the team.",
  });
}

/** The session with this hash, whether it has expired or not; null: it was never opened here, or has ended. */
export async function findSession(context: Context, hash: string): Promise<Result<OwnerSession | null, Problem>> {
  const folded = await context.journal.state(context.team);
  return folded.ok ? ok(folded.value.state.credentials.sessions.get(hash) ?? null) : folded;
}

/** Records that the session is open. Refuses what the journal refuses. */
export function openSession(context: Context, { hash, expiresAtMs }: OwnerSession): Promise<Result<void, Problem>> {
  const openedAtMs = context.clock.now();
  return recordSession(context, "begin-session", { event: "session-opened", hash, openedAtMs, expiresAtMs });
}

/** Records that the session has ended. Refuses what the journal refuses. */
export function endSession(context: Context, hash: string): Promise<Result<void, Problem>> {
  return recordSession(context, "end-session", { event: "session-ended", hash });
}

async function recordSession(
  context: Context,
  name: "begin-session" | "end-session",
  event: Extract<TeamEvent, { readonly event: "session-opened" | "session-ended" }>,
): Promise<Result<void, Problem>> {
  const reply = await recordAct(
    context,
    { agent: ownerName, via: "launcher" },
    {
      name,
      asked: {},
      compared: { name, hash: event.hash },
      named: undefined,
      isTimeless: true,
      decide: () => ok({ receivers: [], content: asJson({ command: { name }, team: [event] }) }),
    },
  );
  if (reply.outcome === "failed") return err(reply.problem);
  const [refused] = reply.outcome === "refused" ? reply.problems : [];
  return refused === undefined ? ok(undefined) : err(refused);
}
