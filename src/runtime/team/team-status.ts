/** The state of a team as a whole: its definition, its journal, its agents, and what waits for somebody. */
import type { ArtifactView } from "../../coordination/artifacts/artifacts.ts";
import type { HealthState } from "../../coordination/health/health.ts";
import type { PhaseGlance } from "../../coordination/phases/phase-view.ts";
import type { EditView, TaskState } from "../../coordination/tasks/board.ts";
import type { Entry } from "../../journal/entry.ts";
import type { Marks } from "../../journal/journal.ts";
import type { BreakerView } from "../../operations/breakers.ts";
import type { TeamDefinition } from "../../team/definition.ts";
import type { RevisionChange } from "../../team/revision-changes.ts";
import type { Member } from "../../team/roster.ts";
import type { DeliveryState } from "../delivery/delivery-note.ts";

/** What the team file wants and the owner has not confirmed, as it is shown. Strings come from the file. */
export interface ProposalView {
  /** What `confirmRevision` and `declineRevision` name. */
  readonly id: string;
  /** `declined`: the file still differs from what is in force. */
  readonly status: "waiting" | "declined";
  readonly reason: string | null;
  /** What would change, what waits first. */
  readonly changes: readonly RevisionChange[];
}

/** An agent, with how far its mail has come and whether it is there. */
export interface AgentStatus extends Member {
  readonly unread: number;
  readonly marks: Marks;
  /** What its model was shown, and how long its mail took. */
  readonly delivery: DeliveryState;
  readonly acknowledged: number;
  readonly health: HealthState;
  /** When it last acted, asked for its mail or showed otherwise that it is there, RFC 3339; null: never. */
  readonly lastSeenAt: string | null;
}

/** What `status` answers. */
export interface TeamStatus {
  readonly team: string;
  readonly definition: TeamDefinition | null;
  /** How many revisions of the definition are recorded; the last is active. */
  readonly revision: number;
  /** What the team file wants beyond that: it waits for the owner, or was declined. Null: the file says the same. */
  readonly proposal: ProposalView | null;
  readonly head: { readonly seq: number; readonly hash: string; readonly epoch: number };
  readonly journal: "ready" | "regressed" | "failed";
  readonly counts: Readonly<Record<Entry["kind"], number>>;
  readonly agents: readonly AgentStatus[];
  readonly openApprovals: number;
  /** Plans whose reports say that they used more tokens than their contract's budget. */
  readonly overBudget: readonly string[];
  readonly contracts: number;
  /** How many tasks are in each state. */
  readonly tasks: Readonly<Record<TaskState, number>>;
  /** Tasks that are reported as complete and not verified: how many wait for a verdict, and how many can have none. */
  readonly unverified: { readonly awaited: number; readonly unavailable: number };
  /** Files that agents hold because they edit them. */
  readonly edits: readonly EditView[];
  /** Messages whose artifacts the repository does not confirm. */
  readonly disputedArtifacts: readonly ArtifactView[];
  readonly breakers: readonly BreakerView[];
  /** Each department's part of each phase that is not over, in a line. */
  readonly phases: readonly PhaseGlance[];
}
