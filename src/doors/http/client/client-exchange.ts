/**
 * One request and what came of it. An answer is read within bounds of size and time, whoever gives it; redirects are
 * not followed, because the token would travel with them.
 */

import { asRecorded } from "../../../base/argument.ts";
import type { Clock } from "../../../base/clock.ts";
import type { Problem } from "../../../base/problem.ts";
import { readPart } from "./client-body.ts";
import { answerTooLarge, notAHub } from "./client-faults.ts";
import type { HubUrl, Query } from "./client-url.ts";

/** What one request asks. */
export interface Question {
  readonly method: "GET" | "POST";
  /** The path, a text each segment; they are encoded. */
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

/** Asks and reads the whole answer. */
export function exchange(wire: Wire, question: Question, bounds: Bounds): Promise<Exchanged<WholeAnswer>> {
  return timed(wire, bounds, async (signal) => {
    const begun = await request(wire, question, signal);
    return begun.outcome === "answered" ? readWhole(wire, begun.value, bounds.bytesMax) : begun;
  });
}

/** Asks and hands over the answer once it begins. Whoever reads it bounds it; `bounds.signal` still ends it. */
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
  return (response.headers.get("content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
}

const broken = "the connection broke";

async function request(wire: Wire, question: Question, signal: AbortSignal): Promise<Exchanged<Response>> {
  const { method, path, query, body, headers } = question;
  const { shown } = wire.hub;
  let response: Response;
  try {
    response = await fetch(wire.hub.at(path, query), {
      method,
      redirect: "manual",
      signal,
      headers: {
        authorization: `Bearer ${wire.token}`,
        ...(wire.program === undefined ? {} : { "baton-program": wire.program }),
        accept: "application/json, application/problem+json",
        [asRecorded.header]: asRecorded.value,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
    });
  } catch (cause) {
    return faultOf(shown, codeOf(cause));
  }
  const { status } = response;
  if (status < 300 || status >= 400) return { outcome: "answered", value: response };
  await response.body?.cancel();
  const problem = notAHub(shown, `it redirects (${status}), and a token is not carried elsewhere`);
  return { outcome: "strange", problem };
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

/** What `fetch` throws is the network's doing; its code says what. */
function faultOf(hub: string, code: string): Exchanged<never> {
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
    if ("code" in cause && typeof cause.code === "string") return cause.code;
  }
  return "";
}
