/**
 * What every operation of the runtime needs: the journal, the team it is about and the clock; and the dialects that exist,
 * which are loaded where something has to do with a message of theirs.
 */
import { argument } from "../base/argument.ts";
import type { Clock } from "../base/clock.ts";
import type { TeamName } from "../base/ids.ts";
import { makeProblem, type Problem } from "../base/problem.ts";
import type { Result } from "../base/result.ts";
import type { RepositoryOptions } from "../evidence/git/repository.ts";
import type { Journal } from "../journal/journal.ts";
import type { Dialect } from "../messages/dialects/dialect.ts";
import type { DialectId } from "../messages/message.ts";
import { batonName, ownerName, type Principal } from "../messages/principal.ts";
import type { BranchTips } from "../tasks/state/branches.ts";
import type { OwnMessageFile } from "../team/state/own-messages.ts";
import type { TeamState } from "./state.ts";

/** The text of a team's files, and where they are. */
export interface TeamTexts {
  readonly path: string;
  readonly text: string;
  /** Absent: the team has no custom message types. */
  readonly messages?: readonly OwnMessageFile[];
}

/**
 * Which of the team's files a folder had last. By it a file that is older than the team's, as in a clone that lacks a pull,
 * differs from one that was changed back.
 */
export interface SeenFile {
  /** What was kept; null: nothing is known. */
  mark(): string | null;
  /** Called when the folder has the latest file. Never throws. */
  keep(mark: string): void;
}

/** A time in which a hub stood still, and everybody with it as far as it knows. */
export interface Pause {
  readonly endMs: number;
  readonly forMs: number;
}

/** The context of what neither reads nor writes a message of a dialect. */
export interface TeamContext {
  readonly journal: Journal<TeamState>;
  readonly team: TeamName;
  readonly clock: Clock;
  /**
   * Whether a repository is at hand. True: a report counts as done once it is verified. False: it is all that can be known.
   * Absent: nobody has looked; a report counts as done, and is shown as not verified.
   */
  readonly hasRepository?: boolean;
  /** The repository around the journal, or that of this hub; absent: there is none. */
  readonly repository?: RepositoryOptions & { readonly directory: string };
  /** Where a report is checked as soon as it is recorded; absent: somebody else looks, such as a hub. */
  readonly judgesAt?: RepositoryOptions & { readonly directory: string };
  /**
   * Reads where the branches of the repository are, for tasks that are recorded; null: it cannot be read. Absent: the
   * repository is unknown, so nothing is recorded about it.
   */
  readBranches?(): Promise<BranchTips | null>;
  /** Reads the commit that is checked out where the actor works; absent: its door names the commit, where one knows it. */
  checkedOut?(): Promise<string | undefined>;
  /** Reads the team's files as they are now; absent or null: there are none at hand. */
  readTeamFile?(): Result<TeamTexts | null, Problem>;
  /** What the folder of the team file remembers; absent: whatever the file says is taken as new. */
  readonly seenFile?: SeenFile;
  /**
   * Since when this process could receive heartbeats, by the machine's time: a hub that was away, for longer than
   * `awayMs`, has missed some. Absent: heartbeats reach the journal by other routes.
   */
  listeningSinceMs?(awayMs: number): number;
  /** The last time in which this hub stood still; null or absent: it did not. */
  pause?(): Pause | null;
}

export interface Context extends TeamContext {
  /** The dialect of that id, or null: this build does not have it. */
  dialectOf(id: DialectId): Dialect | null;
  /** Every dialect. */
  readonly dialects: readonly Dialect[];
}

/** The context with the dialects: its own, else those of this build, which are loaded. */
export async function withDialects(context: TeamContext | Context): Promise<Context> {
  if ("dialects" in context) return context;
  const { dialectOf, dialects } = await import("../messages/dialects/registry.ts");
  return { ...context, dialectOf, dialects };
}

/**
 * Whether a report that is recorded now counts as done only once it is verified: a repository is at hand, or an
 * earlier process of the team has read the branches, so that one with a repository will judge it.
 */
export function awaitsVerdict({ hasRepository }: Pick<Context, "hasRepository">, state: TeamState): boolean {
  return hasRepository === true || state.coordination.work.branches.last > 0;
}

/** An identity as a door proved it; role and department are looked up in the roster when it acts. */
export interface Actor {
  readonly agent: string;
  readonly via: Principal["via"];
  /** The program that speaks for it, by a separate id; absent: one that comes and goes, such as a command. */
  readonly program?: string;
  /** Whom the owner has invited to decide, and who does; absent: nobody but the agent. */
  readonly person?: string;
  /** Whether the proof is still valid; asked when something is given out long after it was shown. Absent: it does. */
  isStillProven?(): Promise<boolean>;
}

/**
 * Baton itself, which records what the repository shows and what deadlines bring. Compared by identity: an actor of another
 * origin that carries the name is not Baton, and `openTeam` and `Hub.team` refuse it.
 */
export const batonActor: Actor = Object.freeze({ agent: batonName, via: "launcher" });

/** Why nobody may act under that name; null: somebody may, or it is Baton itself. */
export function batonsNameProblem(actor: Pick<Actor, "agent">): Problem | null {
  if (actor === batonActor || actor.agent.toLowerCase() !== batonName) return null;
  return makeProblem(
    "sender-not-authorised",
    actor.agent,
    `"${actor.agent}" is the name of Baton itself: nobody acts as it.`,
    {
      received: actor.agent,
      hint: `Name an agent of the team by \`${argument("actor")}\`, or nobody to act as the owner.`,
    },
  );
}

/** The actor as the principal of an entry: with the role and department that the roster gives it now. */
export function principalOf(actor: Actor, state: TeamState): Principal {
  const member = state.team.roster.get(actor.agent);
  if (member === undefined) {
    const { agent, via, person } = actor;
    return { agent, role: agent === ownerName ? "owner" : null, via, ...(person === undefined ? {} : { person }) };
  }
  return {
    agent: actor.agent,
    role: member.role,
    ...(member.department === undefined ? {} : { department: member.department }),
    via: actor.via,
  };
}
