/**
 * Who asks: a bearer token bound to an agent of one team, the owner's session cookie, or that of a link to read one team.
 * Nothing else identifies anybody, and no field of a message does.
 * Source: docs/protocol/doors.md, section 5.
 */
import { sha256 } from "../../../base/canonical.ts";
import { aheadMsOf, steadyNow, timestampOf } from "../../../base/clock.ts";
import { messageId } from "../../../base/ids.ts";
import { makeProblem, type Problem } from "../../../base/problem.ts";
import { err, ok, type Result } from "../../../base/result.ts";
import { ownerName } from "../../../messages/principal.ts";
import type { Caller, HubServices } from "../operations/operation.ts";
import type { Session } from "./owner-sessions.ts";

type CallerServices = Pick<HubServices, "hub" | "sessions" | "port" | "isOwnOrigin">;

/**
 * The caller that the request's credential proves; null: it has none. Refuses credentials that prove nobody. Where none
 * is needed, a cookie that outlived its session counts as none: the browser always sends it, also with the code that
 * replaces it.
 */
export async function callerOf(
  services: CallerServices,
  request: Request,
  isNeeded: boolean,
): Promise<Result<Caller | null, Problem>> {
  const authorization = request.headers.get("authorization");
  if (authorization !== null) return bearer(services, authorization, request.headers.get(programHeader));
  const id = cookieOf(request.headers.get("cookie"), cookieName(services.port()));
  if (id === null) return ok(null);
  const session = await services.sessions.find(id);
  const reader = session === null ? await readerOf(services, id) : null;
  if (reader !== null && !reader.ok) return reader;
  if (session === null && reader === null) return isNeeded ? err(unknownSession) : ok(null);
  // SameSite keeps foreign sites out; a page on another port of this machine is the same site, but not this origin.
  const isReading = request.method === "GET" || request.method === "HEAD";
  const origin = request.headers.get("origin");
  if (!isReading && (origin === null || !services.isOwnOrigin(origin))) return err(foreignMutation);
  return session === null ? (reader ?? ok(null)) : ok(ownerOf(services, session));
}

/**
 * Who reads by the link with this secret; null: no link is good. The name is none that an agent can have, so nothing is
 * anybody's own for a reader, no inbox and no claim.
 */
async function readerOf(services: CallerServices, secret: string): Promise<Result<Caller, Problem> | null> {
  const hash = sha256(secret);
  const found = await services.hub.findShare(hash);
  if (!found.ok) return found;
  if (found.value === null) return null;
  const { team, share } = found.value;
  const isStillValid = async () => {
    const now = await services.hub.findShare(hash);
    return now.ok && now.value !== null;
  };
  const agent = `share:${share.shareId}`;
  return ok({ agent, via: "launcher", team, session: null, readsUntilMs: share.expiresAtMs, isStillValid });
}

/** The caller of a link's secret, and the cookie that a browser reads by from here on; null: the link is not good. */
export async function sharedSession(
  services: CallerServices,
  secret: string,
): Promise<Result<{ readonly caller: Caller; readonly cookie: string; readonly expiresAt: string }, Problem> | null> {
  const reader = await readerOf(services, secret);
  if (reader === null || !reader.ok) return reader;
  const expiresAtMs = reader.value.readsUntilMs ?? 0;
  const cookie = cookieUntil(services, secret, expiresAtMs);
  return ok({ caller: reader.value, cookie, expiresAt: expiryOf(services, expiresAtMs) });
}

function cookieUntil(services: CallerServices, value: string, expiresAtMs: number): string {
  const seconds = Math.max(0, Math.floor((expiresAtMs - steadyNow(services.hub.journal.clock)) / 1000));
  return `${cookieName(services.port())}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${seconds}`;
}

/** The header by which a program that stays names itself. */
export const programHeader = "baton-program";

async function bearer(
  services: CallerServices,
  authorization: string,
  program: string | null,
): Promise<Result<Caller, Problem>> {
  const token = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(authorization)?.[1];
  if (token === undefined || token.length > 200) return err(unknownToken);
  const known = await services.hub.identify(token);
  if (!known.ok) return known;
  const { agent, team } = known.value;
  const isStillValid = async () => (await services.hub.identify(token)).ok;
  if (program !== null && messageId(program) === null) return err(wrongProgram(program));
  return ok({ agent, via: "token", team, session: null, ...(program === null ? {} : { program }), isStillValid });
}

function ownerOf(services: CallerServices, session: Session): Caller {
  const isStillValid = () => services.sessions.isOpen(session);
  return { agent: ownerName, via: "launcher", team: null, session, isStillValid };
}

/**
 * Whether a refused credential is the caller's error, or the journal could not be asked. A token of a team in an archive
 * cannot be checked, so it counts as a wrong one: otherwise it could be used to find out which teams there were.
 */
export function isAuthFailure({ code }: Problem): boolean {
  return code === "unauthenticated" || code === "token-revoked" || code === "team-archived";
}

/** The header that gives the owner's browser its session, and when it ends. */
export function sessionCookie(services: CallerServices, id: string, session: Session): string {
  return cookieUntil(services, id, session.expiresAtMs);
}

/** The header that takes it away. */
export function endedCookie(services: CallerServices): string {
  return `${cookieName(services.port())}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0`;
}

/** When a session or a link ends, RFC 3339, by this machine's wall clock. */
export function expiryOf({ hub }: Pick<CallerServices, "hub">, expiresAtMs: number): string {
  return timestampOf(expiresAtMs + aheadMsOf(hub.journal.clock));
}

/** Browsers share cookies between the ports of a host, so two hubs need two names. */
function cookieName(port: number): string {
  return `baton-${port}`;
}

function cookieOf(header: string | null, name: string): string | null {
  for (const part of header?.split(";") ?? []) {
    const [key, value] = part.trim().split("=", 2);
    if (key === name && value !== undefined && value !== "") return value;
  }
  return null;
}

const unknownToken = makeProblem("unauthenticated", "Authorization", "This is not a token of this hub.", {
  expected: "Bearer baton_…",
  hint: "The owner makes one with `baton token create AGENT`.",
});

function wrongProgram(program: string): Problem {
  return makeProblem("invalid-id", "Baton-Program", "A program cannot be called so.", {
    expected: "1 to 128 of A-Z a-z 0-9 . _ : / @ -",
    received: program.slice(0, 128).toWellFormed(),
    hint: "Make an id once, for instance a UUID, and send it with every request.",
  });
}

const unknownSession = makeProblem("unauthenticated", "Cookie", "This session has ended.", {
  hint: "Open the URL that `baton up` prints; each is good for one browser.",
});

const foreignMutation = makeProblem(
  "foreign-request",
  "Origin",
  "The owner's session changes things from its own page only.",
  {
    expected: "the hub's own origin",
    hint: "Programs use a token: `baton token create owner`.",
  },
);
