/**
 * A team as doors use it: one handle bound to one acting principal. Every door (command line, HTTP, MCP, library)
 * calls these and nothing else, so all of them have the same semantics.
 */
import type { Problem } from "../base/problem.ts";
import type { Result } from "../base/result.ts";
import type { EditPermissions } from "../evidence/decide/gate.ts";
import type { ArtifactOptions } from "../evidence/handlers/artifact-verdicts.ts";
import type { EditOptions } from "../evidence/handlers/edit-taking.ts";
import type { ArtifactVerdict } from "../evidence/operations/verification.ts";
import type { GateAnswer, PermissionsAsked, RepositoryPlace } from "../evidence/services/gate.ts";
import type { VerifyOptions } from "../evidence/services/verification.ts";
import type { JournalCondition } from "../journal/journal.ts";
import type { Landed } from "../landing/operations.ts";
import type { LandOptions } from "../landing/services/landing.ts";
import type { InboxPage } from "../mail/operations.ts";
import type { ShownMail } from "../mail/services/delivery-note.ts";
import type { Address } from "../messages/role.ts";
import type { FolderChanges, FolderQuestion } from "../planning/handlers/folder-changes.ts";
import type { LogLine, LogPage, Shown } from "../record/operations/entries.ts";
import type { LogOptions } from "../record/view/log-line.ts";
import type { RemoteDelivery } from "../remotes/handlers.ts";
import type { EditAnswer } from "../tasks/operations/claims.ts";
import type { Attendance } from "../team/handlers/programs.ts";
import type { Views } from "../team/view/view-tags.ts";
import type { Actor } from "./context.ts";
import type { Calls, RegisterAgent } from "./operations/generated/calls.ts";
import type { Reply, TaskVerdict } from "./operations/reply.ts";
import type { History } from "./restoring.ts";

export interface SendOptions {
  /** Names the operation for retries; else the wire id; else one is made and the receipt says so. */
  readonly id?: string;
  /**
   * The operation's id if the input is prose that quotes a message with another id; absent: one is created. A caller
   * that may have to repeat such an input sets it, so that no copy is recorded. If neither `id` nor the message has an
   * id, this one is used.
   */
  readonly proseId?: string;
  /** Named receivers; absent: those the dialect names. */
  readonly to?: readonly Address[];
  /** Refuse unknown extra fields. */
  readonly strict?: boolean;
  /**
   * The text is a draft: one JSON object of a message's type and its fields. Baton fills in the envelope and the fields
   * that it knows, and refuses unknown ones.
   */
  readonly draft?: boolean;
}

/** An agent to be registered. */
export type Registration = RegisterAgent;

/** A team with what it can say about a git repository. */
export type WorkingTeam = Team & RepositoryWork;

/** A team as a hub serves it. */
export type HubTeam = WorkingTeam &
  Views & {
    /** Puts verified work on the main branch, or a hub on the one before it: see `landing/services/landing.ts`. */
    land(place: RepositoryPlace, options?: LandOptions): Promise<Result<Landed, Problem>>;
  };

/** A team where its journal lies. */
export type LocalTeam = HubTeam &
  RemoteDelivery &
  History & {
    /** What of the record the planning folder of another tool shows, since an entry. Problems: those of the journal. */
    folderChanges(asked: FolderQuestion): Promise<Result<FolderChanges, Problem>>;
  };

export interface Team extends Calls, AsyncDisposable {
  readonly name: string;
  readonly actor: Actor;
  /** Whether the journal takes new entries; where it does not, everything can still be read. */
  condition(): JournalCondition;
  /** The one way in: a string of any kind, whole. */
  send(text: string | Uint8Array, options?: SendOptions): Promise<Reply>;
  /** Unacknowledged messages in order, marked as offered. `waitMs` > 0 waits for the first. */
  inbox(options?: {
    readonly after?: number;
    readonly limit?: number;
    readonly waitMs?: number;
    readonly signal?: AbortSignal;
  }): Promise<Result<InboxPage, Problem>>;
  /** Says that the reader's next step used messages up to `seq`. */
  seen(seq: number): Promise<Result<void, Problem>>;
  /**
   * Says what a hook or a tool has shown to the agent's model, and in which of its contexts, so that it is shown once in
   * each. Refuses `not-found` for a number that the team has not reached. See docs/protocol/record.md, section 5.
   */
  shown(mail: ShownMail): Promise<Result<void, Problem>>;
  /** Shows that the agent is there, for programs that listen and say nothing. Asking for mail shows it too. */
  heartbeat(): Promise<Result<void, Problem>>;
  /**
   * Shows that the program of this handle is there and speaks for the agent from now on; to be called again as often as the
   * answer says. Whichever program did before is fenced off. Refuses `session-replaced` once another has begun.
   */
  attend(): Promise<Result<Attendance, Problem>>;
  /** Says that the program of this handle ends in order, so that nothing more is expected of it. */
  leave(): Promise<Result<void, Problem>>;
  /** Acknowledges everything addressed to this agent up to `seq`. */
  acknowledge(seq: number, options?: { readonly id?: string }): Promise<Reply>;
  /** Entries that match, in order, read page by page. */
  log(options?: LogOptions): AsyncIterable<Result<LogLine, Problem>>;
  /** The entries that match among a bounded number of entries, and where to go on. */
  logPage(options?: LogOptions): Promise<Result<LogPage, Problem>>;
  /** One entry by its seq (`17`) or message id. */
  /** `sender`: whose entry is meant, where several used the id. */
  show(key: string, options?: { readonly sender?: string }): Promise<Result<Shown, Problem>>;
  /** Entries as they come, from any process. */
  follow(options: { readonly after: number; readonly signal: AbortSignal }): AsyncIterable<LogLine>;
}

/*
 * What a team can say about a git repository: reported work, and what is about to be committed. A hub's team judges reported
 * work by the hub's repository, and what is about to be committed by the one here.
 */

/** Work checked against a git repository. */
export interface RepositoryWork {
  /** Reported completions, judged by what the repository shows: see `verification.ts`. */
  verify(place: RepositoryPlace, options?: VerifyOptions): Promise<Result<readonly TaskVerdict[], Problem>>;
  /** The artifacts that messages name, judged the same way: see `artifact-verdicts.ts`. */
  verifyArtifacts(
    place: RepositoryPlace,
    options?: ArtifactOptions,
  ): Promise<Result<readonly ArtifactVerdict[], Problem>>;
  /** Brings back who stopped with everybody: see `team/handlers/resuming.ts`. */
  resumeAgents(agent?: string): Promise<Result<number, Problem>>;
  /** Ends the parts of agents that open rounds need not wait for: see `shutdown/services/shutdown-passing.ts`. */
  passAgents(ended: readonly string[]): Promise<Result<number, Problem>>;
  /** Looks at the repository after rounds that are over: see `shutdown/services/shutdown-inspection.ts`. */
  inspectRounds(place: RepositoryPlace): Promise<Result<number, Problem>>;
  /** What agents may change: see `gate.ts`. */
  permissions(asked: PermissionsAsked): Promise<Result<readonly EditPermissions[], Problem>>;
  /** Whether the acting agent may write files now; it takes those that it does not hold: see `edit-taking.ts`. */
  editFiles(files: readonly string[], options?: EditOptions): Promise<Result<EditAnswer, Problem>>;
  /** What is staged there, judged for an agent: see `gate.ts`. */
  judgeStaged(place: RepositoryPlace, agent: string): Promise<Result<GateAnswer, Problem>>;
  /** The commits of a range, each judged for its author. */
  judgeRange(
    place: RepositoryPlace,
    range: string,
    who: { readonly as: string | null; readonly fallback: string | null },
  ): Promise<Result<readonly GateAnswer[], Problem>>;
}
