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
import { type Connection, type Driver, loadDriver, type Message, type ServerInfo } from "./driver.ts";
import { failureOf, readAnswer, unreachable } from "./failures.ts";
import { type HeldConnection, heldConnection } from "./held-connection.ts";

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
