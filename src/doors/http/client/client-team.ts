/**
 * A team of a hub as `Team`: each call is a request, so every command and every tool works against a hub as against a
 * journal of this machine. It keeps nothing; who acts is what the token proves.
 */

import { createParser } from "eventsource-parser";
import type { Clock } from "../../../base/clock.ts";
import { messageId } from "../../../base/ids.ts";
import { decodeUtf8, parseBounded } from "../../../base/json.ts";
import { pageRowsMax } from "../../../base/limits.ts";
import { newMessageId } from "../../../base/new-ids.ts";
import type { Problem } from "../../../base/problem.ts";
import { systemRandom } from "../../../base/random.ts";
import { err, ok, type Result } from "../../../base/result.ts";
import { type AskPermissions, judgeRange, judgeStaged } from "../../../evidence/services/gate.ts";
import type { JournalCondition } from "../../../journal/journal.ts";
import { waitedInVain } from "../../../mail/handlers/inbox.ts";
import type { InboxPage } from "../../../mail/operations.ts";
import { decode } from "../../../messages/intake/decode.ts";
import { wireIdOf } from "../../../messages/intake/id-check.ts";
import { writeAddress } from "../../../messages/role.ts";
import type { Actor } from "../../../perform/context.ts";
import { answerForms } from "../../../perform/operations/generated/answers.ts";
import type { Reply } from "../../../perform/operations/reply.ts";
import type { RepositoryWork, SendOptions, Team, WorkingTeam } from "../../../perform/team.ts";
import type { LogLine, LogPage } from "../../../record/operations/entries.ts";
import { linesOf } from "../../../record/view/log.ts";
import type { LogOptions } from "../../../record/view/log-line.ts";
import { type Asked, again, type Caller, ofForm, tryMsMax } from "./client-caller.ts";
import {
  acknowledged,
  askedByHand,
  isAccepted,
  type KnownOperations,
  type Place,
  questionOf,
  reading,
  remoteCalls,
  reply,
} from "./client-calls.ts";
import { beginExchange, type Question, readPart, typeOf, type Wire } from "./client-exchange.ts";
import { notAHub } from "./client-problems.ts";

/** What the hub said when it was asked who the caller is. */
export interface Connection {
  readonly team: string;
  readonly actor: Actor;
  readonly condition: JournalCondition;
  /** The operations that the hub knows; null: it is older than this list and does not say. */
  readonly known: KnownOperations | null;
  /** Tells a person that a stream was interrupted, and that it goes on. */
  say(words: string): void;
}

/** The team over `caller`. Disposing of it closes nothing: a hub keeps its journal open. */
export function remoteTeam(caller: Caller, connection: Connection): WorkingTeam {
  const { team, actor, condition } = connection;
  const place: Place = { team, agent: actor.agent };
  const read = <Value>(asked: Asked<Value>) => reading(caller, asked);
  const done = async (asked: Asked<unknown>): Promise<Result<void, Problem>> => {
    const came = await read(asked);
    return came.ok ? ok(undefined) : came;
  };
  return {
    name: team,
    actor,
    condition: () => condition,
    send: (text, options = {}) => send(caller, ["api", "teams", team, "messages"], text, options),
    inbox: (options = {}) => readInbox(caller, place, options),
    seen: (seq) => done(askedByHand("seen", { seq }, place)),
    shown: (mail) => done(askedByHand("shown", mail, place)),
    heartbeat: () => done(askedByHand("attend", {}, place)),
    async attend() {
      const shown = await read(askedByHand("attend", {}, place));
      return shown.ok ? ok({ everyMs: shown.value.everyMs }) : shown;
    },
    leave: () => done({ ...askedByHand("leave", {}, place), retriesMax: 0 }),
    // The same number is the same act, as it is in the runtime.
    acknowledge: (seq, { id = `ack/${actor.agent}/${seq}` } = {}) => reply(caller, acknowledged(seq, id, place)),
    log: (options = {}) => linesOf((page) => logPage(caller, place, page), options),
    logPage: (options = {}) => logPage(caller, place, options),
    show: (key, { sender } = {}) => read(askedByHand("show", sender === undefined ? { key } : { key, sender }, place)),
    follow: (options) => followLines(caller, questionOf("follow", {}, place).path, { ...options, say: connection.say }),
    ...remoteCalls(caller, place, connection.known),
    ...remoteRepositoryWork(caller, place),
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
  const asked = { method: "POST", path, shape: isAccepted, again } as const;
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
type InboxOptions = NonNullable<Parameters<Team["inbox"]>[0]>;

/** Longest wait of one request. */
const askMsMax = 20_000;
/** Between two asks of a hub that is away. */
const awayPauseMs = 1_000;
/** A page of the usual hundred messages, each as large as messages may be. */
const pageBytesMax = 64 * 1024 * 1024;

/** The page, or `timed-out` after `waitMs` in vain and when the wait is stopped. */
async function readInbox(
  caller: Caller,
  place: Place,
  { after, limit, waitMs = 0, signal }: InboxOptions,
): Promise<Result<InboxPage, Problem>> {
  const { clock } = caller.wire;
  const end = clock.monotonic() + waitMs;
  for (;;) {
    const left = Math.max(0, end - clock.monotonic());
    const waitNowMs = Math.min(left, askMsMax);
    const asked = askedByHand(
      "inbox",
      {
        ...(after === undefined ? {} : { after }),
        ...(limit === undefined ? {} : { limit: Math.min(limit, pageRowsMax) }),
        ...(waitNowMs > 0 ? { wait: Math.ceil(waitNowMs) / 1000 } : {}),
      },
      place,
    );
    const page = await caller.ask({ ...asked, bytesMax: pageBytesMax, extraMs: waitNowMs }, signal);
    if (page.ok) return page;
    const [problem] = page.error.problems;
    if (signal?.aborted === true) return err(waitedInVain(place.agent, waitMs));
    const isAway = problem.code === "hub-unreachable";
    if (clock.monotonic() >= end || !(isAway || problem.code === "timed-out")) {
      return err(problem.code === "timed-out" ? waitedInVain(place.agent, waitMs) : problem);
    }
    if (isAway) await clock.wait(Math.min(awayPauseMs, end - clock.monotonic()), signal);
  }
}

/* The log of a hub, read page by page in either direction. */

/** The lines that match among those that the hub looks at for one answer. */
async function logPage(caller: Caller, place: Place, options: LogOptions): Promise<Result<LogPage, Problem>> {
  const { newestFirst = false, limit = pageRowsMax, kinds, outcomes, signal, looked: _, ...filters } = options;
  const asked = {
    ...filters,
    ...(kinds === undefined ? {} : { kind: kinds }),
    ...(outcomes === undefined ? {} : { outcome: outcomes }),
    order: newestFirst ? "desc" : "asc",
    limit: Math.min(limit, pageRowsMax),
  } as const;
  const page = await caller.ask(askedByHand("logPage", asked, place), signal);
  if (!page.ok) return err(page.error.problems[0]);
  const { next } = page.value;
  const { after = -1, before = Number.POSITIVE_INFINITY } = options;
  // A page that leads nowhere would be asked for without end.
  const isOnward = next === null || (newestFirst ? next < before : next > after);
  return isOnward ? ok(page.value) : err(notAHub(caller.wire.hub.shown, "its pages lead in a circle"));
}

/* Work checked against git: the hub judges what was reported, next to whose journal the repository is; what is about to be
 * committed is judged here, where its files are, by what the hub says that agents may change. */

/** How much longer than other answers a judgement may take, and how much longer where checks are run, in milliseconds. */
const judgingMs = 5 * 60_000;
const checkingMs = 60 * 60_000;

/** A place is one of this machine; the hub knows its own. */
function remoteRepositoryWork(caller: Caller, place: Place): RepositoryWork {
  const judging = { isRead: true, extraMs: judgingMs } as const;
  const ask: AskPermissions = async (query) => {
    const found = await reading(caller, askedByHand("permissions", query, place));
    return found.ok ? ok(found.value.permissions) : found;
  };
  return {
    async verify(_, { tasks } = {}) {
      const asked = tasks === undefined ? {} : { tasks };
      // Checks that were begun are not begun a second time.
      const once = { isRead: true, extraMs: checkingMs, retriesMax: 0 } as const;
      const found = await reading(caller, { ...askedByHand("verify", asked, place), ...once });
      return found.ok ? ok(found.value.tasks) : found;
    },
    async verifyArtifacts() {
      const found = await reading(caller, { ...askedByHand("verifyArtifacts", {}, place), ...judging });
      return found.ok ? ok(found.value.messages) : found;
    },
    // The hub looks by itself, where its repository is and the programs run.
    passAgents: () => Promise.resolve(ok(0)),
    resumeAgents: () => Promise.resolve(ok(0)),
    inspectRounds: () => Promise.resolve(ok(0)),
    permissions: ask,
    editFiles: (files, options = {}) =>
      reading(caller, { ...askedByHand("editFiles", { files, ...options }, place), isRead: true }),
    judgeStaged: (where, agent) => judgeStaged(ask, where, agent),
    judgeRange: (where, range, who) => judgeRange(ask, where, range, who),
  };
}

/* The record as it grows, over connections that end. */

interface FollowOptions {
  readonly after: number;
  readonly signal: AbortSignal;
  say(words: string): void;
}

/** A hub shows life every 15 s; after three of these the line is dead. */
const silenceMsMax = 45_000;
/** Pauses between tries, the last one again and again. */
const pausesMs = [100, 300, 1_000, 2_000];
/** One line of the log with its receivers, and what the parser holds of an event that has not ended. */
const eventCharactersMax = 1024 * 1024;

/**
 * Entries after `after`, each once, in order, until `signal` aborts. A hub that refuses ends them; the next call of the
 * team then says why.
 */
async function* followLines(
  caller: Caller,
  path: Question["path"],
  { after, signal, say }: FollowOptions,
): AsyncIterable<LogLine> {
  const { clock, hub } = caller.wire;
  let last = after;
  let failures = 0;
  while (!signal.aborted) {
    for await (const event of streamEvents(caller.wire, path, last, signal)) {
      if (event === "refused") return;
      if (event === "open") {
        if (failures > 0) say(`The hub ${hub.shown} is back; going on after entry ${last}.`);
        failures = 0;
      } else if (event.seq > last) {
        last = event.seq;
        yield event;
        if (signal.aborted) return;
      }
    }
    if (signal.aborted) return;
    if (failures === 0) say(`The line to the hub ${hub.shown} broke; waiting for it.`);
    const pause = pausesMs[Math.min(failures, pausesMs.length - 1)] ?? 0;
    failures++;
    await clock.wait(pause * (0.5 + systemRandom.unit() / 2), signal);
  }
}

/** `open`: the hub answers; `refused`: it will not, now or later. */
type StreamEvent = "open" | "refused" | LogLine;

/** One connection's events; ends when it breaks or falls silent. */
async function* streamEvents(
  wire: Wire,
  path: readonly string[],
  after: number,
  signal: AbortSignal,
): AsyncGenerator<StreamEvent, void, undefined> {
  const hangUp = new AbortController();
  const headers = { accept: "text/event-stream", "last-event-id": String(after) };
  const bounds = { timeMs: tryMsMax, signal: AbortSignal.any([signal, hangUp.signal]) };
  try {
    const begun = await beginExchange(wire, { method: "GET", path, query: { after }, headers }, bounds);
    if (begun.outcome === "lost") return;
    if (begun.outcome === "strange") return yield "refused";
    const { status, body } = begun.value;
    if (status !== 200 || typeOf(begun.value) !== "text/event-stream" || body === null) {
      // Away behind something that is before it, or too many streams for now: both pass.
      if (status < 500 && status !== 429) yield "refused";
      return;
    }
    yield "open";
    yield* bodyEvents(wire.clock, body, hangUp);
  } finally {
    hangUp.abort();
  }
}

async function* bodyEvents(
  clock: Clock,
  body: ReadableStream<Uint8Array>,
  hangUp: AbortController,
): AsyncGenerator<StreamEvent, void, undefined> {
  const came: StreamEvent[] = [];
  let held = 0;
  const parser = createParser({
    onEvent: (event) => {
      held = 0;
      if (event.event === "entry") came.push(lineOf(event.data));
    },
    onComment: () => {
      held = 0;
    },
  });
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let seenMs = clock.monotonic();
  void hangUpOnSilence(clock, hangUp, () => seenMs);
  for (;;) {
    const part = await readPart(reader);
    // A broken line has nothing more to say than one that ended: it is begun again where it stopped.
    if (part === "ended" || part === "broken") return;
    seenMs = clock.monotonic();
    const text = decoder.decode(part, { stream: true });
    held += text.length;
    parser.feed(text);
    if (held > eventCharactersMax) came.push("refused");
    for (const event of came.splice(0)) {
      yield event;
      if (event === "refused") return;
    }
  }
}

async function hangUpOnSilence(clock: Clock, hangUp: AbortController, seenMs: () => number): Promise<void> {
  for (let left = silenceMsMax; left > 0; left = seenMs() + silenceMsMax - clock.monotonic()) {
    await clock.wait(left, hangUp.signal);
    if (hangUp.signal.aborted) return;
  }
  hangUp.abort();
}

const isLine = ofForm<LogLine>(answerForms.follow);

function lineOf(data: string): StreamEvent {
  const parsed = parseBounded(data);
  return parsed.ok && isLine(parsed.value) ? parsed.value : "refused";
}
