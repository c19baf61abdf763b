/**
 * A team of a hub as `Team`: each call is a request, so every command and every tool works against a hub as against a
 * journal of this machine. It keeps nothing; who acts is what the token proves.
 */
import { messageId } from "../../../base/ids.ts";
import { decodeUtf8 } from "../../../base/json.ts";
import { pageRowsMax } from "../../../base/limits.ts";
import { newMessageId } from "../../../base/new-ids.ts";
import type { Problem } from "../../../base/problem.ts";
import { err, ok, type Result } from "../../../base/result.ts";
import { decode } from "../../../intake/decode.ts";
import { wireIdOf } from "../../../intake/wire-id.ts";
import type { JournalCondition } from "../../../journal/journal.ts";
import { writeAddress } from "../../../message/role.ts";
import type { Reply } from "../../../operations/reply.ts";
import type { Actor } from "../../../runtime/context.ts";
import { waitedInVain } from "../../../runtime/delivery/inbox.ts";
import { linesOf } from "../../../runtime/record/log.ts";
import type { LogOptions, LogPage } from "../../../runtime/record/log-line.ts";
import type { InboxPage, SendOptions, WorkingTeam } from "../../../runtime/team/team.ts";
import * as answers from "./client-answers.ts";
import * as entryAnswers from "./client-answers.ts";
import { opaque } from "./client-answers.ts";
import { type Asked, actOf, again, type Caller } from "./client-caller.ts";
import { type KnownOperations, reading, remoteCalls, reply } from "./client-calls.ts";
import { notAHub } from "./client-faults.ts";
import { followLines } from "./client-follow.ts";
import * as statusAnswers from "./client-repository.ts";
import { remoteRepositoryWork } from "./client-repository.ts";

/** What the hub said when it was asked who the caller is. */
export interface Standing {
  readonly team: string;
  readonly actor: Actor;
  readonly condition: JournalCondition;
  /** The operations that the hub knows; null: it is older than this list and does not say. */
  readonly known: KnownOperations | null;
  /** Tells a person that a stream was interrupted, and that it goes on. */
  say(words: string): void;
}

/** The team over `caller`. Disposing of it closes nothing: a hub keeps its journal open. */
export function remoteTeam(caller: Caller, standing: Standing): WorkingTeam {
  const at = (...rest: readonly string[]) => ["api", "teams", standing.team, ...rest];
  const mine = (...rest: readonly string[]) => at("agents", standing.actor.agent, ...rest);
  const act = (path: readonly string[], body: object, id?: string) =>
    reply(caller, { ...actOf(path, body, id), shape: answers.accepted });
  const read = <Value>(asked: Asked<Value>) => reading(caller, asked);
  return {
    name: standing.team,
    actor: standing.actor,
    condition: () => standing.condition,
    send: (text, options = {}) => send(caller, at("messages"), text, options),
    inbox: (options = {}) => readInbox(caller, mine("inbox"), { ...options, agent: standing.actor.agent }),
    async seen(seq) {
      const marked = await read({ method: "POST", path: mine("seen"), body: JSON.stringify({ seq }), shape: opaque() });
      return marked.ok ? ok(undefined) : marked;
    },
    async shown(mail) {
      const noted = await read({ method: "POST", path: mine("shown"), body: JSON.stringify(mail), shape: opaque() });
      return noted.ok ? ok(undefined) : noted;
    },
    async signOfLife() {
      const shown = await read({ method: "POST", path: mine("alive"), body: "{}", shape: opaque() });
      return shown.ok ? ok(undefined) : shown;
    },
    async attend() {
      const shown = await read({ method: "POST", path: mine("alive"), body: "{}", shape: statusAnswers.attendance });
      return shown.ok ? ok({ everyMs: shown.value.everyMs }) : shown;
    },
    async leave() {
      const left = await read({ method: "POST", path: mine("leave"), body: "{}", shape: opaque(), retriesMax: 0 });
      return left.ok ? ok(undefined) : left;
    },
    acknowledge(seq, options = {}) {
      // The same number is the same act, as it is in the runtime.
      const id = options.id ?? `ack/${standing.actor.agent}/${seq}`;
      return act(mine("ack"), { seq }, id);
    },
    log: (options = {}) => linesOf((page) => logPage(caller, at("messages"), page), options),
    logPage: (options = {}) => logPage(caller, at("messages"), options),
    show: (key, { sender } = {}) =>
      read({ method: "GET", path: at("messages", key), query: { sender }, shape: entryAnswers.shown }),
    follow: (options) => followLines(caller, at("events"), { ...options, say: standing.say }),
    status: () => read({ method: "GET", path: at("status"), shape: statusAnswers.teamStatus }),
    ...remoteCalls(caller, at, standing.known),
    ...remoteRepositoryWork({ at, read }),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

/**
 * The text goes whole inside an envelope, as a string: so nothing on the way can take it apart. What no JSON string can
 * hold goes as bytes; it is no message either, and the hub records why.
 */
async function send(
  caller: Caller,
  path: readonly string[],
  text: string | Uint8Array,
  options: SendOptions,
): Promise<Reply> {
  const { id, proseId, again } = await namesOf(text, options);
  const to = options.to?.map(writeAddress);
  const asked = { method: "POST", path, shape: answers.accepted, again } as const;
  const decoded = typeof text === "string" ? ok(text) : decodeUtf8(text);
  if (decoded.ok && decoded.value.isWellFormed()) {
    const body = {
      message: decoded.value,
      ...(to === undefined ? {} : { to }),
      ...(id === undefined ? {} : { id }),
      ...(proseId === undefined ? {} : { proseId }),
      ...(options.strict === true ? { strict: true } : {}),
      ...(options.draft === true ? { draft: true } : {}),
    };
    return reply(caller, { ...asked, body: JSON.stringify(body) });
  }
  const name = id ?? proseId;
  const bytes = typeof text === "string" ? Buffer.from(text, "utf16le") : text;
  return reply(caller, {
    ...asked,
    body: new Uint8Array(bytes),
    query: { to },
    headers: name === undefined || messageId(name) === null ? {} : { "idempotency-key": name },
  });
}

/** The ids of an input, and the hint for repeating it by hand. */
interface Names extends Pick<SendOptions, "id" | "proseId"> {
  readonly again: string;
}

/**
 * Every try of one operation has the same ids, created here if the caller gave none: a message's own id, and a separate
 * id for prose that only quotes a message.
 */
async function namesOf(text: string | Uint8Array, options: SendOptions): Promise<Names> {
  if (options.id !== undefined) return { id: options.id, again: again("id", options.id) };
  const decoded = await decode(text);
  const inside = wireIdOf(decoded);
  const { proseId = newMessageId() } = options;
  if (inside === null && options.proseId === undefined) return { id: proseId, again: again("id", proseId) };
  if (inside === null) return { proseId, again: again("proseId", proseId) };
  return decoded.as === "quoted" ? { proseId, again: again("proseId", proseId) } : { again: again("id", inside) };
}

/*
 * The inbox of a hub, waited for by asks that are each short enough for every proxy in between. A hub that goes away
 * while somebody waits is waited for too: nothing is lost meanwhile, because only an acknowledgement takes mail away.
 */
export interface InboxQuestion {
  readonly agent: string;
  readonly after?: number;
  readonly limit?: number;
  readonly waitMs?: number;
  readonly signal?: AbortSignal;
}

/** Longest wait of one request. */
const askMsMax = 20_000;
/** Between two asks of a hub that is away. */
const awayPauseMs = 1_000;
/** A page of the usual hundred messages, each as large as messages may be. */
const pageBytesMax = 64 * 1024 * 1024;

/** The page, or `timed-out` after `waitMs` in vain and when the wait is stopped. */
async function readInbox(
  caller: Caller,
  path: readonly string[],
  { agent, after, limit, waitMs = 0, signal }: InboxQuestion,
): Promise<Result<InboxPage, Problem>> {
  const { clock } = caller.wire;
  const end = clock.monotonic() + waitMs;
  for (;;) {
    const left = Math.max(0, end - clock.monotonic());
    const waitNowMs = Math.min(left, askMsMax);
    const wait = waitNowMs > 0 ? Math.ceil(waitNowMs) / 1000 : undefined;
    const query = { after, limit: limit === undefined ? undefined : Math.min(limit, pageRowsMax), wait };
    const asked = { method: "GET", path, query, shape: entryAnswers.inboxPage } as const;
    const page = await caller.ask({ ...asked, bytesMax: pageBytesMax, extraMs: waitNowMs }, signal);
    if (page.ok) return page;
    const [fault] = page.error.problems;
    if (signal?.aborted === true) return err(waitedInVain(agent, waitMs));
    const isAway = fault.code === "hub-unreachable";
    if (clock.monotonic() >= end || !(isAway || fault.code === "timed-out")) {
      return err(fault.code === "timed-out" ? waitedInVain(agent, waitMs) : fault);
    }
    if (isAway) await clock.wait(Math.min(awayPauseMs, end - clock.monotonic()), signal);
  }
}

/* The log of a hub, read page by page in either direction. */

/** The lines that match among those that the hub looks at for one answer. */
async function logPage(
  caller: Caller,
  path: readonly string[],
  options: LogOptions,
): Promise<Result<LogPage, Problem>> {
  const { newestFirst = false, limit = pageRowsMax, kinds, signal, looked: _, ...filters } = options;
  const query = { ...filters, kind: kinds, order: newestFirst ? "desc" : "asc", limit: Math.min(limit, pageRowsMax) };
  const page = await caller.ask({ method: "GET", path, query, shape: entryAnswers.logPage }, signal);
  if (!page.ok) return err(page.error.problems[0]);
  const { next } = page.value;
  const { after = -1, before = Number.POSITIVE_INFINITY } = options;
  // A page that leads nowhere would be asked for without end.
  const isOnward = next === null || (newestFirst ? next < before : next > after);
  return isOnward ? ok(page.value) : err(notAHub(caller.wire.hub.shown, "its pages lead in a circle"));
}
