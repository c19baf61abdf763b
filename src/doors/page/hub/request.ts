/**
 * Asking the hub. Every answer is read within bounds, and whatever goes wrong is a value: the hub's problems as it
 * reported them, or a problem of the connection. Also the owner's session, without which the hub does not answer.
 */
import { asRecorded, sessionHeader } from "../../../base/argument.ts";
import { type Clock, systemClock } from "../../../base/clock.ts";
import { type JsonLimits, parseBounded } from "../../../base/json.ts";
import { makeProblem, type Problem } from "../../../base/problem.ts";
import { err, ok, type Result } from "../../../base/result.ts";
import { keep, keptIn } from "./kept.ts";

/** How people call the command where the hub runs, as the hub wrote it into the page: `baton` or `npx baton`. */
export const program: string =
  document.querySelector<HTMLMetaElement>('meta[name="baton-program"]')?.content ?? "baton";

/** What the hub said instead of an answer. `status` 0: it could not be reached, and what was asked may have happened. */
export interface Refused {
  readonly status: number;
  readonly problems: readonly Problem[];
}

/**
 * The owner's session: a one-time code in the address's fragment buys its secret, which this browser keeps for the page's
 * origin and shows in a header. The fragment never leaves the browser, and the code leaves the address bar before anything
 * else happens. The owner's token buys one as well; it is sent once and kept nowhere. The secret of a link to read is one.
 */
export interface Session {
  readonly agent: string;
  readonly role: string | null;
  /** The team that the credential is bound to; null: every team of the journal. */
  readonly team: string | null;
  readonly teams: readonly string[];
  readonly version: string;
  /** Until when a link lets this browser read, in which nothing can be changed; null: it is the owner's. */
  readonly readOnlyUntil: string | null;
  /** Who decides by that link; null: nobody does. */
  readonly person: string | null;
}

/** What an address's fragment brings: the owner's code, or the secret of a link to read. */
export interface Brought {
  readonly what: "code" | "share";
  readonly secret: string;
}

/** An entry shown whole holds a message twice, and a page of the log a thousand lines. */
const answerLimits: JsonLimits = { bytesMax: 64 * 1024 * 1024, depthMax: 96, nodesMax: 4_000_000 };

interface AskOptions {
  readonly method?: "POST" | "DELETE";
  readonly body?: object;
  /** Sent instead of the session's secret; null: nothing is. */
  readonly token?: string | null;
  readonly signal?: AbortSignal;
}

/** What was asked before somebody wanted it, by path. */
const askedAhead = new Map<string, Promise<Result<unknown, Refused>>>();

/** Asks for `path` now; the first who asks for it later is given this answer. */
export function askAhead<Answer>(path: string): Promise<Result<Answer, Refused>> {
  const answer = fetched<Answer>(path, {});
  askedAhead.set(path, answer);
  return answer;
}

/** GETs `path`, or POSTs `body` to it. The answer has the shape that the hub's interface gives it (`/openapi.json`). */
export function ask<Answer>(path: string, options: AskOptions = {}): Promise<Result<Answer, Refused>> {
  const ahead = options.method === undefined ? askedAhead.get(path) : undefined;
  if (ahead === undefined) return fetched<Answer>(path, options);
  askedAhead.delete(path);
  // The same path was asked for, so it has the same shape.
  return ahead as Promise<Result<Answer, Refused>>;
}

/** The last answers that have a tag, by path: what has not changed is not sent again, and stays the same object. */
const tagged = new Map<string, { readonly tag: string; readonly value: unknown }>();
const taggedMax = 20;

function keepTagged(path: string, answer: { readonly tag: string; readonly value: unknown }): void {
  tagged.delete(path);
  tagged.set(path, answer);
  const [oldest] = tagged.keys();
  if (tagged.size > taggedMax && oldest !== undefined) tagged.delete(oldest);
}

async function fetched<Answer>(path: string, options: AskOptions): Promise<Result<Answer, Refused>> {
  let status = 0;
  let text: string;
  let tag: string | null = null;
  const isRead = (options.method ?? "GET") === "GET";
  const known = isRead ? tagged.get(path) : undefined;
  try {
    const response = await fetch(path, {
      method: options.method ?? "GET",
      headers: {
        accept: "application/json",
        [asRecorded.header]: asRecorded.value,
        ...(options.body === undefined ? {} : json),
        ...credentialOf(options.token),
        ...(known === undefined ? {} : { "if-none-match": known.tag }),
      },
      ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    });
    status = response.status;
    tag = response.headers.get("etag");
    setClock(response.headers.get("date"));
    text = await response.text();
  } catch {
    // fetch says nothing that a person could use: no connection, or one that broke off.
    return err({ status: 0, problems: [unreachable] });
  }
  // The same path was asked for, so it has the same shape.
  if (status === 304 && known !== undefined) return ok(known.value as Answer);
  if (status >= 200 && status < 300) {
    const answer = answerOf<Answer>(text, status);
    if (isRead && tag !== null && answer.ok) keepTagged(path, { tag, value: answer.value });
    return answer;
  }
  return err({ status, problems: problemsOf(text, status) });
}

function credentialOf(token: string | null | undefined): Readonly<Record<string, string>> {
  if (token === undefined) return sessionHeaders();
  return token === null ? {} : { authorization: `Bearer ${token}` };
}

const sessionKey = "baton-session";
/** Of a browser that keeps nothing. */
let session: string | null = null;

/** The headers of a request in the session of this browser; none where it has none. */
export function sessionHeaders(): Readonly<Record<string, string>> {
  const secret = keptIn(sessionKey) ?? session;
  return secret === null ? {} : { [sessionHeader]: secret };
}

function keepSession(secret: string | null): void {
  session = secret;
  keep(sessionKey, secret);
}

/** Ends the session here and at the hub. */
export async function endSession(): Promise<void> {
  await ask("/api/session", { method: "DELETE" });
  keepSession(null);
}

/** Begins a session with what a person has, and keeps its secret. */
async function exchange(body: object, token: string | null): Promise<Result<unknown, Refused>> {
  const begun = await ask<{ readonly session: string }>("/api/session", { method: "POST", body, token });
  if (begun.ok) keepSession(begun.value.session);
  return begun;
}

/** The answer to GET `path` as a file for the person; null where it is given. */
export async function download(path: string, name: string): Promise<Refused | null> {
  let file: Blob;
  try {
    const response = await fetch(path, { headers: sessionHeaders() });
    if (!response.ok) return { status: response.status, problems: problemsOf(await response.text(), response.status) };
    file = await response.blob();
  } catch {
    return { status: 0, problems: [unreachable] };
  }
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
  return null;
}

/** How far the hub's clock is ahead of the browser's, in milliseconds. */
let aheadMs = 0;
/** A whole second in the header and a slow answer make clocks look apart that are not. */
const apartMsMin = 3_000;

/** The hub's time, as far as its answers tell it: what a record says was now is now, whatever this machine's clock says. */
export const hubClock: Clock = { ...systemClock, now: () => systemClock.now() + aheadMs };

/** Takes the time that an answer names in its `Date`. */
function setClock(date: string | null): void {
  const at = date === null ? Number.NaN : Date.parse(date) + 500;
  if (!(Math.abs(at - hubClock.now()) >= apartMsMin)) return;
  const apart = at - systemClock.now();
  aheadMs = Math.abs(apart) < apartMsMin ? 0 : apart;
}

const json = { "content-type": "application/json" };

const unreachable = makeProblem("hub-unreachable", "hub", "The hub does not answer.", {
  hint: "The page goes on by itself when it is back.",
});

function answerOf<Answer>(text: string, status: number): Result<Answer, Refused> {
  if (status === 204 || text === "") return ok({} as Answer);
  const read = parseBounded(text, answerLimits);
  // The shape is the hub's promise, and the page comes from the same hub and build.
  return read.ok ? ok(read.value as Answer) : err({ status, problems: [read.error] });
}

/** The problems of an `application/problem+json`, or one that says what came instead. */
function problemsOf(text: string, status: number): readonly Problem[] {
  const read = parseBounded(text, answerLimits);
  const value = read.ok ? (read.value as { readonly problems?: unknown } | null) : null;
  if (Array.isArray(value?.problems) && value.problems.length > 0) return value.problems as readonly Problem[];
  return [makeProblem("not-a-hub", "hub", `The hub answered with status ${status} and no reason.`)];
}

/** The path of a team's resource, with `query` where a value is given; a list repeats its key. */
export function teamPath(
  team: string,
  resource: string,
  query: Readonly<Record<string, string | number | readonly string[] | undefined>> = {},
): string {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    if (value === undefined) continue;
    for (const each of typeof value === "object" ? value : [String(value)]) search.append(key, each);
  }
  const words = search.size === 0 ? "" : `?${search}`;
  return `/api/teams/${encodeURIComponent(team)}/${resource}${words}`;
}

/** Where the hub answers what a page of a team shows in every view; status first, so that none is older than its entry. */
export function shownPaths(team: string) {
  return {
    status: teamPath(team, "status"),
    needs: teamPath(team, "needs"),
    tasks: teamPath(team, "tasks"),
    escalations: teamPath(team, "escalations"),
    shutdowns: teamPath(team, "shutdowns", { latest: "true" }),
  } as const;
}

/** The teams that a session may watch. */
export function teamsOf({ team, teams }: Pick<Session, "team" | "teams">): readonly string[] {
  return team === null ? teams : [team];
}

/* Ids of acts made in the browser: the same id is sent with every retry of one act, so that it has one effect. */

/** A new random id of 128 bits, from the browser's source of chance that also is outside secure contexts. */
export function newActId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `page-${[...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/** What is in a fragment: `#code=CODE`, or the whole of it, or `#share=SECRET`; null: there is nothing. */
function broughtIn(fragment: string): Brought | null {
  const words = fragment.replace(/^#/, "");
  if (words === "") return null;
  if (!words.includes("=")) return { what: "code", secret: words };
  const given = new URLSearchParams(words);
  for (const what of ["code", "share"] as const) {
    const secret = given.get(what);
    if (secret !== null) return { what, secret };
  }
  return null;
}

/** Takes the code out of the address, so that it is neither seen nor kept in the browser's history. */
export function takeCode(location: Location, history: History): Brought | null {
  const brought = broughtIn(location.hash);
  if (location.hash !== "") history.replaceState(null, "", location.pathname + location.search);
  return brought;
}

/**
 * The current session, once `brought` was exchanged for one. 401 with the hub's reason: there is none. A link to read
 * takes the owner's session from nobody.
 */
export async function openSession(brought: Brought | null): Promise<Result<Session, Refused>> {
  if (brought?.what === "share") {
    const owners = await ask<Session>("/api/session");
    if (owners.ok && owners.value.readOnlyUntil === null) return owners;
  }
  const body = brought === null ? {} : { [brought.what]: brought.secret };
  const exchanged = brought === null ? null : await exchange(body, null);
  if (exchanged !== null && !exchanged.ok && exchanged.error.status === 0) return exchanged;
  const known = await ask<Session>("/api/session");
  // A secret that opens nothing is shown no more: the hub counts wrong credentials.
  if (!known.ok && known.error.status === 401) keepSession(null);
  // A code that was used before is no error while its session lasts.
  return known.ok || exchanged === null || exchanged.ok ? known : exchanged;
}

/** Exchanges the owner's token for a session. Refuses what cannot be a token before it is sent anywhere. */
export async function exchangeToken(token: string): Promise<Result<unknown, Refused>> {
  if (/^[A-Za-z0-9._~+/-]+=*$/.test(token)) return exchange({}, token);
  const problem = makeProblem("unauthenticated", "token", "This is no token: it has characters that none has.");
  return err({ status: 401, problems: [problem] });
}
