/**
 * What other doors serve at the hub: MCP, the hooks of agent programs, and A2A. The hub proves who asks and bounds what
 * comes; the doors are passed in as values.
 */

import type { Clock } from "../../../base/clock.ts";
import type { JsonObject } from "../../../base/json.ts";
import { hookBytesMax } from "../../../base/limits.ts";
import { makeProblem, type Problem } from "../../../base/problem.ts";
import { ok, type Result } from "../../../base/result.ts";
import type { HubTeam, Team } from "../../../perform/team.ts";
import { type ProblemDocument, refusal, safeHeaders } from "./answers.ts";
import { readJsonBytes } from "./http-limits.ts";
import { type Arrived, authenticate, guestBar, inNamesOf, noEntry, teamFor, type Warn } from "./reception.ts";

/** Answers `/mcp` as the agent whose token was shown, on its team; the body is bounded already. */
export type McpMount = (request: Request, team: Team) => Promise<Response>;

/** What an agent program's hook asks by a request. */
export interface HookCall {
  readonly program: string;
  readonly event: string;
  /** What the program says of the event. */
  readonly input: Uint8Array;
  /** Who the agent is said to be in addition to its token; null: nobody said. */
  readonly named: string | null;
  /** The program that asks, as `X-Baton-Process` says it: its number, then what Linux says of it; null: it is not said. */
  readonly process: string | null;
}

/** Answers `/hooks/PROGRAM/EVENT` with the JSON that the program reads; null: there is no such event. */
export type HooksMount = (call: HookCall, team: HubTeam) => Promise<JsonObject | null>;

/** A request to a team's interfaces of A2A, from an agent that its token proved. */
export interface A2aCall {
  readonly request: Request;
  /** Null: the request has none. */
  readonly body: Uint8Array | null;
  /** The path behind the team's base URL, such as `/message:send`. */
  readonly path: string;
  /** The URL of the team's interfaces, made of the hub's known address. */
  readonly base: string;
  readonly version: string;
  readonly team: HubTeam;
  readonly clock: Clock;
  readonly heartbeatMs: number;
  /** How long a caller that waits is answered at the latest. */
  readonly waitMs: number;
  /** Aborts when the caller goes, or the hub ends. */
  readonly signal: AbortSignal;
  /** Takes a place among the caller's streams or waits; null: it has too many. */
  takeSeat(of: "streams" | "waits"): (() => void) | null;
}

/** The A2A door: the public card of a team, calls of agents, and refusals in the forms of A2A. */
export interface A2aMount {
  card(place: Pick<A2aCall, "base" | "version"> & { readonly team: string }, request: Request): Response;
  call(call: A2aCall): Promise<Response>;
  refuse(
    path: string,
    request: Request,
    problems: readonly Problem[],
    headers: Readonly<Record<string, string>>,
  ): Response;
}

/** The doors that are mounted; an absent one is not served. */
export interface Mounts {
  readonly mcp?: McpMount;
  readonly hooks?: HooksMount;
  /** Loaded with the first request. */
  readonly a2a?: () => Promise<A2aMount>;
}

interface MountedRoute {
  readonly methods: readonly string[];
  readonly path: string;
  /** `origin`: the address by which the request's socket is reached. */
  answer(arrived: Arrived, origin: string): Promise<Response>;
}

const everyMethod = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];

/** The routes of the doors that are mounted. */
export function mountedRoutes({ mcp, hooks, a2a }: Mounts, warn: Warn): readonly MountedRoute[] {
  const routes: MountedRoute[] = [];
  if (hooks !== undefined) {
    routes.push({
      methods: ["POST"],
      path: "/hooks/:program/:event",
      answer: async (arrived) => inNamesOf({ path: "/hooks" }, arrived.request, await answerHook(arrived, hooks, warn)),
    });
  }
  if (mcp !== undefined) {
    routes.push({
      methods: everyMethod,
      path: "/mcp",
      answer: async (arrived) => inNamesOf({ path: "/mcp" }, arrived.request, await answerMcp(arrived, mcp, warn)),
    });
  }
  if (a2a !== undefined) {
    const card = async (arrived: Arrived, origin: string) => answerCard(arrived, origin, await a2a());
    const methods = ["GET", "HEAD"];
    routes.push(
      { methods, path: "/.well-known/agent-card.json", answer: card },
      { methods, path: "/a2a/:team/.well-known/agent-card.json", answer: card },
      {
        methods: everyMethod,
        path: "/a2a/:team/*",
        answer: async (arrived, origin) => answerA2a(arrived, origin, await a2a(), warn),
      },
    );
  }
  return routes;
}

/** MCP is for agents: a token says which, and of which team. */
async function answerMcp(arrived: Arrived, mcp: McpMount, warn: Warn): Promise<Response> {
  const { request } = arrived;
  const team = await teamOfAgent(arrived, warn);
  if (team instanceof Response) return team;
  if (request.method !== "POST") return mcp(request, team);
  const body = await readJsonBytes(request);
  if (!body.ok) return refusal([body.error]);
  const { method, headers, signal, url } = request;
  return mcp(new Request(url, { method, headers, signal, body: new Uint8Array(body.value) }), team);
}

/** Hooks are asked by agents' programs: as for MCP, a token says which agent. */
async function answerHook(arrived: Arrived, hooks: HooksMount, warn: Warn): Promise<Response> {
  const { request, params } = arrived;
  const team = await teamOfAgent(arrived, warn);
  if (team instanceof Response) return team;
  const body = await readJsonBytes(request, hookBytesMax);
  if (!body.ok) return refusal([body.error]);
  const { program = "", event = "" } = params;
  const named = request.headers.get("x-baton-agent") || null;
  const process = request.headers.get("x-baton-process");
  const answer = await hooks({ program, event, input: body.value, named, process }, team);
  if (answer === null) return nothingHere(new URL(request.url).pathname);
  return new Response(JSON.stringify(answer), { headers: { ...safeHeaders, "content-type": "application/json" } });
}

/** The team of the token that was shown, as its agent; or the answer to who shows none. */
async function teamOfAgent(arrived: Arrived, warn: Warn, wanted?: string): Promise<HubTeam | Response> {
  const { services, address } = arrived;
  const known = await authenticate(arrived, warn);
  if (known instanceof Response) return known;
  const { caller } = known;
  const isAgent = caller !== null && caller.readsUntilMs === undefined;
  if (!isAgent || caller.team === null) return noEntry(services, address, null, warn);
  const team = await teamFor(services, caller, wanted ?? caller.team);
  if (!team.ok) return refusal([team.error]);
  const barred = wanted === undefined ? await guestBar(services, team.value) : null;
  return barred === null ? team.value : refusal([barred]);
}

/** The public card of the team in the path, else of the hub's own. */
async function answerCard({ services, request, params }: Arrived, origin: string, a2a: A2aMount): Promise<Response> {
  const { hub, version } = services;
  const teams = await hub.teams();
  if (!teams.ok) return refusal([teams.error]);
  const team = params.team ?? hub.home;
  const known = teams.value.find((each) => each === team);
  if (known === undefined) return nothingHere(new URL(request.url).pathname);
  return a2a.card({ team: known, base: `${origin}/a2a/${known}`, version }, request);
}

/** A2A is for agents: a token says which. What is refused before its method is known is said in the forms of A2A, too. */
async function answerA2a(arrived: Arrived, origin: string, a2a: A2aMount, warn: Warn): Promise<Response> {
  const { services, request, params } = arrived;
  const { team: name = "" } = params;
  const path = new URL(request.url).pathname.slice(`/a2a/${encodeURIComponent(name)}`.length);
  const team = await teamOfAgent(arrived, warn, name);
  if (team instanceof Response) return inFormOfA2a(a2a, path, request, team);
  const body = await bodyOf(request);
  if (!body.ok) return a2a.refuse(path, request, [body.error], {});
  return a2a.call({
    request,
    body: body.value,
    path,
    base: `${origin}/a2a/${team.name}`,
    version: services.version,
    team,
    clock: services.clock,
    heartbeatMs: services.limits.heartbeatMs,
    waitMs: longestWaitMs,
    signal: AbortSignal.any([request.signal, services.stopping]),
    takeSeat: (of) => services[of].take(`${team.name}/${team.actor.agent}`),
  });
}

/** A send waits for hours of work otherwise; its caller asks again, or subscribes. */
const longestWaitMs = 300_000;

/** The refusal of a caller that is not known, with the status and the challenge of HTTP. */
async function inFormOfA2a(a2a: A2aMount, path: string, request: Request, refused: Response): Promise<Response> {
  // It was written by the hub a moment ago.
  const { problems } = (await refused.json()) as ProblemDocument;
  const kept = ["www-authenticate", "retry-after"].flatMap((name) => {
    const value = refused.headers.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  return a2a.refuse(path, request, problems, Object.fromEntries(kept));
}

/** The bytes of a body, which is JSON or A2A's own media type. */
async function bodyOf(request: Request): Promise<Result<Uint8Array | null, Problem>> {
  if (request.method !== "POST") return ok(null);
  const isEmpty =
    (request.headers.get("content-length") ?? "0") === "0" && request.headers.get("transfer-encoding") === null;
  if (isEmpty) return ok(null);
  const type = request.headers.get("content-type") ?? "";
  if (!/^application\/a2a\+json\s*(;|$)/i.test(type)) return readJsonBytes(request);
  const headers = new Headers(request.headers);
  headers.set("content-type", "application/json");
  return readJsonBytes(new Request(request, { headers }));
}

export function nothingHere(path: string): Response {
  const hint = "GET /openapi.json lists what there is.";
  return refusal([makeProblem("not-found", path.slice(0, 200), "There is nothing here.", { hint })]);
}

/* The page's files, passed in by the code that composes the hub, with the headers that keep a page harmless. */
