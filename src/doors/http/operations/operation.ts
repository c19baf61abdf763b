/**
 * What an operation of the hub is: its route, who may ask, the shapes of what goes in and comes out, and what it does.
 * Validation, authorisation, metrics and the OpenAPI document all read these facts, so each is written once.
 */
import type { z } from "zod";
import type { Clock } from "../../../base/clock.ts";
import type { TeamName } from "../../../base/ids.ts";
import { makeProblem, type Problem } from "../../../base/problem.ts";
import type { ReadNote } from "../../../base/schema/text-list.ts";
import type { RepositoryPlace } from "../../../evidence/services/gate.ts";
import type { Hub } from "../../../perform/hub.ts";
import type { LongWork } from "../../../perform/long-work.ts";
import type { HubTeam } from "../../../perform/team.ts";
import { safeHeaders } from "../server/answers.ts";
import type { ConcurrencyLimit, Feeds } from "../server/feed.ts";
import type { AuthFailures } from "../server/guard.ts";
import type { HubLimits } from "../server/http-limits.ts";
import type { HubLog, Metrics, Readiness, RoundWatchers } from "../server/monitoring.ts";
import type { Session, Sessions } from "../server/owner-sessions.ts";

/** Who asks, as a credential proved it. */
export interface Caller {
  readonly agent: string;
  readonly via: "token" | "launcher";
  /** The only team of a token; null: every team of the journal. */
  readonly team: TeamName | null;
  readonly session: Session | null;
  /** Until when a link lets the caller read, in milliseconds; such a caller changes nothing. Absent: it is no reader. */
  readonly readsUntilMs?: number;
  /** Who decides by that link in the owner's place; absent: nobody does. */
  readonly person?: string;
  /** The program that speaks for the agent, by the id that it gives itself; absent: one that comes and goes. */
  readonly program?: string;
  /** Whether the credential still proves it; asked while a stream stays open. */
  isStillValid(): Promise<boolean>;
}

/** The repository that a hub judges reported work by. */
export type HubRepository = RepositoryPlace;

/** Everything that operations need of their hub. */
export interface HubServices {
  readonly hub: Hub;
  readonly clock: Clock;
  readonly limits: HubLimits;
  readonly log: HubLog;
  readonly version: string;
  /** Created again at each start; not secret. */
  readonly instance: string;
  readonly sessions: Sessions;
  readonly failures: AuthFailures;
  readonly feeds: Feeds;
  /** Who holds how many streams, and how many waits for mail. */
  readonly streams: ConcurrencyLimit;
  readonly waits: ConcurrencyLimit;
  /** Who waits for the end of a shutdown round. */
  readonly rounds: RoundWatchers;
  readonly metrics: Metrics;
  readonly readiness: Readiness;
  /** Work on the whole journal, which others do not wait for. */
  readonly longWork: LongWork;
  /** Where the home team's reported work is looked for; null: nowhere. */
  readonly repository: HubRepository | null;
  /** Aborts when the hub stops: waiting ends. */
  readonly stopping: AbortSignal;
}

/** One request that passed guard, authentication and validation. */
export interface Asked<Query = unknown, Body = unknown> {
  readonly services: HubServices;
  readonly request: Request;
  /** The caller's network address. */
  readonly address: string;
  readonly caller: Caller | null;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
  /** The id that the id of this operation, for retries, from the body or the header `Idempotency-Key`. */
  readonly id: string | undefined;
  /** What of it was read otherwise than it was written. */
  readonly notes: ReadNote[];
  /** Ends the connection without a farewell. */
  hangUp(): void;
}

/** The same for an operation on a team, with the team as the caller uses it. */
export interface AskedOfTeam<Query = unknown, Body = unknown> extends Asked<Query, Body> {
  readonly caller: Caller;
  readonly team: HubTeam;
}

/** What one status means; `shape` absent: no JSON. */
export interface AnswerFacts {
  readonly says: string;
  readonly shape?: z.ZodType;
  readonly mediaType?: string;
}

/** The facts of an operation, without what it does. */
export interface OperationFacts {
  /** Its name in the OpenAPI document. */
  readonly name: string;
  readonly method: "get" | "post" | "delete";
  /** With `{name}` for parameters; one with `{team}` is an operation on a team. */
  readonly path: string;
  readonly says: string;
  /** `open`: anybody on this machine. `caller`: any valid credential. `owner`: the person. */
  readonly access: "open" | "caller" | "owner";
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** The operation reads the body itself: any JSON may come. */
  readonly rawBody?: true;
  /** It makes or widens access: the owner's session must have begun lately. */
  readonly grants?: true;
  /** Whom the owner has invited may do it. */
  readonly invited?: true;
  /** The answer has a tag, and a reader that names it gets 304 (`unlessKnown`). */
  readonly isTagged?: true;
  /** By status; refusals are the same everywhere and not listed. */
  readonly answers: Readonly<Record<number, AnswerFacts>>;
}

export type Operation =
  | (OperationFacts & { readonly on: "hub"; handle(asked: Asked): Promise<Response> })
  | (OperationFacts & { readonly on: "team"; handle(asked: AskedOfTeam): Promise<Response> });

type Read<Shape> = Shape extends z.ZodType ? z.infer<Shape> : unknown;

/** An operation on the hub as a whole. */
export function hubOperation<const Facts extends OperationFacts>(
  facts: Facts,
  handle: (asked: Asked<Read<Facts["query"]>, Read<Facts["body"]>>) => Promise<Response>,
): Operation {
  return { ...facts, on: "hub", handle };
}

/** An operation on a team. */
export function teamOperation<const Facts extends OperationFacts>(
  facts: Facts,
  handle: (asked: AskedOfTeam<Read<Facts["query"]>, Read<Facts["body"]>>) => Promise<Response>,
): Operation {
  return { ...facts, on: "team", handle };
}

/**
 * What `answer` gives, with the tag of the call's view; 304 without a body where `If-None-Match` names that tag, and then
 * the view is not made. Source: docs/protocol/doors.md, section 4.
 */
export async function unlessKnown(
  { services, team, request }: Pick<AskedOfTeam, "services" | "team" | "request">,
  call: string,
  answer: () => Promise<Response>,
): Promise<Response> {
  const tag = await team.viewTag(call);
  // What cannot be tagged is answered, or refused with its own reason.
  if (!tag.ok || tag.value === null) return await answer();
  const etag = `W/"${tag.value}-${services.instance.slice(-8)}"`;
  const known = request.headers.get("if-none-match")?.split(",") ?? [];
  if (known.some((each) => each.trim() === etag)) {
    return new Response(null, { status: 304, headers: { ...safeHeaders, etag } });
  }
  const made = await answer();
  if (made.ok) made.headers.set("etag", etag);
  return made;
}

/* Fields that were given: an option that is absent and one that is undefined are different things. */
type Given<Value> = { [Key in keyof Value]?: Exclude<Value[Key], undefined> };

/** `value` without its undefined fields. */
export function given<Value extends object>(value: Value): Given<Value> {
  const kept = Object.entries(value).filter(([, field]) => field !== undefined);
  // Only undefined fields are dropped, which is what the type says.
  return Object.fromEntries(kept) as Given<Value>;
}

/*
 * How far an owner's credential reaches. The session of the person at this machine reaches the whole journal; a token of
 * the owner was made in one team and reaches that team, so it reaches the whole journal only where there is no other.
 */

/** Why `caller` may not act on `team`, or on the whole journal where none is named; null: it may. */
export async function beyondReach(
  { hub }: Pick<HubServices, "hub">,
  caller: Pick<Caller, "team"> | null,
  team?: string,
): Promise<Problem | null> {
  const own = caller?.team ?? null;
  if (own === null) return null;
  if (team !== undefined) return team === own ? null : beyond(own, `team "${own}"`);
  const teams = await hub.teams();
  if (!teams.ok) return teams.error;
  return teams.value.every((name) => name === own) ? null : beyond(own, "a credential for every team of the journal");
}

function beyond(own: string, expected: string): Problem {
  return makeProblem("sender-not-authorised", "Authorization", `This token is the owner's in team "${own}" only.`, {
    expected,
    hint: "Name that team, use the page (`baton start --link`), or run the command where the journal is.",
  });
}
