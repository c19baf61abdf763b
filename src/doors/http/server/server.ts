/**
 * The hub's app on a socket of this machine: loopback only, with the limits that a slow or greedy client runs into.
 */
import { createServer, type Server } from "node:http";
import type { Socket } from "node:net";
import { getRequestListener, RequestError } from "@hono/node-server";
import { systemClock } from "../../../base/clock.ts";
import { type Problem, problem } from "../../../base/problem.ts";
import { err, ok, type Result } from "../../../base/result.ts";
import { internalError, noAddress, refusal } from "./answers.ts";
import type { HubApp, Wire } from "./app.ts";
import { type HubLimits, hubLimits } from "./http-limits.ts";

/** A server that listens. */
export interface Listening {
  readonly port: number;
  /** Takes no more connections, lets requests end for `graceMs`, then cuts what is left. */
  close(graceMs: number): Promise<void>;
}

export interface ListenOptions {
  readonly port: number;
  /** A loopback address; 127.0.0.1 when absent. */
  readonly host?: string;
  readonly limits?: HubLimits;
}

const loopback = new Set(["127.0.0.1", "::1", "localhost"]);
/** How often connections are looked at for time-outs. */
const lookMs = 500;

/** Listens; port 0 takes a free one. Refuses `port-taken`, and `wrong-usage` for an address that others can reach. */
export function listen(app: Pick<HubApp, "fetch">, options: ListenOptions): Promise<Result<Listening, Problem>> {
  const { port, host = "127.0.0.1", limits = hubLimits } = options;
  if (!loopback.has(host)) {
    const hint = "The hub speaks to this machine only. Use your own tunnel for others.";
    const expected = [...loopback].join(" | ");
    return Promise.resolve(err(problem("wrong-usage", host, "This is not a loopback address.", { expected, hint })));
  }
  const answer = listenerOf(app);
  const server = createServer(
    {
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      keepAliveTimeout: limits.idleMs,
      connectionsCheckingInterval: Math.min(lookMs, limits.headersMs),
      // A request without a host is refused like one with a foreign host, in words.
      requireHostHeader: false,
      // Answers are small and somebody waits for them.
      noDelay: true,
    },
    (incoming, outgoing) => void answer(incoming, outgoing),
  );
  const traffic = watchTraffic(server);
  server.maxConnections = limits.connectionsMax;
  return new Promise((resolve) => {
    server.once("error", (error: NodeJS.ErrnoException) => resolve(err(cannotListen(error, port))));
    server.listen({ port, host, exclusive: true }, () => {
      const address = server.address();
      const taken = typeof address === "object" && address !== null ? address.port : port;
      resolve(ok({ port: taken, close: (graceMs) => close(server, traffic, graceMs) }));
    });
  });
}

function listenerOf(app: Pick<HubApp, "fetch">): ReturnType<typeof getRequestListener> {
  const answer: Parameters<typeof getRequestListener>[0] = (request, { incoming, outgoing }) => {
    const wire: Wire = { incoming, outgoing };
    return app.fetch(request, wire);
  };
  return getRequestListener(answer, {
    // What cannot be made into a request never comes to the app, so it is refused here.
    errorHandler: (fault) => (fault instanceof RequestError ? refusal([noAddress], { status: 400 }) : internalError()),
  });
}

/** The connections of a server, and those among them that wait for an answer. */
interface Traffic {
  readonly connections: Set<Socket>;
  readonly busy: Map<Socket, number>;
}

function watchTraffic(server: Server): Traffic {
  const traffic: Traffic = { connections: new Set(), busy: new Map() };
  server.on("connection", (socket) => {
    traffic.connections.add(socket);
    socket.once("close", () => traffic.connections.delete(socket));
  });
  server.on("request", ({ socket }, response) => {
    traffic.busy.set(socket, (traffic.busy.get(socket) ?? 0) + 1);
    response.once("close", () => {
      const left = (traffic.busy.get(socket) ?? 1) - 1;
      if (left > 0) traffic.busy.set(socket, left);
      else traffic.busy.delete(socket);
    });
  });
  return traffic;
}

/** Connections on which nobody waits for an answer are ended at once, the others when theirs is given. */
async function close(server: Server, { connections, busy }: Traffic, graceMs: number): Promise<void> {
  let isClosed = false;
  const closed = new Promise<void>((resolve) => {
    server.close(() => {
      isClosed = true;
      resolve();
    });
  });
  const endsAt = systemClock.monotonic() + graceMs;
  while (!isClosed && systemClock.monotonic() < endsAt) {
    for (const socket of connections) if (!busy.has(socket)) socket.destroy();
    const over = new AbortController();
    await Promise.race([closed, systemClock.wait(idleLookMs, over.signal)]);
    over.abort();
  }
  server.closeAllConnections();
  await closed;
}

/** How often a closing server looks for connections that have become idle. */
const idleLookMs = 20;

function cannotListen(error: NodeJS.ErrnoException, port: number): Problem {
  if (error.code === "EADDRINUSE") {
    return problem("port-taken", `port ${port}`, `Another program listens on port ${port} of this machine.`, {
      hint: "Perhaps a hub runs already. Stop it, or choose another port; --port 0 takes a free one.",
    });
  }
  return problem(
    "port-taken",
    `port ${port}`,
    `The hub cannot listen on port ${port} (${error.code ?? error.message}).`,
    {
      hint: "Choose another port; --port 0 takes a free one.",
    },
  );
}
