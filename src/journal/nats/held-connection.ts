/**
 * A connection that is made again where it breaks, also where the driver gives up because a server refused the user, with
 * what is listened to on it.
 */

import { systemClock } from "../../base/clock.ts";
import type { Result } from "../../base/result.ts";
import type { Failure } from "../remote/backend.ts";
import type { Connection, Message, Subscription } from "./driver.ts";
import { unreachable } from "./failures.ts";

/** A connection that is made again, with what is listened to on it. */
export interface HeldConnection {
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
export function heldConnection(
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
