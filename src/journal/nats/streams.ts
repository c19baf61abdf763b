/**
 * Reading and writing the streams of a journal on JetStream. All reads are answered by the stream's leader: one message by
 * its number or as the last of its subject, and many by a consumer that lives as long as the reading. Writing names the
 * last message of the subject that it follows, so of two writers one is refused.
 */

import { nextTurn, systemClock } from "../../base/clock.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { Answer, Failure } from "../remote/backend.ts";
import type { Measure } from "../remote/server-clock.ts";
import type { Link } from "./connection.ts";
import type { Message } from "./driver.ts";
import { orNull, readAnswer, unreachable } from "./failures.ts";

/** A message of a stream. */
export interface Stored {
  /** Its number in the stream. */
  readonly at: number;
  readonly subject: string;
  readonly data: Buffer;
}

/** One stream, over a connection. */
export interface Stream {
  readonly name: string;
  /** The journal's address, without credentials. */
  readonly place: string;
  /** The last message of the subject, which may have a wildcard; null: there is none. */
  last(subject: string): Answer<Stored | null>;
  /** The message with this number; null: there is none. */
  at(number: number): Answer<Stored | null>;
  /** Every message of the subject from the number `from` to `upTo` in order; `take` refuses by answering a failure. */
  each(
    subject: string,
    range: { readonly from: number; readonly upTo: number },
    take: (stored: Stored) => Failure | null,
  ): Answer<void>;
  /**
   * Adds a message where the last of its subject has the number `after`; null: whichever that is. Answers the number of the
   * new one; `busy` where another message is the last, and after `unreachable` it is unknown whether it was added. `more`
   * are headers that it gets.
   */
  put(
    subject: string,
    data: Uint8Array | string,
    after: number | null,
    more?: Readonly<Record<string, string>>,
  ): Answer<number>;
}

interface GetAnswer {
  readonly message: { readonly subject: string; readonly seq: number; readonly data?: string };
}

/** A writer waits longer than a reader: it asks again only after a look whether it was written. */
const putMs = 4_000;
/** Time in which the next message of many must come. */
const nextMs = 2_000;
/** Messages of one pull, and how many bytes they may have as far as is known: the server cuts who takes in too much. */
const pullMax = 25;
const pullFirst = 4;
const pullBytes = 16 * 1024 * 1024;

/** The stream `name` over the connection. */
export function streamOf(link: Link, name: string): Stream {
  const get = async (asked: Readonly<Record<string, unknown>>): Answer<Stored | null> => {
    const answer = await link.api<GetAnswer>(`STREAM.MSG.GET.${name}`, asked);
    if (!answer.ok) return orNull(answer);
    const { subject, seq, data = "" } = answer.value.message;
    return ok({ at: seq, subject, data: Buffer.from(data, "base64") });
  };
  return {
    name,
    place: link.place,
    last: (subject) => get({ last_by_subj: subject }),
    at: (seq) => get({ seq }),
    each: (subject, range, take) => readEach(link, name, { subject, ...range }, take),
    async put(subject, data, after, more = {}) {
      const headers: Record<string, string> = { ...more, "Nats-Expected-Stream": name };
      if (after !== null) headers["Nats-Expected-Last-Subject-Sequence"] = String(after);
      const answer = await link.ask(subject, data, { timeoutMs: putMs, headers });
      if (!answer.ok) return answer;
      const taken = readAnswer<{ readonly seq: number }>(answer.value, link.place);
      return taken.ok ? ok(taken.value.seq) : taken;
    },
  };
}

interface Reading {
  readonly subject: string;
  readonly from: number;
  readonly upTo: number;
}

async function readEach(
  link: Link,
  stream: string,
  { subject, from, upTo }: Reading,
  take: (stored: Stored) => Failure | null,
): Answer<void> {
  if (from > upTo) return ok(undefined);
  const consumer = link.inbox().slice("_INBOX.".length);
  const made = await makeConsumer(link, stream, consumer, { subject, from });
  if (!made.ok) return made;
  const inbox = link.inbox();
  const seen: Message[] = [];
  let wake: () => void = () => undefined;
  const leave = link.listen(inbox, (message) => {
    seen.push(message);
    wake();
  });
  try {
    let [left, bytes, count] = [made.value, 0, 0];
    while (left > 0) {
      const batch = count === 0 ? pullFirst : Math.max(1, Math.min(pullMax, Math.floor((pullBytes * count) / bytes)));
      const asked = Math.min(batch, left);
      link.tell(
        `$JS.API.CONSUMER.MSG.NEXT.${stream}.${consumer}`,
        JSON.stringify({ batch: asked, expires: 5_000_000_000 }),
        inbox,
      );
      for (let open = asked; open > 0; ) {
        const message = seen.shift();
        if (message === undefined) {
          const came = await cameWithin(nextMs, (resolve) => {
            wake = resolve;
          });
          if (!came) return err(silent(link));
          continue;
        }
        // A message without a subject of the stream is a status, such as that the consumer is gone.
        if (message.headers !== undefined && message.headers.code >= 400) return err(silent(link));
        const number = placeOf(message.reply)?.at;
        if (number === undefined) continue;
        open -= 1;
        left -= 1;
        count += 1;
        bytes += message.data.length + 1;
        if (number > upTo) return ok(undefined);
        const refused = take({ at: number, subject: message.subject, data: Buffer.from(message.data) });
        if (refused !== null) return err(refused);
        if (number === upTo) return ok(undefined);
        if (count % pullMax === 0) await nextTurn();
      }
    }
    return ok(undefined);
  } finally {
    leave();
    link.tell(`$JS.API.CONSUMER.DELETE.${stream}.${consumer}`, "");
  }
}

/** Makes a consumer for one reader; answers how many messages it has for it. */
async function makeConsumer(
  link: Link,
  stream: string,
  consumer: string,
  { subject, from }: Pick<Reading, "subject" | "from">,
): Answer<number> {
  const made = await link.api<{ readonly num_pending?: number }>(`CONSUMER.CREATE.${stream}.${consumer}`, {
    stream_name: stream,
    action: "create",
    config: {
      name: consumer,
      deliver_policy: "by_start_sequence",
      opt_start_seq: from,
      filter_subject: subject,
      ack_policy: "none",
      inactive_threshold: 10_000_000_000,
      mem_storage: true,
      num_replicas: 1,
    },
  });
  return made.ok ? ok(made.value.num_pending ?? 0) : made;
}

/** Whether `wake` was called in time. */
async function cameWithin(ms: number, listen: (wake: () => void) => void): Promise<boolean> {
  const timer = new AbortController();
  const came = new Promise<true>((resolve) => listen(() => resolve(true)));
  const isHere = await Promise.race([came, systemClock.wait(ms, timer.signal).then(() => false as const)]);
  timer.abort();
  return isHere;
}

function silent(link: Link): Failure {
  return unreachable(link.place, "it stopped answering while entries were read");
}

/**
 * Where a consumer's message is: its number in the stream, how many the consumer delivered with it, and how many are left.
 * From the subject for acknowledgements: of 9 parts, or of 12 with the domain.
 */
export function placeOf(
  reply: string | undefined,
): { readonly at: number; readonly delivered: number; readonly pending: number } | null {
  const parts = reply?.split(".") ?? [];
  if (parts[0] !== "$JS" || parts[1] !== "ACK") return null;
  const first = parts.length >= 11 ? 7 : 5;
  return { at: Number(parts[first]), delivered: Number(parts[first + 1]), pending: Number(parts[first + 3]) };
}

/** What a stream says of itself. */
export interface StreamInfo {
  readonly config: Readonly<Record<string, unknown>>;
  readonly state: {
    readonly messages: number;
    readonly bytes: number;
    readonly last_seq: number;
    readonly subjects?: Readonly<Record<string, number>>;
  };
  readonly cluster?: {
    readonly leader?: string;
    readonly replicas?: readonly { readonly name: string; readonly current?: boolean; readonly offline?: boolean }[];
  };
  /** When the leader answered. */
  readonly ts?: string;
  /** Where the subjects are more than one answer holds. */
  readonly total?: number;
  readonly offset?: number;
  readonly limit?: number;
}

/** Asks the stream; null: there is none of this name. */
export async function streamInfo(
  link: Link,
  name: string,
  body: unknown = {},
): Promise<Result<StreamInfo | null, Failure>> {
  const answer = await link.api<StreamInfo>(`STREAM.INFO.${name}`, body);
  return !answer.ok && answer.error.code === 10_059 ? ok(null) : answer;
}

/** Asks about a stream by `look`, and measures the server's time by the answer; null: the answer does not say it. */
export async function measureTime<Info extends StreamInfo | null, Problem>(
  look: () => Promise<Result<Info, Problem>>,
): Promise<Result<{ readonly info: Info; readonly time: Measure | null }, Problem>> {
  const askedAt = systemClock.monotonic();
  const found = await look();
  if (!found.ok) return found;
  const answeredAt = systemClock.monotonic();
  const serverMs = Date.parse(found.value?.ts ?? "");
  return ok({ info: found.value, time: Number.isFinite(serverMs) ? { serverMs, askedAt, answeredAt } : null });
}
