/**
 * The hub as a fetch handler on hono: guard, then authentication, then validation, then the operation. What it needs of
 * the outside (an open hub, a log, the MCP app, the page's files) it is given as values.
 */
import { type Context, Hono } from "hono";
import { type Clock, systemClock } from "../../../base/clock.ts";
import { newMessageId } from "../../../base/new-ids.ts";
import { makeProblem } from "../../../base/problem.ts";
import type { Hub } from "../../../perform/hub.ts";
import { type LongWork, longWorkHere } from "../../../perform/long-work.ts";
import { updatedMeanwhile } from "../../../perform/workspace/package-root.ts";
import { openApiDocument } from "../operations/openapi.ts";
import type { HubRepository, HubServices } from "../operations/operation.ts";
import { operations } from "../operations/operations.ts";
import { internalError, refusal, safeHeaders } from "./answers.ts";
import { compressedAnswer } from "./compression.ts";
import { newConcurrencyLimit, newFeeds } from "./feed.ts";
import { guardFor, loopbackReach, newAuthFailures, type Provenance, type Reach } from "./guard.ts";
import { type HubLimits, hubLimits } from "./http-limits.ts";
import { fewLines, type HubLog, newMetrics, newReadiness, newRoundWatchers, silentLog } from "./monitoring.ts";
import { type Mounts, mountedRoutes, nothingHere } from "./mounts.ts";
import { type CodeStore, journalSessions, newSessions, type SessionStore } from "./owner-sessions.ts";
import { type Pages, pageAnswer } from "./pages.ts";
import { type Arrived, receive, type Warn } from "./reception.ts";

/** What a hub's app is made of. */
export interface HubAppOptions extends Mounts {
  readonly hub: Hub;
  readonly version: string;
  /** The port that this machine's programs reach the app at; asked with every request. */
  port(): number;
  readonly limits?: HubLimits;
  readonly log?: HubLog;
  readonly clock?: Clock;
  /** Where the home team's reported work is looked for; absent or null: nowhere. */
  readonly repository?: HubRepository | null;
  /** Where work on the whole journal is done; absent: here, in turns as far as it can be cut. */
  readonly longWork?: LongWork;
  readonly pages?: Pages;
  /** Absent: the owner's sessions are kept in the journal. */
  readonly sessions?: SessionStore;
  /** Absent: only the app's own codes are good. */
  readonly codes?: CodeStore;
}

/** What the server passes along with a request. Both are absent where the app runs without a socket. */
export interface Wire {
  readonly incoming?: { readonly socket: { readonly remoteAddress?: string | undefined } };
  readonly outgoing?: { destroy(): unknown };
  /** The address by which the socket is reached; set by the app. */
  readonly origin?: string;
}

/** The running app. */
export interface HubApp {
  fetch(request: Request, wire?: Wire): Response | Promise<Response>;
  /** The app as programs of other machines reach it, by a socket for them. */
  reachedAt(reach: Reach): Pick<HubApp, "fetch">;
  /** What this app calls itself at `/healthz`: by chance, so no other hub has the same. */
  readonly instance: string;
  /** A new one-time code for the owner's browser. */
  newCode(): string;
  /** One that every hub of the journal takes. */
  newSharedCode(): Promise<string>;
  /** Whether somebody waits for the end of a shutdown round and has not seen it. */
  isRoundAwaited(): boolean;
  /** Ends streams and waits; what is being recorded is finished by its own request. */
  stop(): void;
}

/** The app over an open hub. The hub stays the caller's to close, after `stop`. */
export function createHubApp(options: HubAppOptions): HubApp {
  const { hub, version, clock = systemClock, limits = hubLimits, log = silentLog } = options;
  const stopping = new AbortController();
  const services: HubServices = {
    hub,
    clock,
    limits,
    log,
    version,
    instance: newMessageId(),
    sessions: newSessions(hub.journal.clock, limits, options.sessions ?? journalSessions(hub), options.codes),
    failures: newAuthFailures(clock, limits.authFailuresPerMinuteMax),
    feeds: newFeeds(hub, clock),
    streams: newConcurrencyLimit(limits.streamsPerPrincipalMax),
    waits: newConcurrencyLimit(limits.waitsPerPrincipalMax),
    rounds: newRoundWatchers(clock),
    metrics: newMetrics(),
    readiness: newReadiness(hub, clock, log),
    longWork: options.longWork ?? longWorkHere(hub.journal),
    repository: options.repository ?? null,
    stopping: stopping.signal,
  };
  const warn = fewLines(log, clock);
  const app = routesOf(services, options, warn);
  const guarded = (judge: ReturnType<typeof guardFor>, request: Request, wire: Wire) => {
    const foreign = judge(provenanceOf(request));
    if (foreign === null) return app.fetch(request, wire);
    warn({ header: foreign.path }, "a foreign request was refused");
    services.metrics.request("refused", "any", 403);
    return refusal([foreign]);
  };
  let here: { readonly port: number; readonly judge: ReturnType<typeof guardFor> } | null = null;
  void beatUntil(services);
  return {
    fetch(request, wire = {}) {
      const port = options.port();
      if (here?.port !== port) here = { port, judge: guardFor(loopbackReach(port)) };
      return guarded(here.judge, request, { ...wire, origin: `http://127.0.0.1:${port}` });
    },
    reachedAt(reach) {
      const judge = guardFor(reach);
      return { fetch: (request, wire = {}) => guarded(judge, request, { ...wire, origin: reach.origins[0] ?? "" }) };
    },
    instance: services.instance,
    newCode: () => services.sessions.newCode(),
    newSharedCode: () => services.sessions.newSharedCode(),
    isRoundAwaited: () => services.rounds.areWaiting(),
    stop() {
      stopping.abort();
      services.feeds.close();
      services.metrics[Symbol.dispose]();
    },
  };
}

function provenanceOf({ url, headers }: Request): Provenance {
  return {
    url,
    host: headers.get("host") ?? undefined,
    origin: headers.get("origin") ?? undefined,
    fetchSite: headers.get("sec-fetch-site") ?? undefined,
  };
}

async function beatUntil(services: HubServices): Promise<void> {
  while (!services.stopping.aborted) {
    await services.clock.wait(services.limits.heartbeatMs, services.stopping);
    if (!services.stopping.aborted) await services.feeds.beat();
  }
}

/** Routes to operations, to what is mounted, and to an answer for everything else. */
function routesOf(services: HubServices, options: HubAppOptions, warn: Warn): App {
  const app: App = new Hono<{ Bindings: Wire }>();
  for (const operation of operations) {
    app.on(operation.method.toUpperCase(), honoPath(operation.path), async (context) => {
      const answered = await receive(operation, arrivedAt(services, context), warn);
      const response = await compressedAnswer(answered, context.req.raw);
      services.metrics.request(operation.path, operation.method, response.status);
      services.log.debug({ route: operation.name, status: response.status }, "answered");
      // HEAD is answered as GET without the body: a stream that nobody will read is ended, and its place is free again.
      if (context.req.raw.method === "HEAD") await response.body?.cancel();
      return response;
    });
  }
  // Made when somebody asks for it, as few do: a hub starts sooner without.
  let document: string | null = null;
  app.get("/openapi.json", () => {
    document ??= JSON.stringify(openApiDocument(services.version));
    return new Response(document, { headers: { ...safeHeaders, "content-type": "application/json; charset=utf-8" } });
  });
  const { pages } = options;
  for (const { methods, path, answer } of mountedRoutes(options, warn)) {
    app.on([...methods], path, (context) => answer(arrivedAt(services, context), context.env.origin ?? ""));
  }
  for (const path of new Set(operations.map((operation) => operation.path))) {
    app.all(honoPath(path), () => otherMethod(path));
  }
  app.notFound(async (context) => {
    const isReading = context.req.method === "GET" || context.req.method === "HEAD";
    const taken = {
      accept: context.req.header("accept") ?? "",
      encodings: context.req.header("accept-encoding") ?? "",
    };
    const page = pages === undefined || !isReading ? null : await pageAnswer(pages, context.req.path, taken);
    return page ?? nothingHere(context.req.path);
  });
  app.onError((problem) => {
    // Only a bug of ours throws.
    services.log.error({ stack: problem.stack ?? String(problem) }, "a failure of the hub");
    const again = `Begin it again where it runs: kill ${process.pid} && baton start; nothing is lost.`;
    const updated = updatedMeanwhile(problem, again);
    return updated === null ? internalError() : refusal([updated]);
  });
  return app;
}

type App = Hono<{ Bindings: Wire }>;

function honoPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ":$1");
}

function arrivedAt(services: HubServices, { req, env }: Context<{ Bindings: Wire }>): Arrived {
  return {
    services,
    request: req.raw,
    address: env.incoming?.socket.remoteAddress ?? "unknown",
    params: req.param(),
    hangUp: () => void env.outgoing?.destroy(),
  };
}

function otherMethod(path: string): Response {
  const methods = operations.filter((operation) => operation.path === path).map(({ method }) => method.toUpperCase());
  const problem = makeProblem("wrong-usage", path, "This route does not take that method.", {
    expected: methods.join(" | "),
    hint: `Ask with ${methods.join(" or ")}; GET /openapi.json lists every route with its methods.`,
  });
  return refusal([problem], { status: 405, headers: { allow: methods.join(", ") } });
}
