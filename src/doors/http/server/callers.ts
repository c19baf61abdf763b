/**
 * Who asks: a bearer token bound to an agent of one team, or the secret of the owner's session or of a link to read one
 * team, in the header of the page. A cookie identifies nobody: browsers send it to every port of this machine. No field of a
 * message does either.
 * Source: docs/protocol/doors.md, section 5.
 */
import { sessionHeader } from "../../../base/argument.ts";
import { sha256 } from "../../../base/canonical.ts";
import { aheadMsOf, timestampOf } from "../../../base/clock.ts";
import { messageId } from "../../../base/ids.ts";
import { makeProblem, type Problem } from "../../../base/problem.ts";
import { err, ok, type Result } from "../../../base/result.ts";
import { deciderName, ownerName } from "../../../messages/principal.ts";
import type { Caller, HubServices } from "../operations/operation.ts";
import type { Session } from "./owner-sessions.ts";

type CallerServices = Pick<HubServices, "hub" | "sessions">;

/** The caller that the request's credential proves; null: it has none. Refuses credentials that prove nobody. */
export async function callerOf(services: CallerServices, request: Request): Promise<Result<Caller | null, Problem>> {
  const authorization = request.headers.get("authorization");
  if (authorization !== null) return bearer(services, authorization, request.headers.get(programHeader));
  const secret = request.headers.get(sessionHeader);
  if (secret === null) return ok(null);
  const session = await services.sessions.find(secret);
  if (session !== null) return ok(ownerOf(services, session));
  return (await readerOf(services, secret)) ?? err(unknownSession);
}

/**
 * Who reads by the link with this secret; null: no link is good. The name is none that an agent can have, so nothing is
 * anybody's own for a reader, no inbox and no claim.
 */
export async function readerOf(services: CallerServices, secret: string): Promise<Result<Caller, Problem> | null> {
  const hash = sha256(secret);
  const found = await services.hub.findShare(hash);
  if (!found.ok) return found;
  if (found.value === null) return null;
  const { team, share } = found.value;
  const isStillValid = async () => {
    const now = await services.hub.findShare(hash);
    return now.ok && now.value !== null;
  };
  const { shareId, person, expiresAtMs: readsUntilMs } = share;
  const reader = { via: "launcher", team, session: null, readsUntilMs, isStillValid } as const;
  if (person === null) return ok({ ...reader, agent: `share:${shareId}` });
  return ok({ ...reader, agent: deciderName({ agent: ownerName, person }), person });
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

/** When a session or a link ends, RFC 3339, by this machine's wall clock. */
export function expiryOf({ hub }: Pick<CallerServices, "hub">, expiresAtMs: number): string {
  return timestampOf(expiresAtMs + aheadMsOf(hub.journal.clock));
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

const unknownSession = makeProblem("unauthenticated", "Baton-Session", "This session has ended.", {
  hint: "Open the URL that `baton up` prints; each is good for one browser.",
});
