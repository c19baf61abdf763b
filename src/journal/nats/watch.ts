/**
 * Learning of messages of the log: a consumer that gets each message once it is stored, without its body. The server sends
 * a heartbeat every few seconds, so a consumer that is gone is noticed and made again.
 */

import { systemClock } from "../../base/clock.ts";
import type { TeamName } from "../../base/ids.ts";
import { err, ok } from "../../base/result.ts";
import { type DueMark, type DueTeams, dueAmong } from "../deadlines.ts";
import type { Answer } from "../remote/backend.ts";
import type { Link } from "./connection.ts";
import type { Message } from "./driver.ts";
import { unreachable } from "./failures.ts";
import { placeOf } from "./streams.ts";

const heartbeatMs = 2_000;
const betweenTriesMs = 500;

/** Which messages of the log a consumer gets: those to come, or also the last one of each subject. */
interface Consumed {
  readonly stream: string;
  readonly subject: string;
  readonly deliver: "new" | "last_per_subject";
}

/** Calls `ring` with the team of each new message until `signal` aborts; with null where some may have been missed. */
export async function watchLog(
  link: Link,
  stream: string,
  subject: string,
  ring: (team: string | null) => void,
  signal: AbortSignal,
): Promise<void> {
  const hear = (message: Message) => {
    ring(teamOf(message.subject));
    return true;
  };
  await consume(link, { stream, subject, deliver: "new" }, { begin: () => ring(null), hear }, signal);
}

function teamOf(subject: string): string {
  return subject.slice(subject.lastIndexOf(".") + 1);
}

interface ConsumerInfo {
  readonly num_pending?: number;
  readonly delivered?: { readonly consumer_seq?: number };
}

interface Consumer {
  /** A consumer was made; whether messages are there that it will get. */
  begin(hasMessages: boolean): void;
  /** A message; false where one before it is missing, so that another consumer is needed. */
  hear(message: Message): boolean;
}

/** Gives `to` what comes until `signal` aborts; each `begin` starts over. */
async function consume(
  link: Link,
  { stream, subject, deliver }: Consumed,
  to: Consumer,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const inbox = link.inbox();
    let seenAt = systemClock.monotonic();
    const early: Message[] = [];
    let [hasBegun, hasGap] = [false, false];
    const leave = link.listen(inbox, (message) => {
      seenAt = systemClock.monotonic();
      // A status has a code: a heartbeat, or that the consumer is gone.
      if ((message.headers?.code ?? 0) === 0) {
        if (!hasBegun) early.push(message);
        else if (!to.hear(message)) hasGap = true;
      }
      if (message.headers?.code === 100 && message.reply !== undefined && message.reply !== "")
        link.tell(message.reply, "");
    });
    const name = inbox.slice("_INBOX.".length);
    const made = await link.api<ConsumerInfo>(`CONSUMER.CREATE.${stream}.${name}`, {
      stream_name: stream,
      action: "create",
      config: {
        name,
        deliver_subject: inbox,
        deliver_policy: deliver,
        ack_policy: "none",
        filter_subject: subject,
        headers_only: true,
        flow_control: true,
        idle_heartbeat: heartbeatMs * 1_000_000,
        inactive_threshold: 30_000_000_000,
        mem_storage: true,
        num_replicas: 1,
      },
    });
    if (made.ok) {
      // Messages may come before the answer.
      to.begin((made.value.num_pending ?? 0) + (made.value.delivered?.consumer_seq ?? 0) > 0);
      hasBegun = true;
      for (const message of early) hasGap ||= !to.hear(message);
      seenAt = systemClock.monotonic();
      while (!signal.aborted && !hasGap && systemClock.monotonic() < seenAt + 2.5 * heartbeatMs)
        await systemClock.wait(heartbeatMs, signal);
    } else if (made.error.kind === "final") return;
    leave();
    link.tell(`$JS.API.CONSUMER.DELETE.${stream}.${name}`, "");
    if (!signal.aborted) await systemClock.wait(betweenTriesMs, signal);
  }
}

/*
 * The index of deadlines: a message of the log names the next deadline of its team in a header, so the last message of each
 * team is the index. It is kept in memory, of every team, as a consumer reports it: two numbers a team and no entry.
 */

/** The header, `AT RULE`; AT is `-` where the team has no deadline. */
const dueHeader = "Baton-Due";
/** How long the first messages may take. */
const readyMs = 4_000;
const betweenLooksMs = 20;

export interface DueIndex {
  due(rule: string, atMs: number): Answer<DueTeams>;
  /** Takes in the mark of the message with this number, or one that is nearer to the truth. */
  note(team: TeamName, at: number, mark: DueMark | null): void;
}

export function dueHeaders(mark: DueMark | null): Readonly<Record<string, string>> {
  return mark === null ? {} : { [dueHeader]: `${mark.at ?? "-"} ${mark.rule}` };
}

/** The index of the log; it is first filled when it is asked. */
export function dueIndexOf(link: Link, stream: string, subject: string, signal: AbortSignal): DueIndex {
  const marks = new Map<TeamName, { readonly at: number; readonly mark: DueMark | null }>();
  let isReady = false;
  let seen = 0;
  let hasBegun = false;
  const note: DueIndex["note"] = (team, at, mark) => {
    if (at >= (marks.get(team)?.at ?? 0)) marks.set(team, { at, mark });
  };
  const consumer: Consumer = {
    begin(hasMessages) {
      // What an earlier consumer told may be of a log that was taken back since.
      marks.clear();
      seen = 0;
      isReady = !hasMessages;
    },
    hear({ subject: from, reply, headers }) {
      const place = placeOf(reply);
      if (place === null) return true;
      seen += 1;
      const isNext = place.delivered === seen;
      isReady = isNext && (isReady || place.pending === 0);
      note(teamOf(from) as TeamName, place.at, readMark(headers?.get(dueHeader) ?? "")); // only teams have a subject
      return isNext;
    },
  };
  return {
    note,
    async due(rule, atMs) {
      if (!hasBegun) void consume(link, { stream, subject, deliver: "last_per_subject" }, consumer, signal);
      hasBegun = true;
      const deadline = systemClock.monotonic() + readyMs;
      while (!isReady && systemClock.monotonic() < deadline && !signal.aborted)
        await systemClock.wait(betweenLooksMs, signal);
      if (!isReady) return err(unreachable(link.place, "it does not tell which deadlines there are"));
      const known = [...marks].map(([team, { mark }]) => [team, mark] as const);
      return ok(dueAmong(known, rule, atMs));
    },
  };
}

function readMark(header: string): DueMark | null {
  const end = header.indexOf(" ");
  const [at, rule] = [header.slice(0, Math.max(0, end)), header.slice(end + 1)];
  if (rule === "" || !(at === "-" || Number.isSafeInteger(Number(at)))) return null;
  return { rule, at: at === "-" ? null : Number(at) };
}
