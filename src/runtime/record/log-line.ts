/**
 * The record as people read it: what a reader of the log asks for, one entry in a line, one in full, and which entries
 * a view shows. A view is judged by a line alone, so the journal's reader, those who follow and the hub's page show the
 * same. Pure, and fit for a browser.
 */
import type { Problem } from "../../base/problem.ts";
import type { LineOutcome } from "../../coordination/line-outcome.ts";
import type { ReportStanding } from "../../coordination/tasks/report-status.ts";
import type { Durability, Entry } from "../../journal/entry.ts";
import type { FactKind } from "../../message/facts.ts";
import type { DialectId, Message, Note } from "../../message/message.ts";
import { ownerName } from "../../message/principal.ts";

/** One entry as `log` and `show` present it. */
export interface LogLine extends LineOutcome {
  readonly seq: number;
  readonly epoch: number;
  readonly kind: Entry["kind"];
  readonly id: string | null;
  readonly dialect: DialectId | null;
  readonly type: string | null;
  readonly sender: string;
  readonly receivers: readonly string[];
  readonly recordedAt: string;
  /** The task that a message says it belongs to, or an operation is about, of several the first; null: there is none. */
  readonly task: string | null;
  /** What kind of thing the message says, whatever its dialect calls it; null: it is no message, or prose. */
  readonly fact: FactKind | null;
  /** The state of its report when the line is read; for a new entry, what it says. Null: it makes none. */
  readonly report: ReportStanding | null;
  /** The first problem of a refusal, in a sentence with agent text, so doors escape it. Null: nothing was refused. */
  readonly problem: Pick<Problem, "code" | "message"> | null;
  /** One line for people: what the entry says. Agent text, so doors escape it. */
  readonly summary: string;
}

/** One entry in full, as `show` presents it. */
export interface Shown extends LogLine {
  readonly entry: Entry;
  /** What the journal that keeps it promises. */
  readonly durability: Durability;
  readonly message: Message | null;
  readonly problems: readonly Problem[];
  readonly notes: readonly Note[];
  /** Per receiver: how far delivery of this entry came. */
  readonly delivery: readonly {
    readonly agent: string;
    readonly state: "waiting" | "offered" | "seen" | "acknowledged";
  }[];
}

/** One answer of a reader of the log: what was found among a bounded number of entries. */
export interface LogPage {
  readonly entries: readonly LogLine[];
  /** Where to go on, with `after` (oldest first) or `before` (newest first); null: everything was looked at. */
  readonly next: number | null;
  /** The number of the team's last entry. */
  readonly head: number;
}

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
  /** Ends the reading; what was asked for then is the problem `interrupted`. */
  readonly signal?: AbortSignal;
  /** Called with the progress of a long read: the last scanned entry, and the team's last one. */
  readonly looked?: (seq: number, head: number) => void;
}

/**
 * `messages`: messages, the owner's answers, operations and deadlines that somebody was notified of, agents' refusals,
 * and where entries were lost. `refusals`: what agents were refused.
 */
export const logViews = ["messages", "refusals"] as const;

export type LogView = (typeof logViews)[number];

/** What of a line a view is judged by. */
export type Gist = Pick<LogLine, "kind" | "sender" | "receivers" | "fact">;

/**
 * Whether a view shows the line. A command that speaks, as the owner's answer does, states a fact; a command or a
 * deadline that somebody is notified of has receivers.
 */
export function isInView({ kind, sender, receivers, fact }: Gist, view: LogView): boolean {
  // The owner's own typos do not interest a reader.
  if (kind === "refusal") return sender !== ownerName;
  if (view === "refusals") return false;
  if (kind === "command") return fact !== null || receivers.length > 0;
  if (kind === "timer") return receivers.length > 0;
  return kind === "message" || kind === "epoch";
}
