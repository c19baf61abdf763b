/**
 * Requests to the addresses of remote agents. Only public addresses over https are asked, unless the owner has allowed
 * others by name; the address that was judged is the one that is connected to, no redirect is followed, and time and size
 * are bounded.
 * Rules: docs/protocol/doors.md, section 17.
 */
import { lookup as systemLookup } from "node:dns";
import * as http from "node:http";
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { type Clock, systemClock } from "../../base/clock.ts";
import { makeProblem, type Problem, type ProblemCode } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";

/** An address that a name stands for. */
export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** How names are resolved; tests have their own. */
export type Resolve = (name: string) => Promise<readonly ResolvedAddress[]>;

/** What may be asked. */
export interface AddressRules {
  /** The owner has allowed this one although it is on this machine or in a private network; then http will do, too. */
  readonly isPrivateAllowed: boolean;
  readonly resolve?: Resolve;
}

const urlCharactersMax = 2_048;

/** The URL, if its form may be asked at all. Refuses `wrong-value` with the reason. */
export function readOutsideUrl(text: string, { isPrivateAllowed }: AddressRules, path = "url"): Result<URL, Problem> {
  const url = URL.canParse(text) ? new URL(text) : null;
  const refuse = (why: string) =>
    err(makeProblem("wrong-value", path, `This address is not asked: ${why}.`, { expected: "https://NAME/…" }));
  if (url === null || text.length > urlCharactersMax) return refuse("it is not a URL, or too long");
  if (url.username !== "" || url.password !== "") return refuse("it holds credentials");
  if (url.hash !== "") return refuse("it has a fragment");
  const host = hostOf(url);
  const kind = isIP(host) === 0 ? null : kindOfAddress(host);
  if (kind === "forbidden") return refuse("nobody answers for others at such an address");
  if (isPrivateAllowed)
    return url.protocol === "https:" || url.protocol === "http:" ? ok(url) : refuse("it is neither https nor http");
  if (url.protocol !== "https:") return refuse("it is not https");
  if (url.port !== "") return refuse("it names a port");
  if (kind === "private") return refuse("it is on this machine or in a private network");
  const isLocal = !host.includes(".") || localEndings.some((ending) => host.endsWith(ending));
  return kind === null && isLocal ? refuse("its name is one of this machine or network") : ok(url);
}

const localEndings = [".localhost", ".local", ".internal", ".home.arpa"];

/** The host without the brackets of IPv6, and without the dot that ends a full name. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
}

/** Ranges of this machine and of private networks, as `ipaddr.js` names them. */
const privateRanges: ReadonlySet<string> = new Set(["private", "carrierGradeNat", "loopback", "uniqueLocal"]);

/**
 * Whether an IP address is one of the world, of this machine or a private network, or none that is ever asked: among these
 * are link-local ones, where clouds keep their credentials, multicast, and IPv4 written as IPv6.
 */
export function kindOfAddress(address: string): "public" | "private" | "forbidden" {
  if (isIP(address) === 0) return "forbidden";
  const read = ipaddr.parse(address);
  const range = read.range();
  if (privateRanges.has(range)) return "private";
  // Of IPv6, 2000::/3 is given out; the rest has no owner.
  const isGivenOut = read.kind() === "ipv4" || ((read.toByteArray()[0] ?? 0) & 0xe0) === 0x20;
  return range === "unicast" && isGivenOut ? "public" : "forbidden";
}

const systemResolve: Resolve = (name) =>
  new Promise((resolve, reject) => {
    systemLookup(name, { all: true }, (problem, found) => (problem === null ? resolve(found) : reject(problem)));
  });

export interface OutsideRequest {
  readonly url: URL;
  readonly method: "GET" | "POST";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly rules: AddressRules;
  readonly signal: AbortSignal;
  readonly clock?: Clock;
  readonly timeoutMs?: number;
  readonly bytesMax?: number;
}

export interface OutsideAnswer {
  readonly status: number;
  readonly body: Uint8Array;
}

const timeoutMsDefault = 10_000;
const bytesMaxDefault = 1024 * 1024;

/** An answer whose body has not been read. */
interface OpenAnswer {
  readonly status: number;
  /** Throws where the answer breaks off. Leaving the loop closes the connection. */
  readonly chunks: AsyncIterable<Uint8Array>;
}

/**
 * Asks, once. Refuses `wrong-value` for an address that may not be asked, `hub-unreachable`, `timed-out`, `too-large`,
 * `interrupted`, and `not-a-hub` for a redirect. An answer of any other status is an answer.
 */
export function requestOutside(asked: OutsideRequest): Promise<Result<OutsideAnswer, Problem>> {
  const { url, bytesMax = bytesMaxDefault } = asked;
  return inTime(asked, async (signal) => {
    const opened = await connect(asked, signal);
    if (!opened.ok) return opened;
    const { status, chunks } = opened.value;
    const body = await readBody(url, chunks, bytesMax);
    return body.ok ? ok({ status, body: body.value }) : body;
  });
}

/** What `work` answers, unless the time is over or the caller gives up first; both abort its signal. */
async function inTime<Value>(
  { url, rules, signal, clock = systemClock, timeoutMs = timeoutMsDefault }: OutsideRequest,
  work: (signal: AbortSignal) => Promise<Result<Value, Problem>>,
): Promise<Result<Value, Problem>> {
  const judged = readOutsideUrl(url.href, rules);
  if (!judged.ok) return judged;
  const over = new AbortController();
  let isLate = false;
  const timer = clock.wait(timeoutMs, over.signal).then(() => {
    isLate = !over.signal.aborted;
    over.abort();
  });
  const ending = AbortSignal.any([over.signal, signal]);
  try {
    const answer = await work(ending);
    if (answer.ok || !ending.aborted) return answer;
    return err(
      isLate
        ? problemOf("timed-out", url, "No answer came in time.")
        : problemOf("interrupted", url, "The request was given up."),
    );
  } finally {
    over.abort();
    await timer;
  }
}

function problemOf(code: ProblemCode, { host }: URL, message: string): Problem {
  return makeProblem(code, host, message);
}

/** The address to connect to: every address of the name must be allowed, for the next connection may get another one. */
async function judgedAddress(
  url: URL,
  { isPrivateAllowed, resolve = systemResolve }: AddressRules,
): Promise<Result<ResolvedAddress, Problem>> {
  const host = hostOf(url);
  const family = isIP(host);
  let all: readonly ResolvedAddress[];
  try {
    all = family === 0 ? await resolve(host) : [{ address: host, family }];
  } catch {
    return err(problemOf("hub-unreachable", url, "The name is not known."));
  }
  const [first] = all;
  if (first === undefined) return err(problemOf("hub-unreachable", url, "The name has no address."));
  const kinds = all.map(({ address }) => kindOfAddress(address));
  // Without encryption nothing is sent through the world.
  const isPlain = url.protocol === "http:";
  const isAllowed = kinds.every((kind) => (kind === "public" ? !isPlain : kind === "private" && isPrivateAllowed));
  if (isAllowed) return ok(first);
  const why = isPlain ? "http is for private addresses only" : "its name stands for an address that is not public";
  return err(problemOf("wrong-value", url, `This address is not asked: ${why}.`));
}

/** Connects to the judged address and answers with the head. */
async function connect(
  { url, method, headers, body, rules }: OutsideRequest,
  signal: AbortSignal,
): Promise<Result<OpenAnswer, Problem>> {
  const judged = await judgedAddress(url, rules);
  if (!judged.ok) return judged;
  if (signal.aborted) return err(problemOf("interrupted", url, "The request was given up."));
  const { address, family } = judged.value;
  const { request } = url.protocol === "https:" ? await import("node:https") : http;
  return new Promise((resolve) => {
    const fail = (code: ProblemCode, message: string) => resolve(err(problemOf(code, url, message)));
    const sent = request(
      url,
      {
        method,
        signal,
        agent: false,
        headers: { ...headers, ...(body === undefined ? {} : { "content-length": Buffer.byteLength(body) }) },
        // The address that was judged, whatever the name stands for by now.
        lookup: (_host, options, found) =>
          options.all === true ? found(null, [{ address, family }]) : found(null, address, family),
      },
      (answer) => {
        const { statusCode: status = 0 } = answer;
        // Its reader sees the error; until there is one, it must not end the process.
        answer.on("error", () => undefined);
        if (status >= 300 && status < 400) {
          answer.destroy();
          return fail("not-a-hub", "It redirects to another address, and no redirect is followed.");
        }
        resolve(ok({ status, chunks: answer }));
      },
    );
    sent.on("error", (problem) => fail("hub-unreachable", `There is no connection (${codeOf(problem)}).`));
    sent.end(body);
  });
}

async function readBody(
  url: URL,
  chunks: AsyncIterable<Uint8Array>,
  bytesMax: number,
): Promise<Result<Uint8Array, Problem>> {
  const read: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of chunks) {
      length += chunk.length;
      if (length > bytesMax) return err(problemOf("too-large", url, `The answer has more than ${bytesMax} bytes.`));
      read.push(chunk);
    }
  } catch {
    return err(problemOf("hub-unreachable", url, "The answer broke off."));
  }
  return ok(Buffer.concat(read));
}

function codeOf(problem: Error): string {
  return "code" in problem && typeof problem.code === "string" ? problem.code : "failed";
}
