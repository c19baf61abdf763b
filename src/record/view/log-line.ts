/**
 * The record as people read it: what a reader of the log asks for, one entry in a line, one in full, and which entries
 * a view shows. A view is judged by a line alone, so the journal's reader, those who follow and the hub's page show the
 * same. Pure, and fit for a browser.
 */

import type { Entry } from "../../journal/entry.ts";
import { deciderName, ownerName } from "../../messages/principal.ts";
import { remotePrefix } from "../../messages/remote-address.ts";
import type { Outcome } from "../../perform/line-outcome.ts";
import { recordedReports } from "../../perform/operations/generated/recorded.ts";
import type { LogLine } from "../operations/entries.ts";

/** Which entries a reader of the log wants; without any, all of them. */
export interface LogOptions {
  /** Only entries with a seq above this. */
  readonly after?: number;
  /** Only entries with a seq below this. */
  readonly before?: number;
  /** From the newest to the oldest; absent: from the oldest. */
  readonly newestFirst?: boolean;
  readonly limit?: number;
  readonly type?: string;
  readonly sender?: string;
  /** Entries that this agent sent or was sent. */
  readonly agent?: string;
  /** Messages that say they belong to this task, and operations on it. A number such as `T5` means each task with it. */
  readonly task?: string;
  /** Entries of one of these kinds. */
  readonly kinds?: readonly Entry["kind"][];
  /** Only what the view shows. */
  readonly view?: LogView;
  /** Case-insensitive text that the message must contain; plain text, never a pattern. */
  readonly text?: string;
  /** Entries recorded at or after this RFC 3339 time. */
  readonly since?: string;
  /** Entries recorded before this RFC 3339 time. */
  readonly until?: string;
  /** Entries that have become one of these. */
  readonly outcomes?: readonly Outcome[];
  /** Count what matches too, whatever `limit` is. */
  readonly count?: boolean;
  /** Ends the reading; what was asked for then is the problem `interrupted`. */
  readonly signal?: AbortSignal;
  /** Called with the progress of a long read: the last scanned entry, and the team's last one. */
  readonly looked?: (seq: number, head: number) => void;
}

/**
 * `messages`: messages, the owner's answers, reports of work, what remotes are asked and say, operations and deadlines that
 * somebody was notified of, agents' refusals, and where entries were lost. `refusals`: what agents were refused.
 */
export const logViews = ["messages", "refusals"] as const;

export type LogView = (typeof logViews)[number];

/**
 * Who speaks to whom in a line, as it is shown: a remote by its address, such as `remote:shop`, an invited
 * person by `owner:NAME`. Baton records the word of a
 * remote, so the sender of that entry is Baton.
 */
export function partiesOf({
  sender,
  person,
  receivers,
  remote,
}: Pick<LogLine, "sender" | "person" | "receivers" | "remote">): {
  readonly from: string;
  readonly to: readonly string[];
} {
  if (remote === undefined) return { from: deciderName({ agent: sender, person }), to: receivers };
  const address = `${remotePrefix}${remote.name}`;
  return remote.says === null ? { from: sender, to: [address, ...receivers] } : { from: address, to: receivers };
}

/** Whether an agent, or a remote by its address, speaks or is spoken to in a line. */
export function isParty(line: Pick<LogLine, "sender" | "person" | "receivers" | "remote">, name: string): boolean {
  const { from, to } = partiesOf(line);
  return line.sender === name || from === name || to.includes(name);
}

/** What is said to a remote, and what it says. */
const remoteTalk: ReadonlySet<string> = new Set(["ask-remote", "report-remote"]);

/** What of a line a view is judged by. */
export type Gist = Pick<LogLine, "kind" | "sender" | "receivers" | "fact" | "type">;

/**
 * Whether a view shows the line. A command that speaks, as the owner's answer does, states a fact; a command or a
 * deadline that somebody is notified of has receivers.
 */
export function isInView({ kind, sender, receivers, fact, type }: Gist, view: LogView): boolean {
  // The owner's own typos do not interest a reader.
  if (kind === "refusal") return sender !== ownerName;
  if (view === "refusals") return false;
  if (kind === "command")
    return (
      fact !== null || receivers.length > 0 || (type !== null && (recordedReports.has(type) || remoteTalk.has(type)))
    );
  if (kind === "timer") return receivers.length > 0;
  return kind === "message" || kind === "epoch";
}
