/**
 * The path of a request that the guard accepted: whose credential, which team, what is asked; then the operation. Every
 * refusal on the way is a problem document.
 */
import { z } from "zod";
import { asRecorded, atDoor, type DoorNames } from "../../../base/argument.ts";
import { steadyNow } from "../../../base/clock.ts";
import { teamName } from "../../../base/ids.ts";
import { makeProblem, type Problem } from "../../../base/problem.ts";
import { err, ok, type Result } from "../../../base/result.ts";
import { readShape } from "../../../base/schema/shape-problems.ts";
import type { ReadNote } from "../../../base/schema/text-list.ts";
import { guestOperations, guestProblem } from "../../../messages/authority/roster-rights.ts";
import { ownerName } from "../../../messages/principal.ts";
import { commandsOf } from "../../../perform/operations/define.ts";
import { definedOperations } from "../../../perform/operations/registry.ts";
import type { HubTeam } from "../../../perform/team.ts";
import { endSession } from "../../../team/operations/sessions.ts";
import type { Asked, Caller, HubServices, Operation, OperationFacts } from "../operations/operation.ts";
import { operations } from "../operations/operations.ts";
import {
  hubEnds,
  noCredential,
  ownersOnly,
  type ProblemDocument,
  refusal,
  tooManyFailures,
  twoIds,
} from "./answers.ts";
import { callerOf, isAuthFailure } from "./callers.ts";
import { readJson } from "./http-limits.ts";

/** Tells those who run the hub, a few times a minute. */
export type Warn = (facts: object, words: string) => void;

/** A request as it arrived. */
export type Arrived = Pick<Asked, "services" | "request" | "address" | "params" | "hangUp">;

/** The answer to a request for `operation`; a refusal names things as the request does. */
export async function receive(operation: Operation, arrived: Arrived, warn: Warn): Promise<Response> {
  return inNamesOf(operation, arrived.request, await answerTo(operation, arrived, warn));
}

async function answerTo(operation: Operation, arrived: Arrived, warn: Warn): Promise<Response> {
  const { services, request, address } = arrived;
  const known = await authenticate(arrived, warn);
  if (known instanceof Response) return known;
  const { caller } = known;
  if (caller === null && operation.access !== "open") return noEntry(services, address, null, warn);
  const notes: ReadNote[] = [];
  const read = await readAsked(operation, request, notes);
  if (!read.ok) return refusal(read.error);
  const asked = { ...arrived, ...read.value, notes, caller };
  // What is the owner's alone of a team, the runtime refuses to others, and records that, as it does on a file.
  const isHubs = operation.on === "hub" && operation.access === "owner";
  if (isHubs && caller !== null && caller.agent !== ownerName) return refusal([ownersOnly(caller.agent)]);
  const decides = operation.invited === true && caller?.person !== undefined;
  if (caller?.readsUntilMs !== undefined && !decides && !mayRead(operation)) return refusal([readersOnly]);
  if (operation.grants === true && !isFresh(services, caller)) return refusal([provenTooLongAgo(services)]);
  if (operation.on === "hub") return await withNotes(await operation.handle(asked), notes);
  if (caller === null) return refusal([noCredential]);
  // In a decision alone who was invited stands in the owner's place; the record says who it was.
  const acting = decides ? { ...caller, agent: ownerName } : caller;
  const team = await teamFor(services, acting, arrived.params.team ?? "");
  if (!team.ok) return refusal([team.error]);
  const barred = guestOperations.includes(operation.name) ? null : await guestBar(services, team.value);
  if (barred !== null) return refusal([barred]);
  return await withNotes(await operation.handle({ ...asked, caller, team: team.value }), notes);
}

/** The answer with what was read otherwise than it was written. */
async function withNotes(answer: Response, notes: readonly ReadNote[]): Promise<Response> {
  if (notes.length === 0 || !/json\b/.test(answer.headers.get("content-type") ?? "")) return answer;
  // It was written by the hub a moment ago.
  const document = (await answer.json()) as { readonly notes?: readonly unknown[] };
  return new Response(JSON.stringify({ ...document, notes: [...notes, ...(document.notes ?? [])] }), answer);
}

/** Why the team's agent may not be answered here: it is a guest, or who it is cannot be read. Null: it may. */
export async function guestBar({ hub }: HubServices, { name, actor: { agent } }: HubTeam): Promise<Problem | null> {
  if (agent === ownerName) return null;
  const team = teamName(name);
  const folded = team === null ? null : await hub.journal.state(team);
  if (folded === null) return null;
  if (!folded.ok) return folded.error;
  const role = folded.value.state.team.roster.get(agent)?.role ?? null;
  return guestProblem({ agent, role }, null);
}

/** Whether somebody with a link to read may ask for it: what only looks, and ending one's own session. */
function mayRead({ method, access, name }: Operation): boolean {
  return method === "get" || access === "open" || name === endSession.name;
}

/** Whether a session began lately enough to make access; a token is shown with each request. */
function isFresh({ hub, limits }: HubServices, caller: Caller | null): boolean {
  const session = caller?.session ?? null;
  return session === null || steadyNow(hub.journal.clock) - session.openedAtMs < limits.freshMs;
}

function provenTooLongAgo({ limits }: HubServices): Problem {
  const minutes = limits.freshMs / 60_000;
  return makeProblem("human-required", "Baton-Session", "Access is given only soon after you have signed in.", {
    expected: `a sign-in of the last ${minutes} minutes`,
    hint: "Open the URL that `baton start --link` prints in this browser, or sign in again with the owner's token; then ask again.",
  });
}

const readersOnly = makeProblem(
  "sender-not-authorised",
  "Baton-Session",
  "This link is for reading: nothing is changed by it.",
  {
    expected: "the owner's session, or a token",
    hint: "Ask the person who owns the team.",
  },
);

/** The caller, null where no credential was shown, or the refusal of one that proves nobody. */
export async function authenticate(
  { services, request, address }: Pick<Arrived, "services" | "request" | "address">,
  warn: Warn,
): Promise<{ readonly caller: Caller | null } | Response> {
  const found = await callerOf(services, request);
  if (found.ok) return { caller: found.value };
  return isAuthFailure(found.error) ? noEntry(services, address, found.error, warn) : refusal([found.error]);
}

/** Counts wrong credentials, and hears an address that showed too many no longer. */
export function noEntry(services: HubServices, address: string, wrong: Problem | null, warn: Warn): Response {
  const seconds = services.failures.secondsLeft(address);
  if (seconds > 0) return refusal([tooManyFailures(seconds)], { headers: { "retry-after": String(seconds) } });
  if (wrong !== null) {
    services.failures.count(address);
    warn({ code: wrong.code, address }, "a credential proved nobody");
  }
  return refusal([wrong ?? noCredential], { headers: { "www-authenticate": 'Bearer realm="baton"' } });
}

/** Query, body and id as the operation's shapes take them. */
async function readAsked(
  operation: Operation,
  request: Request,
  notes: ReadNote[],
): Promise<Result<Pick<Asked, "query" | "body" | "id">, readonly Problem[]>> {
  const mark = request.url.indexOf("?");
  const search = new URLSearchParams(mark < 0 ? "" : request.url.slice(mark + 1));
  const query = readQuery(operation.query ?? noQuery, search);
  if (!query.ok) return query;
  const key = request.headers.get("idempotency-key") ?? undefined;
  if (operation.body === undefined || operation.rawBody === true) {
    return ok({ query: query.value, body: undefined, id: key });
  }
  const parsed = await readJson(request);
  if (!parsed.ok) return err([parsed.error]);
  const body = readShape(operation.body, parsed.value, "$", notes);
  if (!body.ok) return body;
  const named = idOf(body.value);
  if (named !== undefined && key !== undefined && named !== key) return err([twoIds(named)]);
  return ok({ query: query.value, body: body.value, id: named ?? key });
}

function idOf(body: unknown): string | undefined {
  const id = typeof body === "object" && body !== null && "id" in body ? body.id : undefined;
  return typeof id === "string" ? id : undefined;
}

/** The team as the caller uses it. Refuses a token of another team. */
export async function teamFor(services: HubServices, caller: Caller, name: string): Promise<Result<HubTeam, Problem>> {
  if (caller.team !== null && caller.team !== name) {
    return err(
      makeProblem("sender-not-authorised", name.slice(0, 64), "This token belongs to another team.", {
        expected: caller.team,
        hint: "Every token is for one team.",
      }),
    );
  }
  const { agent, via, program, person } = caller;
  const speaks = { ...(program === undefined ? {} : { program }), ...(person === undefined ? {} : { person }) };
  const team = await services.hub.team(name, { agent, via, ...speaks, isStillProven: () => caller.isStillValid() });
  return team.ok ? ok(withFewWaits(services, agent, team.value)) : team;
}

/**
 * Every wait holds a connection, and one principal must not take those of all the others. With the hub it ends at once,
 * and says so: with what came until then, or with the error `hub-unreachable`, so that the caller can wait elsewhere or
 * retry.
 */
function withFewWaits(services: HubServices, agent: string, team: HubTeam): HubTeam {
  return {
    ...team,
    async inbox(options = {}) {
      if ((options.waitMs ?? 0) <= 0) return team.inbox(options);
      const leave = services.waits.take(`${team.name}/${agent}`);
      if (leave === null) return err(tooManyWaits(agent, services.limits.waitsPerPrincipalMax));
      try {
        const { stopping } = services;
        const signal = options.signal === undefined ? stopping : AbortSignal.any([stopping, options.signal]);
        const page = await team.inbox({ ...options, signal });
        if (page.ok || page.error.code !== "timed-out" || !stopping.aborted) return page;
        // What was recorded in this very moment is handed over still.
        const last = await team.inbox({ ...options, waitMs: 0 });
        return last.ok && last.value.deliveries.length === 0 ? err(hubEnds) : last;
      } finally {
        leave();
      }
    },
  };
}

function tooManyWaits(agent: string, max: number): Problem {
  return makeProblem("too-many-requests", agent, `${agent} waits for mail ${max} times already.`, {
    expected: `at most ${max} waits`,
    hint: "End one first: one wait is enough for every message.",
  });
}

const noQuery = z.strictObject({});

/* Parameters of a query string, read by the shape of their operation. */

/**
 * The parameters of a query string as `shape` takes them: fields of whole numbers and of yes and no are read as such,
 * fields that are lists may be repeated, and what the shape does not know is refused.
 */
function readQuery<Shape extends z.ZodObject>(
  shape: Shape,
  search: URLSearchParams,
): Result<z.infer<Shape>, readonly Problem[]> {
  const given: [name: string, value: unknown][] = [];
  for (const name of new Set(search.keys())) {
    const values = search.getAll(name);
    const field: unknown = Object.hasOwn(shape.shape, name) ? shape.shape[name] : undefined;
    const wanted = field instanceof z.ZodOptional ? field.unwrap() : field;
    given.push([name, wanted instanceof z.ZodArray ? values : plainValue(wanted, values)]);
  }
  // `fromEntries` defines each field; assigning `__proto__` would set no field, and it would not be refused.
  return readShape(shape, Object.fromEntries(given), "?");
}

function plainValue(wanted: unknown, values: readonly string[]): unknown {
  const [value, ...others] = values;
  // Two answers to one question: neither is taken, and the shape refuses the list.
  if (others.length > 0) return values;
  if (wanted instanceof z.ZodNumber && value !== undefined && /^\d{1,15}(\.\d{1,3})?$/.test(value))
    return Number(value);
  if (wanted instanceof z.ZodBoolean && (value === "true" || value === "false")) return value === "true";
  return value;
}

/*
 * What HTTP calls the arguments of an operation: the fields of its body and query, the parameters of its path, and the
 * headers. The only place where a neutral name becomes one that a request has. A client that speaks for another door
 * asks for the neutral names, and that door names things in its own words.
 */

/**
 * The operations that do what a command does, for programs that have the hub only; their definitions say so, and here are
 * those that have none. The others are a person's, where it runs.
 */
export const operationsOfCommands: { readonly [command: string]: string } = {
  ...Object.fromEntries(definedOperations.flatMap((each) => commandsOf(each).map((words) => [words, each.name]))),
  "handoff issue": "sendMessage",
  send: "sendMessage",
  team: "teamStatus",
};

/** The answer with its problems named as `request` may name things; any other answer as it is. */
export async function inNamesOf(
  operation: Pick<OperationFacts, "path" | "body" | "query">,
  request: Request,
  answer: Response,
): Promise<Response> {
  const isRefusal = answer.headers.get("content-type")?.startsWith("application/problem+json") === true;
  if (!isRefusal || request.headers.get(asRecorded.header) === asRecorded.value) return answer;
  // It was written by the hub a moment ago.
  const document = (await answer.json()) as ProblemDocument;
  const names = namesOf(operation, request);
  const problems = document.problems.map((each) => atDoor(each, names));
  return new Response(JSON.stringify({ ...document, problems }), answer);
}

function namesOf({ path, body, query }: Pick<OperationFacts, "path" | "body" | "query">, request: Request): DoorNames {
  const fields = fieldsOf(body);
  return {
    opening: { team: "{team}", actor: "Authorization", credential: "Authorization", hub: "Host" },
    of(name) {
      if (name === "id" && request.headers.has("idempotency-key")) return "Idempotency-Key";
      // Before the body: a message that is sent as the whole body leaves no room for a field of the request.
      if (query !== undefined && Object.hasOwn(query.shape, name)) return `?.${name}`;
      if (fields.has(name)) return `$.${name}`;
      return path.includes(`{${name}}`) ? `{${name}}` : null;
    },
    command(name) {
      const operation = Object.hasOwn(operationsOfCommands, name) ? operationsOfCommands[name] : undefined;
      const route = operations.find((each) => each.name === operation);
      return route === undefined ? null : `\`${route.method.toUpperCase()} ${route.path}\``;
    },
  };
}

/** The fields that a body may have: of a union, those of all its forms. */
function fieldsOf(body: z.core.$ZodType | undefined): ReadonlySet<string> {
  if (body instanceof z.ZodUnion) return new Set(body.options.flatMap((each) => [...fieldsOf(each)]));
  return new Set(body instanceof z.ZodObject ? Object.keys(body.shape) : []);
}
