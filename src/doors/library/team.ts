/**
 * The team as a program has it: one interface, whether the journal is on this machine (`openTeam`) or behind a hub
 * (`connectHub`). Rule: docs/protocol/doors.md, section 8. Guide: docs/guides/library.md.
 */
import type { Problem } from "../../base/problem.ts";
import type { Result } from "../../base/result.ts";
import type { ArtifactVerdict } from "../../evidence/operations/verification.ts";
import type { EntryKind } from "../../journal/entry.ts";
import type { Delivery, InboxPage } from "../../mail/operations.ts";
import type { Calls } from "../../perform/operations/generated/calls.ts";
import type { Reply, TaskVerdict } from "../../perform/operations/reply.ts";
import type { LogLine, Shown } from "../../record/operations/entries.ts";
import type { LogView } from "../../record/view/log-line.ts";
import type { TaskView } from "../../tasks/view/task-view.ts";
import type { TeamStatus } from "../../team/operations/status.ts";

/** How a message is sent. */
export interface SendOptions {
  /** Receivers: names of agents such as `dev-1`, or `role:lead`. Absent: those that the dialect names. */
  readonly to?: string | readonly string[];
  /** Names this sending, so that it can be repeated safely. Absent: the message's own id, else a new one. */
  readonly id?: string;
  /** Refuses unknown extra fields. */
  readonly strict?: boolean;
  /** The message holds its type and its fields alone: Baton fills in what it knows, and refuses unknown fields. */
  readonly draft?: boolean;
}

/** What is read of the inbox. */
export interface InboxOptions {
  /** Only messages with a `seq` above this one; absent: everything that is not acknowledged. */
  readonly after?: number;
  /** At most so many messages, 1 to 1,000; absent: 100. */
  readonly limit?: number;
  /** Waits so long for the first message, in milliseconds; absent: answers at once. */
  readonly waitMs?: number;
  /** Stops the wait. */
  readonly signal?: AbortSignal;
}

/** Which entries of the record are read; without any, all of them. Several conditions must all be met. */
export interface LogOptions {
  /** Only entries with a `seq` above this one. */
  readonly after?: number;
  /** Only entries with a `seq` below this one. */
  readonly before?: number;
  /** From the newest to the oldest. Absent: from the oldest. */
  readonly newestFirst?: boolean;
  /** At most so many entries. */
  readonly limit?: number;
  /** A message type, such as `execution_update`. */
  readonly type?: string;
  readonly sender?: string;
  /** Entries that this agent sent or received. */
  readonly agent?: string;
  /** Messages and operations about this task. */
  readonly task?: string;
  readonly kinds?: readonly EntryKind[];
  /** `messages`: no bookkeeping. `refusals`: what agents were refused. */
  readonly view?: LogView;
  /** Plain text that the message contains, in any case. */
  readonly text?: string;
  /** Recorded at or after this RFC 3339 time. */
  readonly since?: string;
  readonly signal?: AbortSignal;
}

/** Where a watch starts and ends. */
export interface WatchOptions {
  /** The first entry is the one after this `seq`; 0: from the beginning. Absent: from now on. */
  readonly after?: number;
  /** Ends the watch. */
  readonly signal?: AbortSignal;
}

/** Which task is waited for, and how long. */
export interface WaitForVerdict {
  /** The task's id, however it is spelled. */
  readonly task: string;
  /** The plan, where the task's id does not name it. */
  readonly plan?: string;
  /** The longest wait in milliseconds; absent: until `signal` or `close`. */
  readonly waitMs?: number;
  readonly signal?: AbortSignal;
}

/** Which completions are verified. */
export interface VerifyOptions {
  /** Only these tasks. Absent: all that are reported as complete. */
  readonly tasks?: readonly string[];
  readonly signal?: AbortSignal;
}

/**
 * A team for one agent. `Calls` are the operations that every door has; the rest is written for programs.
 *
 * Nothing here throws because of what a caller or another agent did: what changes the record answers a `Reply`, what
 * reads answers a `Result`, and both name problems by code, path and hint. Wrong arguments are such problems too
 * (`missing-field`, `wrong-type`, `wrong-value`, `unknown-field`), whatever TypeScript was reported; nothing of them is
 * recorded. After `close` every call answers `wrong-usage`.
 */
export interface Team extends Calls, AsyncDisposable {
  /** The team's name. */
  readonly name: string;
  /** The agent that acts here: the one that was named, or the one that the token proves. `owner` is the person. */
  readonly agent: string;
  /**
   * Sends one message: a JSON object of a dialect, its text, or prose. Refusals are recorded and answered with all
   * problems. The same `id` again is the same message: the receipt then says `duplicate`.
   *
   * @example
   * const reply = await team.send("The tests are green.", { to: "lead-1" });
   * if (reply.outcome === "accepted") console.log(reply.receipt.seq, reply.receivers);
   */
  send(message: string | Uint8Array | object, options?: SendOptions): Promise<Reply>;
  /**
   * The messages that this agent has not acknowledged, in order. Reading acknowledges nothing. With `waitMs` it waits
   * for the first message and refuses `timed-out` when none came.
   */
  inbox(options?: InboxOptions): Promise<Result<InboxPage, Problem>>;
  /**
   * Each unacknowledged message once, and then each new one as it comes. Acknowledge a message when it is dealt with: a
   * caller that starts again gets the others again. Ends with `signal` and with `close`; a problem is the last item.
   *
   * @example
   * for await (const item of team.receive()) {
   *   if (!item.ok) break;
   *   await team.acknowledge(item.value.seq);
   * }
   */
  receive(options?: { readonly signal?: AbortSignal }): AsyncIterable<Result<Delivery, Problem>>;
  /** Acknowledges everything addressed to this agent up to and including `seq`. Again, it changes nothing. */
  acknowledge(seq: number, options?: { readonly id?: string }): Promise<Reply>;
  /** Shows that the agent is there while it works long and says nothing. Every other call of it shows it too. */
  heartbeat(): Promise<Result<void, Problem>>;
  /** The team at a glance: agents, how many tasks are in each state, what waits. */
  status(): Promise<Result<TeamStatus, Problem>>;
  /**
   * Checks reported completions against the git repository: that of the team's folder, or the hub's. A verdict a task; its
   * `state` is `verified`, `disputed`, `gone`, `complete`, or `reported` where git gave no answer. Refuses
   * `unknown-task`.
   */
  verify(options?: VerifyOptions): Promise<Result<readonly TaskVerdict[], Problem>>;
  /**
   * Waits until git has confirmed or disputed the report of a task, also one that is not reported yet. Answers the task:
   * its `state` is `verified`, `complete`, `disputed` (with `problems`) or `gone`. Refuses `unknown-task`, and
   * `timed-out` after `waitMs` or with `signal`.
   *
   * @example
   * const judged = await lead.waitForVerdict({ task: "1-1-T1", waitMs: 60_000 });
   */
  waitForVerdict(options: WaitForVerdict): Promise<Result<TaskView, Problem>>;
  /** Checks the files that messages name as artifacts in the same way, a verdict a message. */
  verifyArtifacts(options?: { readonly signal?: AbortSignal }): Promise<Result<readonly ArtifactVerdict[], Problem>>;
  /** The entries of the record that match, in order; a problem is the last item. */
  log(options?: LogOptions): AsyncIterable<Result<LogLine, Problem>>;
  /** One entry in full, by its `seq` or its message id. `sender`: whose entry, where several used that id. */
  show(key: number | string, options?: { readonly sender?: string }): Promise<Result<Shown, Problem>>;
  /**
   * Entries as they are recorded, by any process. Through a hub an interrupted stream continues where it broke: nothing is
   * lost or comes twice. Ends with `signal` and with `close`; a problem is the last item.
   */
  watch(options?: WatchOptions): AsyncIterable<Result<LogLine, Problem>>;
  /** Ends waits and watches, lets calls that are running finish, and closes the journal. Again, it does nothing. */
  close(): Promise<void>;
}
