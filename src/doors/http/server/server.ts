/**
 * The hub's app on a socket: for this machine alone where nothing else is said, with the limits that a slow or greedy
 * client runs into.
 */
import { createServer, type IncomingMessage, type Server, type ServerOptions } from "node:http";
import { createServer as createTlsServer, type Server as TlsServer } from "node:https";
import type { Socket } from "node:net";
import type { getRequestListener } from "@hono/node-server";
import { argument, sessionHeader } from "../../../base/argument.ts";
import { nextTurn, systemClock } from "../../../base/clock.ts";
import { makeProblem, type Problem } from "../../../base/problem.ts";
import { err, ok, type Result } from "../../../base/result.ts";
import { internalError, noAddress, refusal } from "./answers.ts";
import type { HubApp, Wire } from "./app.ts";
import { type HubLimits, hubLimits } from "./http-limits.ts";

/** A server that listens. */
export interface Listening {
  readonly port: number;
  /** New connections get another certificate. A problem: it cannot be used, and the one before stays. */
  renew(tls: TlsTexts): Problem | null;
  /** Takes no more connections, lets requests end for `graceMs`, then cuts what is left. */
  close(graceMs: number): Promise<void>;
}

export interface ListenOptions {
  readonly port: number;
  /** 127.0.0.1 when absent; else a loopback address, or with `forOthers` any. */
  readonly host?: string;
  /** Other machines are to reach it too. */
  readonly forOthers?: boolean;
  /** Absent: plain HTTP. */
  readonly tls?: TlsTexts;
  readonly limits?: HubLimits;
}

/** A certificate with what it is signed by, and its private key, as PEM. */
export interface TlsTexts {
  readonly cert: string;
  readonly key: string;
}

const loopback = new Set(["127.0.0.1", "::1", "localhost"]);
/** How often connections are looked at for time-outs. */
const lookMs = 500;

/**
 * Listens; port 0 takes a free one. Refuses `port-taken`, and `wrong-usage` for an address that others can reach (without
 * `forOthers`) and for a certificate or key that cannot be used.
 */
export function listen(app: Pick<HubApp, "fetch">, options: ListenOptions): Promise<Result<Listening, Problem>> {
  const { port, host = "127.0.0.1", limits = hubLimits, forOthers = false, tls } = options;
  if (!forOthers && !loopback.has(host)) {
    const hint = "Say `forOthers` where other machines are to reach the hub, and give it TLS or a proxy that has it.";
    const expected = [...loopback].join(" | ");
    return Promise.resolve(
      err(makeProblem("wrong-usage", host, "This is not a loopback address.", { expected, hint })),
    );
  }
  const load = loaderFor(app);
  const settings: ServerOptions = {
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.idleMs,
    connectionsCheckingInterval: Math.min(lookMs, limits.headersMs),
    // A request without a host is refused like one with a foreign host, in words.
    requireHostHeader: false,
    // Answers are small and somebody waits for them.
    noDelay: true,
  };
  const server = serverOf(settings, tls);
  if (server instanceof Error) return Promise.resolve(err(unusableCertificate(server)));
  const answer: Listener = async (incoming, outgoing) => {
    const loaded = await load();
    // Who went away meanwhile would never be seen to go.
    if (!outgoing.destroyed) await loaded(incoming, outgoing);
  };
  server.on("request", (incoming, outgoing) => void answer(incoming, outgoing));
  const traffic = watchTraffic(server, tls === undefined ? "connection" : "secureConnection");
  makeRoom(server, limits.connectionsMax);
  return new Promise((resolve) => {
    server.once("error", (error: NodeJS.ErrnoException) => resolve(err(cannotListen(error, port))));
    server.listen({ port, host, exclusive: true }, () => {
      const address = server.address();
      const taken = typeof address === "object" && address !== null ? address.port : port;
      resolve(
        ok({
          port: taken,
          renew: (texts) => renew(server, texts),
          close: (graceMs) => close(server, traffic, graceMs),
        }),
      );
      // Node's own fetch comes with it, a sixth of a hub's start: first the caller may say that the hub listens.
      void nextTurn().then(nextTurn).then(load);
    });
  });
}

/** The server, or why its certificate cannot be used. */
function serverOf(settings: ServerOptions, tls: TlsTexts | undefined): Server | TlsServer | Error {
  if (tls === undefined) return createServer(settings);
  try {
    return createTlsServer({ ...settings, ...tls, minVersion: "TLSv1.2", handshakeTimeout: settings.headersTimeout });
  } catch (cause) {
    return cause instanceof Error ? cause : new Error(String(cause));
  }
}

function renew(server: Server | TlsServer, texts: TlsTexts): Problem | null {
  if (!("setSecureContext" in server)) return null;
  try {
    server.setSecureContext({ ...texts, minVersion: "TLSv1.2" });
    return null;
  } catch (cause) {
    return unusableCertificate(cause instanceof Error ? cause : new Error(String(cause)));
  }
}

function unusableCertificate({ message }: Error): Problem {
  return makeProblem("wrong-usage", argument("tlsCert"), `The certificate and the key cannot be used: ${message}`, {
    expected: "a certificate chain and its private key without a passphrase, both PEM",
    hint: "Check that both files belong to one certificate.",
  });
}

/** Makes the requests of a socket those of the app. */
type Listener = ReturnType<typeof getRequestListener>;

/** Loads the listener, once. */
function loaderFor(app: Pick<HubApp, "fetch">): () => Promise<Listener> {
  let loading: Promise<Listener> | null = null;
  return () => {
    loading ??= loadListener(app);
    return loading;
  };
}

async function loadListener(app: Pick<HubApp, "fetch">): Promise<Listener> {
  const adapter = await import("@hono/node-server");
  const answer: Parameters<typeof getRequestListener>[0] = (request, { incoming, outgoing }) => {
    const wire: Wire = { incoming, outgoing };
    return app.fetch(request, wire);
  };
  return adapter.getRequestListener(answer, {
    // What cannot be made into a request never comes to the app, so it is refused here.
    errorHandler: (problem) =>
      problem instanceof adapter.RequestError ? refusal([noAddress], { status: 400 }) : internalError(),
  });
}

/** The connections of a server, and those among them that wait for an answer. */
interface Traffic {
  /** Every connection, also one that has not said a word of TLS yet. */
  readonly accepted: Set<Socket>;
  /** As requests come by them. */
  readonly connections: Set<Socket>;
  readonly busy: Map<Socket, number>;
}

function watchTraffic(server: Server | TlsServer, connected: "connection" | "secureConnection"): Traffic {
  const traffic: Traffic = { accepted: new Set(), connections: new Set(), busy: new Map() };
  const keep = (event: typeof connected, sockets: Set<Socket>) =>
    server.on(event, (socket: Socket) => {
      sockets.add(socket);
      socket.once("close", () => sockets.delete(socket));
    });
  keep("connection", traffic.accepted);
  keep(connected, traffic.connections);
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

interface Peer {
  readonly socket: Socket;
  /** Those of its requests that wait for an answer. */
  readonly requests: Set<IncomingMessage>;
  hasAsked: boolean;
}

/**
 * Where more than `max` connections are open, one ends: of those on which least is lost the one that was used the longest
 * time ago. So who opens many and shows no credential keeps nobody out.
 */
function makeRoom(server: Server | TlsServer, max: number): void {
  /** By their address and port, which a socket has with TLS and without; the one that was used last at the end. */
  const peers = new Map<string, Peer>();
  const keyOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`;
  server.on("connection", (socket: Socket) => {
    const key = keyOf(socket);
    const known = peers.size < max ? null : [...peers.values()];
    peers.set(key, { socket, requests: new Set(), hasAsked: false });
    socket.once("close", () => peers.delete(key));
    if (known === null) return;
    // Of the new one nobody knows yet what it asks; it makes room only where all others wait for an answer.
    const least = Math.min(...known.map(lossOf));
    const ended = least === answerLoss ? undefined : known.find((each) => lossOf(each) === least);
    (ended?.socket ?? socket).destroy();
  });
  server.on("request", (incoming, response) => {
    const key = keyOf(incoming.socket);
    const peer = peers.get(key);
    if (peer === undefined) return;
    peer.hasAsked = true;
    peer.requests.add(incoming);
    response.once("close", () => {
      peer.requests.delete(incoming);
      if (peers.delete(key)) peers.set(key, peer);
    });
  });
}

/** What is lost with it: nothing, a connection for later, a request that proves nobody or is not whole, or an answer. */
function lossOf({ requests, hasAsked }: Peer): number {
  if (requests.size === 0) return hasAsked ? 1 : 0;
  const isEarnest = ({ complete, headers }: IncomingMessage) =>
    complete && (headers.authorization ?? headers[sessionHeader]) !== undefined;
  return [...requests].some(isEarnest) ? answerLoss : 2;
}

const answerLoss = 3;

/** Connections on which nobody waits for an answer are ended at once, the others when theirs is given. */
async function close(
  server: Server | TlsServer,
  { accepted, connections, busy }: Traffic,
  graceMs: number,
): Promise<void> {
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
    if (busy.size === 0) cut(accepted);
    const over = new AbortController();
    await Promise.race([closed, systemClock.wait(idleLookMs, over.signal)]);
    over.abort();
  }
  server.closeAllConnections();
  // The server counts a connection without TLS yet, and does not close it.
  cut(accepted);
  await closed;
}

function cut(sockets: Iterable<Socket>): void {
  for (const socket of sockets) socket.destroy();
}

/** How often a closing server looks for connections that have become idle. */
const idleLookMs = 20;

function cannotListen(error: NodeJS.ErrnoException, port: number): Problem {
  if (error.code === "EADDRINUSE") {
    return makeProblem("port-taken", `port ${port}`, `Another program listens on port ${port} of this machine.`, {
      hint: "Perhaps a hub runs already. Stop it, or choose another port; --port 0 takes a free one.",
    });
  }
  const isNoAddress = error.code === "EADDRNOTAVAIL" || error.code === "ENOTFOUND";
  const hint = isNoAddress
    ? "This machine has no such address. Listen on one that it has, or on 0.0.0.0 for all of them."
    : "Choose another port; --port 0 takes a free one.";
  const what = `The hub cannot listen on port ${port} (${error.code ?? error.message}).`;
  return makeProblem("port-taken", `port ${port}`, what, { hint });
}
