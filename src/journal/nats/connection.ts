/**
 * The connection to a NATS server: the driver `@nats-io/transport-node`, loaded when a journal on NATS is opened and not
 * before, requests with short time limits, and what the server's errors mean. It is an optional dependency, so it may be
 * absent. A connection that is away refuses at once: what the driver would keep for later could be written after its
 * sender gave up.
 */
import { readFile } from "node:fs/promises";
import { systemClock } from "../../base/clock.ts";
import { reasonOf } from "../../base/plain-file.ts";
import { type Problem, problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { Answer } from "../remote/backend.ts";
import type { NatsAddress } from "./address.ts";
import { failureOf, readAnswer, unreachable } from "./failures.ts";

/** The part of the driver that this engine uses. */
interface Driver {
  connect(options: Readonly<Record<string, unknown>>): Promise<Connection>;
  headers(): Headers;
  credsAuthenticator(credentials: Uint8Array): unknown;
  nuid: { next(): string };
}

interface Headers {
  set(key: string, value: string): void;
}

interface Subscription {
  unsubscribe(): void;
}

/** A message as the driver gives it. */
export interface Message {
  readonly subject: string;
  readonly reply?: string;
  readonly data: Uint8Array;
  readonly headers?: { readonly code: number; get(key: string): string };
}

interface Connection {
  readonly info?: ServerInfo;
  request(
    subject: string,
    data: Uint8Array | string,
    options: { readonly timeout: number; readonly headers?: Headers },
  ): Promise<Message>;
  publish(subject: string, data?: Uint8Array | string, options?: { readonly reply?: string }): void;
  subscribe(
    subject: string,
    options: { readonly callback: (error: Error | null, message: Message) => void; readonly queue?: string },
  ): Subscription;
  status(): AsyncIterable<{ readonly type: string }>;
  isClosed(): boolean;
  close(): Promise<void>;
}

/** What a server says of itself. */
export interface ServerInfo {
  readonly server_name: string;
  readonly version: string;
  readonly max_payload: number;
  readonly cluster?: string;
  readonly jetstream?: boolean;
}

/** The connection of a journal. */
export interface Link {
  readonly place: string;
  /** What the connected server says of itself; null: there is none at the moment. */
  info(): ServerInfo | null;
  /** Asks and waits for one answer. */
  ask(subject: string, data: Uint8Array | string, asked?: Asked): Answer<Message>;
  /** Asks the programming interface of JetStream. */
  api<Value>(call: string, body: unknown, asked?: Asked): Answer<Value>;
  /** Sends without an answer; nothing where the connection is away. */
  tell(subject: string, data: Uint8Array | string, reply?: string): void;
  /**
   * Calls `hear` for each message until the returned function is called. Of all that listen with the same `queue` one
   * hears each message; absent: everybody does.
   */
  listen(subject: string, hear: (message: Message) => void, queue?: string): () => void;
  /** A subject that nobody else uses. */
  inbox(): string;
  /** Calls `back` each time the connection was lost and made again. */
  onReconnect(back: () => void): void;
  close(): Promise<void>;
}

interface Asked {
  readonly timeoutMs?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** While a cluster chooses a leader nobody answers, and the caller tries again. */
const answerMs = 1_500;
const connectMs = 3_000;
const betweenTriesMs = 100;

/** Loads the driver. Refuses with `journal-cannot-open` where it is not installed. */
async function loadDriver(place: string): Promise<Result<Driver, Problem>> {
  // A name that is not written in the call is left alone by bundlers and by the compiler: the package may be absent.
  const name: string = "@nats-io/transport-node";
  try {
    const loaded: { readonly default: Driver } = await import(name);
    return ok(loaded.default);
  } catch (error) {
    return err(
      problem("journal-cannot-open", place, "The driver for NATS is not installed.", {
        received: reasonOf(error),
        hint: "Install it next to Baton: npm install @nats-io/transport-node@3. It is left out where optional dependencies are.",
      }),
    );
  }
}

/** Connects, and tries again until `deadline`. Refuses with the problem of the last try. */
export async function connectTo(address: NatsAddress, deadline: number): Promise<Result<Link, Problem>> {
  const { place } = address;
  const driver = await loadDriver(place);
  if (!driver.ok) return driver;
  const options = await optionsOf(driver.value, address);
  if (!options.ok) return options;
  for (;;) {
    try {
      return ok(linkOf(driver.value, await driver.value.connect(options.value), options.value, place));
    } catch (error) {
      const { kind, problem: fault } = failureOf(error, place);
      if (kind !== "unreachable" || systemClock.monotonic() > deadline) return err(fault);
      await systemClock.wait(betweenTriesMs);
    }
  }
}

type Options = Readonly<Record<string, unknown>>;

async function optionsOf(driver: Driver, address: NatsAddress): Promise<Result<Options, Problem>> {
  const { servers, user, password, credentials, authority, usesTls, place } = address;
  try {
    const login =
      credentials !== null
        ? { authenticator: driver.credsAuthenticator(await readFile(credentials)) }
        : password === null
          ? user === null
            ? loginOf(process.env)
            : { user, pass: process.env.NATS_PASSWORD ?? "" }
          : { user, pass: password };
    return ok({
      servers,
      name: "baton",
      ...login,
      ...(usesTls ? { tls: authority === null ? {} : { caFile: authority } } : {}),
      timeout: connectMs,
      // A connection to a stopped server is noticed by this only.
      pingInterval: 2_000,
      maxPingOut: 2,
      maxReconnectAttempts: -1,
      reconnectTimeWait: betweenTriesMs,
      // In a cluster each server names the others again, so a user whom none lets in would be tried for ever. Who was let in
      // before, and is refused for a while, is tried again by `connectAgain`.
      ignoreAuthErrorAbort: false,
      noAsyncTraces: true,
    });
  } catch (error) {
    return err(
      problem("journal-cannot-open", place, "The file with the credentials for NATS cannot be read.", {
        received: reasonOf(error),
        hint: "Name a file that this user can read: ?creds=FILE.",
      }),
    );
  }
}

function loginOf({ NATS_USER, NATS_PASSWORD }: NodeJS.ProcessEnv): Options {
  return NATS_USER === undefined ? {} : { user: NATS_USER, pass: NATS_PASSWORD ?? "" };
}

function linkOf(driver: Driver, first: Connection, options: Options, place: string): Link {
  const held = newHeld(driver, first, options, place);
  const ask: Link["ask"] = async (subject, data, { timeoutMs = answerMs, headers } = {}) => {
    const connection = held.connection();
    if (connection === null) return err({ ...unreachable(place, "not connected"), isUnsent: true });
    try {
      const set = headers === undefined ? {} : { headers: driver.headers() };
      for (const [key, value] of Object.entries(headers ?? {})) set.headers?.set(key, value);
      const answer = connection.request(subject, data, { timeout: timeoutMs, ...set });
      const first = await held.unlessBroken(answer);
      return first === null ? err(unreachable(place, "the connection was lost")) : ok(first);
    } catch (error) {
      return err(failureOf(error, place));
    }
  };
  return {
    place,
    info: () => held.connection()?.info ?? null,
    ask,
    async api<Value>(call: string, body: unknown, asked: Asked = {}): Answer<Value> {
      const answer = await ask(`$JS.API.${call}`, JSON.stringify(body), asked);
      return answer.ok ? readAnswer<Value>(answer.value, place) : answer;
    },
    tell(subject, data, reply) {
      held.connection()?.publish(subject, data, reply === undefined ? {} : { reply });
    },
    listen: held.listen,
    inbox: () => `_INBOX.${driver.nuid.next()}`,
    onReconnect: held.onReconnect,
    close: held.close,
  };
}

/** A connection that is made again, with what is listened to on it. */
interface Held extends Pick<Link, "listen" | "onReconnect" | "close"> {
  /** Null while it is away. */
  connection(): Connection | null;
  /** The answer, or null once the connection breaks: then none can come any more. */
  unlessBroken(answer: Promise<Message>): Promise<Message | null>;
}

interface Listening {
  readonly subject: string;
  readonly hear: (message: Message) => void;
  readonly queue: string | undefined;
  now: Subscription;
}

/** How long to wait before a server that refused the user is asked again. */
const refusedMs = 1_000;

function newHeld(driver: Driver, first: Connection, options: Options, place: string): Held {
  let connection = first;
  let isAway = false;
  let isEnded = false;
  const whenBack: (() => void)[] = [];
  const listening = new Set<Listening>();
  const subscribed = (subject: string, hear: Listening["hear"], queue?: string) =>
    connection.subscribe(subject, {
      ...(queue === undefined ? {} : { queue }),
      callback: (error, message) => {
        if (error === null) hear(message);
      },
    });
  const awaited = new Set<(nothing: null) => void>();
  const goesAway = () => {
    isAway = true;
    for (const resolve of awaited) resolve(null);
    awaited.clear();
  };
  const isBack = () => {
    isAway = false;
    for (const back of whenBack) back();
  };
  const watch = async () => {
    for await (const { type } of connection.status()) {
      if (type === "disconnect" || type === "staleConnection") goesAway();
      if (type === "reconnect") isBack();
    }
    goesAway();
    if (!isEnded) await connectAgain();
  };
  /** The driver gives up where a server refuses the user; a person may let the user in again. */
  const connectAgain = async () => {
    while (!isEnded) {
      try {
        connection = await driver.connect(options);
        if (isEnded) return await connection.close();
        for (const each of listening) each.now = subscribed(each.subject, each.hear, each.queue);
        isBack();
        return void watch();
      } catch (error) {
        // Only what the server and the network cause; all else is thrown again.
        failureOf(error, place);
        await systemClock.wait(refusedMs);
      }
    }
  };
  void watch();
  return {
    connection: () => (isAway || connection.isClosed() ? null : connection),
    unlessBroken: (answer) =>
      new Promise((resolve, reject) => {
        awaited.add(resolve);
        answer.then(resolve, reject).finally(() => awaited.delete(resolve));
      }),
    listen(subject, hear, queue) {
      const entry: Listening = { subject, hear, queue, now: subscribed(subject, hear, queue) };
      listening.add(entry);
      return () => {
        listening.delete(entry);
        entry.now.unsubscribe();
      };
    },
    onReconnect: (back) => void whenBack.push(back),
    async close() {
      isEnded = true;
      await connection.close();
    },
  };
}
