/**
 * The connection of a journal to its NATS servers: requests with short time limits, and what the servers' errors mean. A
 * connection that is away refuses at once: what the driver would keep for later could be written after its sender gave up.
 */
import { systemClock } from "../../base/clock.ts";
import type { Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { Answer, Failure } from "../remote/backend.ts";
import type { NatsAddress } from "./address.ts";
import { closingUnused } from "./connecting-sockets.ts";
import { optionsOf } from "./connection-options.ts";
import {
  type Connection,
  type Driver,
  loadDriver,
  type Message,
  type ServerInfo,
  type Subscription,
} from "./driver.ts";
import { failureOf, readAnswer, unreachable } from "./failures.ts";

/** The connection of a journal. */
export interface Link {
  readonly place: string;
  /** What the connected server says of itself; null: there is none at the moment. */
  info(): ServerInfo | null;
  /** Why there is none. */
  whyAway(): Failure;
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
const betweenTriesMs = 100;

/** Connects, and tries again until `deadline`. Refuses with the problem of the last try. */
export async function connectTo(address: NatsAddress, deadline: number): Promise<Result<Link, Problem>> {
  const { place } = address;
  const driver = await loadDriver(place);
  if (!driver.ok) return driver;
  const connect = () => connectOnce(driver.value, address);
  for (;;) {
    const made = await connect();
    if (made.ok) return ok(linkOf(driver.value, heldConnection(made.value, connect, place), place));
    const { kind, problem } = made.error;
    if (kind !== "unreachable" || systemClock.monotonic() > deadline) return err(problem);
    await systemClock.wait(betweenTriesMs);
  }
}

/** Files of credentials are read each time, so one that was replaced counts from the next connection on. */
async function connectOnce(driver: Driver, address: NatsAddress): Answer<Connection> {
  const options = await optionsOf(driver, address);
  if (!options.ok) return err({ kind: "refused", problem: options.error });
  try {
    return ok(await closingUnused(() => driver.connect(options.value)));
  } catch (error) {
    return err(failureOf(error, address.place));
  }
}

function linkOf(driver: Driver, held: HeldConnection, place: string): Link {
  const ask: Link["ask"] = async (subject, data, { timeoutMs = answerMs, headers } = {}) => {
    const connection = held.connection();
    if (connection === null) return err({ ...held.whyAway(), isUnsent: true });
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
    whyAway: held.whyAway,
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

/* One connection for all who use a journal, made again when it is lost. */

/** A connection that is made again, with what is listened to on it. */
interface HeldConnection {
  /** Null while it is away. */
  connection(): Connection | null;
  /** Why nothing can be asked while it is away. */
  whyAway(): Failure;
  /** The answer, or null once the connection breaks: then none can come any more. */
  unlessBroken(answer: Promise<Message>): Promise<Message | null>;
  /** Calls `hear` for each message until the returned function is called, also on the connections to come. */
  listen(subject: string, hear: (message: Message) => void, queue?: string): () => void;
  /** Calls `back` each time the connection was lost and made again. */
  onReconnect(back: () => void): void;
  close(): Promise<void>;
}

interface Listening {
  readonly subject: string;
  readonly hear: (message: Message) => void;
  readonly queue: string | undefined;
  /** Null: the connection was away when it began; it is made when it is back. */
  now: Subscription | null;
}

/** How long to wait before a server that refused the user is asked again. */
const refusedMs = 1_000;

/** Keeps the connection `first`; `connect` makes the next one where the driver gives up. */
function heldConnection(
  first: Connection,
  connect: () => Promise<Result<Connection, Failure>>,
  place: string,
): HeldConnection {
  let connection = first;
  let refusal: Failure | null = null;
  let isAway = false;
  let isEnded = false;
  const isThere = () => !isAway && !connection.isClosed();
  const whenBack: (() => void)[] = [];
  const listeners = newListeners(() => (isThere() ? connection : null));
  const awaited = new Set<(nothing: null) => void>();
  const goesAway = () => {
    isAway = true;
    for (const resolve of awaited) resolve(null);
    awaited.clear();
  };
  const isBack = () => {
    isAway = false;
    refusal = null;
    listeners.isBack();
    for (const back of whenBack) back();
  };
  const watch = async () => {
    holdErrors(connection);
    for await (const { type } of connection.status()) {
      if (type === "disconnect" || type === "staleConnection") goesAway();
      if (type === "reconnect") {
        holdErrors(connection);
        isBack();
      }
    }
    goesAway();
    if (!isEnded) await connectAgain();
  };
  /** The driver gives up where a server refuses the user; a person may let the user in again. */
  const connectAgain = async () => {
    while (!isEnded) {
      const made = await connect();
      if (!made.ok) {
        refusal = made.error.kind === "unreachable" ? null : made.error;
        await systemClock.wait(refusedMs);
        continue;
      }
      connection = made.value;
      if (isEnded) return await connection.close();
      listeners.forget();
      isBack();
      return void watch();
    }
  };
  void watch();
  return {
    connection: () => (isThere() ? connection : null),
    whyAway: () => refusal ?? unreachable(place, "not connected"),
    unlessBroken: (answer) =>
      new Promise((resolve, reject) => {
        awaited.add(resolve);
        answer.then(resolve, reject).finally(() => awaited.delete(resolve));
      }),
    listen: listeners.listen,
    onReconnect: (back) => void whenBack.push(back),
    async close() {
      isEnded = true;
      await connection.close();
    },
  };
}

/** Who listens. While the connection is away nothing is written to it, so what changes meanwhile waits until it is back. */
function newListeners(current: () => Connection | null) {
  const listening = new Set<Listening>();
  const left: (Subscription | null)[] = [];
  const subscribe = (entry: Listening) => {
    const { queue } = entry;
    const callback = (error: Error | null, message: Message) => {
      if (error === null && listening.has(entry)) entry.hear(message);
    };
    entry.now = current()?.subscribe(entry.subject, { ...(queue === undefined ? {} : { queue }), callback }) ?? null;
  };
  const listen: HeldConnection["listen"] = (subject, hear, queue) => {
    const entry: Listening = { subject, hear, queue, now: null };
    listening.add(entry);
    subscribe(entry);
    return () => {
      listening.delete(entry);
      if (current() === null) left.push(entry.now);
      else entry.now?.unsubscribe();
    };
  };
  return {
    listen,
    /** The connection is back. */
    isBack() {
      for (const each of left.splice(0)) each?.unsubscribe();
      for (const each of listening) if (each.now === null) subscribe(each);
    },
    /** Another connection takes the place of the one before, which is closed. */
    forget() {
      left.length = 0;
      for (const each of listening) each.now = null;
    },
  };
}

/**
 * Keeps a listener for errors on the connection's socket. The driver takes all listeners away from a socket that it gives
 * up, and what was written to it a moment before fails a moment later: an error that nobody hears ends the process.
 */
function holdErrors({ protocol }: Connection): void {
  const socket = protocol?.transport?.socket;
  if (socket === undefined) return;
  const removeAll = socket.removeAllListeners.bind(socket);
  socket.removeAllListeners = (...events) => removeAll(...events).on("error", () => undefined);
}
