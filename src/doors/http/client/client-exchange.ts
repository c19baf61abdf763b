/**
 * One request and what came of it. An answer is read within bounds of size and time, from every server; redirects are
 * not followed, because the token would travel with them.
 */
import { argument, asRecorded } from "../../../base/argument.ts";
import type { Clock } from "../../../base/clock.ts";
import { makeProblem, type Problem } from "../../../base/problem.ts";
import { err, ok, type Result } from "../../../base/result.ts";
import { answerTooLarge, notAHub } from "./client-problems.ts";

/** What one request asks. */
export interface Question {
  readonly method: "GET" | "POST";
  /** The path, a string for each segment; they are encoded. */
  readonly path: readonly string[];
  readonly query?: Query;
  /** JSON text, or bytes that are passed on as they are. */
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** How long and how much. */
export interface Bounds {
  /** Until the answer begins, and until it is whole where it is read whole; in milliseconds. */
  readonly timeMs: number;
  readonly bytesMax: number;
  readonly signal: AbortSignal | null;
}

/** Who asks, and by which clock. */
export interface Wire {
  readonly hub: HubUrl;
  readonly token: string;
  /** The program that asks, where it stays and speaks for its agent; absent: it comes and goes. */
  readonly program?: string;
  /** How long one try waits for its answer, in milliseconds; absent: as long as is bearable. */
  readonly answerMsMax?: number;
  readonly clock: Clock;
}

/** `lost`: nothing, or only a part, came back; what was asked may have been done, unless it was `unsent`. */
export type Exchanged<Value> =
  | { readonly outcome: "answered"; readonly value: Value }
  | { readonly outcome: "lost"; readonly why: string; readonly isUnsent: boolean }
  | { readonly outcome: "strange"; readonly problem: Problem };

export interface WholeAnswer {
  readonly status: number;
  readonly type: string;
  readonly bytes: Uint8Array;
}

/**
 * Asks and reads the whole answer, by Node's HTTP: `fetch` alone would take longer than the rest of a short command
 *.
 */
export function exchange(wire: Wire, question: Question, bounds: Bounds): Promise<Exchanged<WholeAnswer>> {
  return timed(wire, bounds, (signal) => requestWhole(wire, question, { ...bounds, signal }));
}

/** Asks and hands over the answer once it begins. The reader bounds it; `bounds.signal` still ends it. */
export function beginExchange(
  wire: Wire,
  question: Question,
  bounds: Omit<Bounds, "bytesMax">,
): Promise<Exchanged<Response>> {
  return timed(wire, bounds, (signal) => request(wire, question, signal));
}

/** Reads an answer to its end, or to the bound. */
export async function readWhole(wire: Wire, response: Response, bytesMax: number): Promise<Exchanged<WholeAnswer>> {
  const parts: Uint8Array[] = [];
  const { status, body } = response;
  const reader = body?.getReader();
  for (let length = 0; reader !== undefined; ) {
    const part = await readPart(reader);
    if (part === "ended") break;
    if (part === "broken") return { outcome: "lost", why: broken, isUnsent: false };
    length += part.byteLength;
    parts.push(part);
    if (length <= bytesMax) continue;
    await reader.cancel();
    return { outcome: "strange", problem: answerTooLarge(wire.hub.shown, bytesMax) };
  }
  return { outcome: "answered", value: { status, type: typeOf(response), bytes: Buffer.concat(parts) } };
}

/** The media type of an answer without its parameters. */
export function typeOf(response: Response): string {
  return mediaTypeOf(response.headers.get("content-type") ?? "");
}

function mediaTypeOf(contentType: string): string {
  return contentType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
}

const broken = "the connection broke";

async function requestWhole(wire: Wire, question: Question, bounds: Bounds): Promise<Exchanged<WholeAnswer>> {
  const { method, path, query, body } = question;
  const { shown } = wire.hub;
  const url = wire.hub.at(path, query);
  const headers = headersOf(wire, question);
  const { httpAnswer } = await import("./client-http.ts");
  const came = await httpAnswer(url, { method, headers, body }, bounds);
  if (came === "too-large") return { outcome: "strange", problem: answerTooLarge(shown, bounds.bytesMax) };
  if (came instanceof Error) return problemOf(shown, bounds.signal?.aborted === true ? "" : codeOf(came));
  const { status, contentType, bytes } = came;
  if (isRedirect(status)) return { outcome: "strange", problem: redirects(shown, status) };
  return { outcome: "answered", value: { status, type: mediaTypeOf(contentType), bytes } };
}

async function request(wire: Wire, question: Question, signal: AbortSignal): Promise<Exchanged<Response>> {
  const { method, path, query, body } = question;
  const { shown } = wire.hub;
  const headers = headersOf(wire, question);
  let response: Response;
  try {
    response = await fetch(wire.hub.at(path, query), {
      method,
      redirect: "manual",
      signal,
      headers,
      ...(body === undefined ? {} : { body }),
    });
  } catch (cause) {
    return problemOf(shown, codeOf(cause));
  }
  if (!isRedirect(response.status)) return { outcome: "answered", value: response };
  await response.body?.cancel();
  return { outcome: "strange", problem: redirects(shown, response.status) };
}

function headersOf({ token, program }: Wire, { body, headers }: Question): Readonly<Record<string, string>> {
  return {
    authorization: `Bearer ${token}`,
    ...(program === undefined ? {} : { "baton-program": program }),
    accept: "application/json, application/problem+json",
    [asRecorded.header]: asRecorded.value,
    ...(body === undefined ? {} : { "content-type": "application/json" }),
    ...headers,
  };
}

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400;
}

function redirects(hub: string, status: number): Problem {
  return notAHub(hub, `it redirects (${status}), and a token is not carried elsewhere`);
}

/** Runs `act` with a signal that aborts when the time is over or the caller stops. */
async function timed<Value>(
  { clock }: Wire,
  { timeMs, signal }: Omit<Bounds, "bytesMax">,
  act: (signal: AbortSignal) => Promise<Exchanged<Value>>,
): Promise<Exchanged<Value>> {
  const late = new AbortController();
  const done = new AbortController();
  const watch = clock.wait(timeMs, done.signal).then(() => {
    if (!done.signal.aborted) late.abort();
  });
  try {
    const came = await act(signal === null ? late.signal : AbortSignal.any([late.signal, signal]));
    const isLate = came.outcome === "lost" && late.signal.aborted;
    return isLate ? { ...came, why: `nothing came within ${timeMs / 1000} s` } : came;
  } finally {
    done.abort();
    await watch;
  }
}

/** Errors of a connection that was never made: nothing of the question left this machine. */
const unsent: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nobody listens there",
  ENOTFOUND: "there is no such host",
  EAI_AGAIN: "the name of the host could not be looked up",
  EHOSTUNREACH: "there is no way to that host",
  ENETUNREACH: "there is no way to that host",
};

/** What is thrown is the network's doing; its code says what. */
function problemOf(hub: string, code: string): Exchanged<never> {
  if (code === notHttp) return { outcome: "strange", problem: notAHub(hub, "it does not speak HTTP") };
  const never = unsent[code];
  if (never !== undefined) return { outcome: "lost", why: never, isUnsent: true };
  const isBroken = code === "" || code === "ECONNRESET" || code === "EPIPE" || code === "UND_ERR_SOCKET";
  return { outcome: "lost", why: isBroken ? broken : `the connection failed (${code})`, isUnsent: false };
}

const notHttp = "NOT_HTTP";

/** The first code along the causes of an error; "" where there is none. Codes are words of the system, never of a peer. */
function codeOf(thrown: unknown): string {
  for (let cause = thrown; cause instanceof Error; cause = cause.cause) {
    // Several addresses were tried: the first stands for all.
    if (cause instanceof AggregateError && cause.errors.length > 0) return codeOf(cause.errors[0]);
    // Node's parser of HTTP names its errors, but leaves some without a code.
    if (cause.name === "HTTPParserError") return notHttp;
    if ("code" in cause && typeof cause.code === "string") return cause.code.startsWith("HPE_") ? notHttp : cause.code;
  }
  return "";
}

/* The address of a hub: which URLs are taken, and the requests' URLs made from one. */

/** The values of a query; undefined ones are left out, lists are repeated. */
export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** Where requests go. */
interface HubUrl {
  /** For people and problems: scheme, host, port and path, nothing secret. */
  readonly shown: string;
  /** Whether what is sent can be read on the way: no TLS, and not this machine. */
  readonly isOpenOnTheWay: boolean;
  /** The URL of a path of the hub; `segments` are encoded. */
  at(segments: readonly string[], query?: Query): URL;
}

/**
 * Reads the URL of a hub. Refuses with `wrong-usage` what is none: another scheme, or a user, a query or a fragment,
 * none of which belongs there; what is in them is never shown, because it may be a secret.
 */
export function readHubUrl(written: string): Result<HubUrl, Problem> {
  const base = URL.canParse(written) ? new URL(written) : null;
  if (base === null || (base.protocol !== "http:" && base.protocol !== "https:")) {
    return err(
      makeProblem("wrong-usage", argument("hub"), "This is not the URL of a hub.", {
        expected: "http://HOST:PORT or https://HOST:PORT",
        // A string that is no URL may be anything, even a token in the wrong option.
        received: /^[a-z][a-z0-9+.-]*:\/\//i.test(written) ? (base?.protocol ?? "another text") : "another text",
        hint: "write http://127.0.0.1:4777, as `baton up` printed it",
      }),
    );
  }
  if (base.username !== "" || base.password !== "" || base.search !== "" || base.hash !== "") {
    return err(
      makeProblem("wrong-usage", argument("hub"), "The URL of a hub has no user, no query and no fragment.", {
        expected: base.origin,
        hint: "Give the token by BATON_TOKEN; the part after # is for the browser only.",
      }),
    );
  }
  const prefix = withoutSlashes(base.pathname);
  return ok({
    shown: `${base.origin}${prefix}`,
    isOpenOnTheWay: base.protocol === "http:" && !isLoopback(base.hostname),
    at: (segments, query = {}) => {
      const url = new URL(base.origin);
      url.pathname = `${prefix}/${segments.map(encodeURIComponent).join("/")}`;
      for (const [name, value] of Object.entries(query)) {
        if (value === undefined) continue;
        for (const each of Array.isArray(value) ? value : [value]) url.searchParams.append(name, String(each));
      }
      return url;
    },
  });
}

function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

/** A path without the slashes at its end. */
function withoutSlashes(path: string): string {
  let end = path.length;
  while (end > 0 && path[end - 1] === "/") end -= 1;
  return path.slice(0, end);
}

/* Reading an answer's body part by part, with the network's errors as values. */

/** The next part; `ended`: there is no more; `broken`: there should have been. */
export async function readPart(
  reader: ReadableStreamDefaultReader<Uint8Array>,
): Promise<Uint8Array | "ended" | "broken"> {
  try {
    const part = await reader.read();
    return part.done ? "ended" : part.value;
  } catch {
    // A reader throws only if the connection failed or was closed, and the caller learns that.
    return "broken";
  }
}
