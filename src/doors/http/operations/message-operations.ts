/**
 * Messages of a team: sending one, one entry whole, each agent's own inbox, the record page by page and as it grows; and
 * what anybody may ask of the hub.
 */
import { z } from "zod";
import { ownTurn } from "../../../base/clock.ts";
import { isJsonObject, type Json, parseAnyCharacters, parseBounded } from "../../../base/json.ts";
import { makeProblem, type Problem, type ProblemCode } from "../../../base/problem.ts";
import { err, ok, type Result } from "../../../base/result.ts";
import { readShape } from "../../../base/schema/shape-problems.ts";
import { acknowledge, heartbeat, leaveTeam, markSeen, markShown, readInbox } from "../../../mail/operations.ts";
import { type Address, readAddress } from "../../../messages/role.ts";
import { acceptedShape, operationId } from "../../../perform/operations/shapes.ts";
import type { SendOptions, Team } from "../../../perform/team.ts";
import { followEntries, listEntries, showEntry } from "../../../record/operations/entries.ts";
import type { LogOptions } from "../../../record/view/log-line.ts";
import { json, refusal, replyAnswer, safeHeaders, twoIds } from "../server/answers.ts";
import type { Feed, Frame, Listener } from "../server/feed.ts";
import { readJsonBytes, requestJsonLimits } from "../server/http-limits.ts";
import { byHand } from "./defined-operations.ts";
import { type AskedOfTeam, given, type HubServices, hubOperation, type Operation, teamOperation } from "./operation.ts";

const receivers = z
  .array(z.string())
  .describe("agents, role:ROLE, or one remote:NAME; absent: those the dialect names");

const envelopeShape = z.strictObject({
  message: z.unknown().describe("the wire message as an object, or the whole text verbatim as a string"),
  to: receivers.optional(),
  id: operationId,
  proseId: z
    .string()
    .optional()
    .describe("the id if the input is prose that quotes a message with another id; for retries, like id"),
  strict: z.boolean().optional().describe("refuse unknown extra fields"),
  draft: z
    .boolean()
    .optional()
    .describe("the message holds a type and its fields alone; the hub fills in the rest and refuses unknown fields"),
});

const sendBody = z
  .union([envelopeShape, z.record(z.string(), z.unknown())])
  .describe("an envelope, or the wire message itself, kept verbatim; then receivers and id come by query and header");

const sendQuery = z.strictObject({ to: receivers.optional(), strict: z.boolean().optional() });

/** `POST .../messages`. */
const send = teamOperation(
  {
    name: "sendMessage",
    method: "post",
    path: "/api/teams/{team}/messages",
    says: "Sends one message.",
    access: "caller",
    query: sendQuery,
    body: sendBody,
    rawBody: true,
    answers: {
      201: { says: "Recorded, durable, with its receipt.", shape: acceptedShape({}) },
      200: { says: "The same act had been accepted before.", shape: acceptedShape({}) },
    },
  },
  async (asked) => {
    const bytes = await readJsonBytes(asked.request);
    if (!bytes.ok) return refusal([bytes.error]);
    const letter = readLetter(bytes.value, asked);
    if (!letter.ok) return refusal(letter.error);
    const reply = await asked.team.send(letter.value.text, letter.value.options);
    asked.services.metrics.message(
      reply.outcome === "accepted" && reply.receipt.duplicate ? "duplicate" : reply.outcome,
    );
    if (reply.outcome === "failed") asked.services.readiness.failed(reply.problem);
    else if (reply.receipt?.duplicate === false) asked.services.readiness.recorded();
    return replyAnswer(reply);
  },
);

interface Letter {
  readonly text: string | Uint8Array;
  readonly options: SendOptions;
}

/** Errors that leave no doubt that the body is no JSON at all; the others are the message's, judged and recorded. */
const bodyProblems: ReadonlySet<ProblemCode> = new Set(["empty-message", "not-utf8", "byte-order-mark", "not-json"]);

function readLetter(
  bytes: Uint8Array,
  asked: AskedOfTeam<z.infer<typeof sendQuery>>,
): Result<Letter, readonly Problem[]> {
  const value = readBody(bytes);
  if (!value.ok && bodyProblems.has(value.error.code)) return err([value.error]);
  const { query, id } = asked;
  if (!value.ok || !isEnvelope(value.value)) {
    const options = sendOptions({ ...query, id });
    return options.ok ? ok({ text: bytes, options: options.value }) : options;
  }
  const envelope = readShape(envelopeShape, value.value, "$", asked.notes);
  if (!envelope.ok) return envelope;
  const { message, to = query.to, strict = query.strict, id: named, proseId, draft } = envelope.value;
  if (named !== undefined && id !== undefined && named !== id) return err([twoIds(named)]);
  const options = sendOptions({ to, strict, id: named ?? id, proseId, draft });
  if (!options.ok) return options;
  return ok({ text: typeof message === "string" ? message : JSON.stringify(message), options: options.value });
}

/**
 * The body's value. A message with a character that no message may hold is taken out of its envelope all the same: the
 * one way in refuses it, with the place in the message itself, as it does at every other door.
 */
function readBody(bytes: Uint8Array): Result<Json, Problem> {
  const value = parseBounded(bytes, requestJsonLimits);
  const isInMessage = !value.ok && /^\$\.message(?![^.[])/.test(value.error.path);
  return isInMessage ? parseAnyCharacters(bytes, requestJsonLimits) : value;
}

/** What a sender sends along with the message. */
interface Beside {
  readonly to?: readonly string[] | undefined;
  readonly strict?: boolean | undefined;
  readonly id?: string | undefined;
  readonly proseId?: string | undefined;
  readonly draft?: boolean | undefined;
}

/**
 * Whether the body is an envelope: an object with `message`. Every wire message says its `type`, and an envelope never
 * does; so a misspelt field of an envelope is named, and does not turn the whole into some other kind of message.
 */
function isEnvelope(value: Json): boolean {
  return isJsonObject(value) && Object.hasOwn(value, "message") && !Object.hasOwn(value, "type");
}

function sendOptions({ to, strict, id, proseId, draft }: Beside): Result<SendOptions, readonly Problem[]> {
  const addresses: Address[] = [];
  for (const text of to ?? []) {
    const address = readAddress(text);
    if (!address.ok) return err([address.error]);
    addresses.push(address.value);
  }
  return ok({
    ...(addresses.length === 0 ? {} : { to: addresses }),
    ...(strict === undefined ? {} : { strict }),
    ...(id === undefined ? {} : { id }),
    ...(proseId === undefined ? {} : { proseId }),
    ...(draft === undefined ? {} : { draft }),
  });
}

export const messageOperations: readonly Operation[] = [send];

/* The record of a team: page by page, one entry whole, and as it grows. */

const limitDefault = 100;

const list = byHand(
  listEntries,
  async ({ order = "asc", limit = limitDefault, kind, outcome, ...filter }, { team, request }) => {
    for (const name of ["since", "until"] as const) {
      const time = filter[name];
      if (time !== undefined && Number.isNaN(Date.parse(time))) return refusal([notATime(name, time)]);
    }
    const wanted: LogOptions = {
      ...given({ ...filter, kinds: kind, outcomes: outcome }),
      limit,
      newestFirst: order === "desc",
      signal: request.signal,
    };
    const page = await team.logPage(wanted);
    return page.ok ? json(page.value) : refusal([page.error]);
  },
);

function notATime(name: string, received: string): Problem {
  return makeProblem("wrong-format", `?.${name}`, "This is not a time.", {
    expected: "RFC 3339",
    hint: "Write it as 2026-02-12T10:00:00Z.",
    received: received.slice(0, 64).toWellFormed(),
  });
}

const show = byHand(showEntry, async ({ key, sender }, { team }) => {
  const shown = await team.show(key, given({ sender }));
  return shown.ok ? json(shown.value) : refusal([shown.error]);
});

const events = byHand(followEntries, async ({ after }, { services, team, caller, request, hangUp }) => {
  const resumed = request.headers.get("last-event-id");
  if (resumed !== null && !/^\d{1,15}$/.test(resumed)) return refusal([notANumber(resumed)]);
  const release = services.streams.take(`${team.name}/${caller.agent}`);
  if (release === null) return refusal([tooManyStreams(caller.agent, services.limits.streamsPerPrincipalMax)]);
  const body = eventStream({
    services,
    team,
    after: resumed === null ? (after ?? null) : Number(resumed),
    isStillWelcome: () => caller.isStillValid(),
    hangUp,
    closed: release,
  });
  return new Response(body, { headers: { ...safeHeaders, "content-type": "text/event-stream; charset=utf-8" } });
});

function notANumber(received: string): Problem {
  return makeProblem("wrong-format", "Last-Event-ID", "This is not the number of an entry.", {
    expected: "digits",
    hint: "Send the id of the last event that was read, or leave the header out to begin with what comes next.",
    received: received.slice(0, 64).toWellFormed(),
  });
}

function tooManyStreams(agent: string, max: number): Problem {
  return makeProblem("too-many-requests", agent, `${agent} has ${max} streams open.`, {
    expected: `at most ${max} streams`,
    hint: "Close one first.",
  });
}

export const recordOperations: readonly Operation[] = [list, show, events];

export const inboxOperations: readonly Operation[] = [
  byHand(readInbox, async ({ after, limit, wait = 0 }, { team, services, request }) => {
    const page = await team.inbox({
      ...given({ after, limit }),
      waitMs: Math.min(wait, services.limits.waitSecondsMax) * 1000,
      signal: request.signal,
    });
    if (page.ok) return json(page.value);
    // Tells callers of a hub that ends to retry.
    const isEnding = page.error.code === "hub-unreachable";
    return refusal([page.error], isEnding ? { status: 503, headers: { "retry-after": "1" } } : {});
  }),
  byHand(markSeen, async ({ seq }, { team }) => {
    const marked = await team.seen(seq);
    return marked.ok ? json({ seq }) : refusal([marked.error]);
  }),
  byHand(markShown, async ({ context, seq, ...more }, { team }) => {
    const noted = await team.shown({ context, seq, ...given(more) });
    return noted.ok ? json({ seq }) : refusal([noted.error]);
  }),
  byHand(heartbeat, async (_, { team, caller }) => {
    const shown = await team.attend();
    return shown.ok ? json({ agent: caller.agent, ...shown.value }) : refusal([shown.error]);
  }),
  byHand(leaveTeam, async (_, { team, caller }) => {
    const left = await team.leave();
    return left.ok ? json({ agent: caller.agent }) : refusal([left.error]);
  }),
  byHand(acknowledge, async ({ seq }, { team, id }) => replyAnswer(await team.acknowledge(seq, given({ id })))),
];

/*
 * What anybody on this machine may ask: whether the hub lives, whether it can work, what it counted. Names of teams are
 * for callers with a credential.
 */
const health = hubOperation(
  {
    name: "health",
    method: "get",
    path: "/healthz",
    says: "The process answers.",
    access: "open",
    answers: {
      200: {
        says: "It does. `instance` is created at each start.",
        shape: z.object({ status: z.literal("ok"), version: z.string(), instance: z.string() }),
      },
    },
  },
  ({ services }) => Promise.resolve(json({ status: "ok", version: services.version, instance: services.instance })),
);

const readyShape = z.object({
  status: z.enum(["ready", "not-ready"]),
  checks: z.array(z.object({ name: z.string(), ok: z.boolean(), detail: z.string() })),
});

const ready = hubOperation(
  {
    name: "readiness",
    method: "get",
    path: "/readyz",
    says: "Whether messages can be recorded: the last append or a write probe succeeded, and the last verification.",
    access: "open",
    answers: {
      200: { says: "Ready.", shape: readyShape },
      503: { says: "Not ready, and why.", shape: readyShape },
    },
  },
  async ({ services }) => {
    const checks = await services.readiness.checks();
    const isReady = checks.every(({ ok }) => ok);
    return json({ status: isReady ? "ready" : "not-ready", checks }, isReady ? 200 : 503);
  },
);

const metrics = hubOperation(
  {
    name: "metrics",
    method: "get",
    path: "/metrics",
    says: "Counters and gauges for Prometheus. With a token also the head of each team that the token is for, by name.",
    access: "open",
    answers: { 200: { says: "Text.", mediaType: "text/plain" } },
  },
  async ({ services, caller }) => {
    const { hub } = services;
    const heads: { readonly team: string; readonly seq: number }[] = [];
    const teams = await hub.teams();
    // A count of some teams, or of none, would look like lost entries.
    let isAll = teams.ok;
    for (const team of teams.ok ? teams.value : []) {
      const folded = await hub.journal.state(team);
      if (folded.ok) heads.push({ team, seq: folded.value.head.seq });
      else isAll = false;
    }
    const isReady = (await services.readiness.checks()).every(({ ok }) => ok);
    const text = services.metrics.text({
      entries: isAll ? heads.reduce((sum, { seq }) => sum + seq, 0) : null,
      heads: caller === null ? [] : heads.filter(({ team }) => caller.team === null || caller.team === team),
      isReady,
      streams: services.feeds.listeners(),
      authFailures: services.failures.total(),
    });
    return new Response(text, {
      headers: { ...safeHeaders, "content-type": "text/plain; version=0.0.4; charset=utf-8" },
    });
  },
);

export const healthOperations: readonly Operation[] = [health, ready, metrics];

/* The stream of entries for one reader. */

interface StreamOptions {
  readonly services: Pick<HubServices, "clock" | "feeds" | "limits" | "metrics" | "stopping">;
  readonly team: Team;
  /** Entries after this; null: from the head on. */
  readonly after: number | null;
  isStillWelcome(): Promise<boolean>;
  /** Cuts the connection of a reader that does not even take the farewell. */
  hangUp(): void;
  /** The stream is over, for whatever reason; called once. */
  closed(): void;
}

/** The stream as the body of an answer. */
function eventStream(options: StreamOptions): ReadableStream<Uint8Array> {
  let client: Client | null = null;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      client = new Client(options, controller);
      void client.run();
    },
    pull: () => client?.pull(),
    cancel: () => client?.leave(),
  });
}

const encoder = new TextEncoder();
const beatFrame = encoder.encode(":\n\n");
/** Said first: a browser comes back a second after a break instead of after some. */
const helloFrame = encoder.encode("retry: 1000\n\n");
/** How many bytes wait for a reader that catches up at most. */
const catchUpBytes = 64 * 1024;
/** Bytes that go to the connection at once. */
const pieceBytes = 16 * 1024;

class Client implements Listener {
  readonly #options: StreamOptions;
  readonly #controller: ReadableStreamDefaultController<Uint8Array>;
  readonly #gone = new AbortController();
  #feed: Feed | null = null;
  /** Whether the reader waits for more; else frames go to the buffer. */
  #isWaiting = false;
  #isEnding = false;
  #buffer: Uint8Array[] = [];
  #bufferBytes = 0;
  /** The last entry in the buffer or beyond, and the last that went to the connection. */
  #last: number;
  #lastHanded: number;
  #onTaken: (() => void) | null = null;

  constructor(options: StreamOptions, controller: ReadableStreamDefaultController<Uint8Array>) {
    this.#options = options;
    this.#controller = controller;
    this.#last = this.#lastHanded = options.after ?? 0;
  }

  /** Catches up and joins the feed. */
  async run(): Promise<void> {
    const { services, team, after } = this.#options;
    services.stopping.addEventListener("abort", () => this.end(), { once: true, signal: this.#gone.signal });
    // Shows the reader immediately that the stream works.
    this.#push(helloFrame);
    // A browser comes back at once when its stream ends, also while the hub is stopping.
    if (services.stopping.aborted) return this.end();
    let isFresh = after === null;
    while (!this.#isOver()) {
      const feed = await services.feeds.of(team.name);
      if (!feed.ok) return this.end();
      // The reader may have gone meanwhile, and nobody would take it out of the feed.
      if (this.#isOver()) return;
      if (isFresh) this.#last = this.#lastHanded = feed.value.position();
      isFresh = false;
      this.#feed = feed.value;
      if (!feed.value.attend(this)) {
        // However soon feeds end, asking for the next leaves room for everything else.
        await ownTurn();
        continue;
      }
      if (!(await this.#catchUp(feed.value))) return this.end();
      // No await between the last look at the position and joining, so nothing falls between.
      if (feed.value.join(this)) return;
    }
  }

  pull(): void {
    this.#isWaiting = true;
    this.#flush();
    this.#onTaken?.();
    this.#onTaken = null;
  }

  /** The reader went away, or everything is said. */
  leave(): void {
    if (this.#gone.signal.aborted) return;
    this.#gone.abort();
    this.#feed?.leave(this);
    this.#buffer = [];
    this.#onTaken?.();
    this.#options.closed();
  }

  take({ seq, bytes }: Frame): void {
    if (this.#isOver() || seq <= this.#last) return;
    if (this.#bufferBytes + bytes.byteLength > this.#options.services.limits.streamBufferBytesMax) {
      this.#letGo();
      return;
    }
    this.#last = seq;
    this.#push(bytes);
  }

  /** Ends the stream of a reader that is too slow. */
  #letGo(): void {
    this.#options.services.metrics.overflow();
    const farewell = `event: overflow\ndata: ${JSON.stringify({ lastSeq: this.#lastHanded })}\n\n`;
    this.#last = this.#lastHanded;
    this.#buffer = [encoder.encode(farewell)];
    this.end();
  }

  beat(): void {
    if (!this.#isOver() && this.#isWaiting) this.#push(beatFrame);
  }

  isStillWelcome(): Promise<boolean> {
    return this.#options.isStillWelcome();
  }

  /** Ends after what waits has been taken; a reader that takes nothing is cut off. */
  end(): void {
    if (this.#isOver()) return;
    this.#isEnding = true;
    this.#feed?.leave(this);
    if (this.#isWaiting) this.#flush();
    else void this.#cutOffLater();
  }

  dismiss(): void {
    this.#buffer = [];
    this.#bufferBytes = 0;
    this.end();
    // What the connection holds already could reach a reader that takes nothing at any later time.
    if (this.#gone.signal.aborted) return;
    this.leave();
    this.#options.hangUp();
  }

  async #cutOffLater(): Promise<void> {
    const { clock, limits } = this.#options.services;
    await clock.wait(limits.streamFarewellMs, this.#gone.signal);
    if (this.#gone.signal.aborted) return;
    this.leave();
    this.#options.hangUp();
  }

  #isOver(): boolean {
    return this.#isEnding || this.#gone.signal.aborted;
  }

  /**
   * Reads the record up to where the feed is, no faster than the reader takes it. False: the stream is over, or the reader
   * may not have more.
   */
  async #catchUp(feed: Feed): Promise<boolean> {
    while (!this.#isOver() && this.#last < feed.position()) {
      if (!(await this.#options.isStillWelcome())) {
        this.dismiss();
        return false;
      }
      await ownTurn();
      const frames = await feed.page(this.#last);
      if (frames === null || !(await this.#handOver(frames))) return false;
    }
    return !this.#isOver();
  }

  /** Gives the reader some entries, in pieces that it has room for. */
  async #handOver(frames: readonly Frame[]): Promise<boolean> {
    let piece: Uint8Array[] = [];
    let length = 0;
    for (const [index, { seq, bytes }] of frames.entries()) {
      piece.push(bytes);
      length += bytes.byteLength;
      if (length < pieceBytes && index < frames.length - 1) continue;
      if (!(await this.#hasRoom())) return false;
      this.#last = seq;
      this.#push(Buffer.concat(piece));
      piece = [];
      length = 0;
    }
    return true;
  }

  /** Waits until the reader took enough to get more; a reader that takes nothing in time loses its place. */
  async #hasRoom(): Promise<boolean> {
    const { clock, limits } = this.#options.services;
    while (this.#bufferBytes >= catchUpBytes && !this.#isOver()) {
      const taken = new AbortController();
      const isLate = await Promise.race([
        this.#taken().then(() => false),
        clock.wait(limits.streamIdleMs, taken.signal).then(() => true),
      ]);
      taken.abort();
      if (isLate && !this.#isOver()) this.#letGo();
    }
    return !this.#isOver();
  }

  /** Resolves when the reader has taken what was given to it, or is gone. */
  #taken(): Promise<void> {
    return new Promise((resolve) => {
      this.#onTaken = resolve;
    });
  }

  #push(frame: Uint8Array): void {
    this.#buffer.push(frame);
    this.#bufferBytes += frame.byteLength;
    if (this.#isWaiting) this.#flush();
  }

  #flush(): void {
    if (this.#gone.signal.aborted) return;
    const [first, ...others] = this.#buffer;
    if (first !== undefined) {
      const bytes = others.length === 0 ? first : Buffer.concat(this.#buffer);
      this.#buffer = [];
      this.#bufferBytes = 0;
      this.#lastHanded = this.#last;
      this.#isWaiting = false;
      this.#controller.enqueue(bytes);
    }
    if (!this.#isEnding) return;
    this.leave();
    this.#controller.close();
  }
}
