/**
 * Shutdown rounds as people and programs look at them: each agent's part with what it left behind. Of a round that is
 * over, this is its certificate.
 * Source: docs/protocol/shutdown.md.
 */
import { aheadMsOf, timestampOf } from "../base/clock.ts";
import { type Problem, problem } from "../base/problem.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { ShutdownRound, StoppingAgent } from "../coordination/deciders.ts";
import { allRounds, latestRounds, roundOf } from "../coordination/queries.ts";
import { askingsMax } from "../coordination/shutdown-forcing.ts";
import type { Ending, Uncommitted, UncommittedFiles, WorkLeft } from "../coordination/shutdown-rounds.ts";
import type { Context } from "./context.ts";
import { behindNow } from "./shutdown-behind.ts";
import { leftBehind } from "./shutdown-standing.ts";
import type { TeamState } from "./state.ts";

/**
 * How an agent's part ended: as it was recorded, and `left-work` where the agent said that all is clean and what Baton knows
 * says otherwise. Rule: docs/protocol/shutdown.md.
 */
export type PartOutcome = Ending | "left-work";

/** One agent's part. */
export interface StoppingView {
  readonly agent: string;
  /** Null: the round waits for it. */
  readonly outcome: PartOutcome | null;
  /** What it said of its work; null: it never said. */
  readonly status: WorkLeft | null;
  readonly pendingWork: readonly string[];
  /** Tasks that it held when its part ended; they are free again. */
  readonly openClaims: readonly string[];
  /** Tasks that it reported and that the repository contradicts; they are free again. */
  readonly disputed: readonly string[];
  /** Tasks that it reported and whose verdict is still to come. */
  readonly unverified: readonly string[];
  /** Messages that it had not acknowledged when its part ended, the requests to stop aside. */
  readonly unread: number;
  /** Whether everything it wrote is committed, by its own word; null: it did not say. */
  readonly artifactsCommitted: boolean | null;
  /** Files it had in hand and did not commit, found once the round was over; null: nobody looked. */
  readonly uncommitted: UncommittedFiles | null;
  /** How often it refused, and how many askings it let pass without a word. */
  readonly refusals: number;
  readonly silences: number;
  /** It joined the team during the round, and was not asked. */
  readonly joined: boolean;
  /** The entry that ended its part; null: it goes on, or it was not addressed. */
  readonly seq: number | null;
}

/** A round; once `outcome` is not `open`, its certificate. */
export interface ShutdownView {
  /** The request's id. */
  readonly round: string;
  /** The entry that asked first. */
  readonly seq: number;
  /** `complete`: everybody stopped and left nothing behind. */
  readonly outcome: "open" | "complete" | "incomplete";
  readonly requester: string;
  readonly reason: string;
  readonly teamName: string | null;
  /** Which asking it is, of how many. */
  readonly asked: number;
  readonly askingsMax: number;
  readonly deadlineSeconds: number;
  readonly startedAt: string;
  /** When this asking's deadline is; null: the round is over. */
  readonly dueAt: string | null;
  readonly endedAt: string | null;
  /** Uncommitted files that none of the agents had in hand; null: nobody looked. */
  readonly uncommitted: UncommittedFiles | null;
  readonly agents: readonly StoppingView[];
}

/**
 * Rounds, oldest first; `round`: that one alone; `latest`: those that go on, else the last one. Refuses `unknown-request`:
 * no round has that id.
 */
export async function shutdowns(
  context: Context,
  options: { readonly round?: string; readonly latest?: boolean } = {},
): Promise<Result<readonly ShutdownView[], Problem>> {
  const folded = await context.journal.state(context.team);
  if (!folded.ok) return folded;
  const { state } = folded.value;
  const { round: id } = options;
  const ahead = aheadMsOf(context.clock);
  if (id === undefined) {
    const rounds = options.latest === true ? latestRounds(state.coordination) : allRounds(state.coordination);
    return ok(rounds.map((round) => shutdownView(state, round, ahead)));
  }
  const found = roundOf(state.coordination, id);
  if (found !== null) return ok([shutdownView(state, found, ahead)]);
  const hint = "`baton shutdown status` shows the rounds.";
  return err(problem("unknown-request", id, `There is no shutdown round "${id}".`, { received: id, hint }));
}

/** The round as it stands in `state`. `aheadMs`: how far people's clock is ahead of the one by which deadlines count. */
export function shutdownView(state: TeamState, round: ShutdownRound, aheadMs: number): ShutdownView {
  const { requestId, requester, reason, stopReason, reasonText, teamName, asked, standing, endedAtMs } = round;
  const agents = [...round.agents.values()].map((part) => partView(state, round, part));
  const isLeft = standing === "complete" && agents.some(({ outcome }) => outcome === "left-work");
  return {
    round: requestId,
    seq: round.seqs[0] ?? 0,
    outcome: isLeft ? "incomplete" : standing,
    requester,
    reason: reasonText ?? stopReason ?? reason,
    teamName,
    asked,
    askingsMax,
    deadlineSeconds: round.deadlineMs / 1000,
    startedAt: timestampOf(round.startedAtMs + aheadMs),
    dueAt: standing === "open" ? timestampOf(round.dueAtMs + aheadMs) : null,
    uncommitted: round.uncommitted?.others ?? null,
    endedAt: endedAtMs === null ? null : timestampOf(endedAtMs + aheadMs),
    agents,
  };
}

function partView(state: TeamState, round: ShutdownRound, part: StoppingAgent): StoppingView {
  const { agent, outcome, status, pendingWork, artifactsCommitted, refusals, silences, seq } = part;
  const { disputed, unverified, unread } = round.behind?.get(agent) ?? behindNow(state, round, part);
  const left = {
    pendingWork,
    openClaims: part.claims,
    disputed,
    unverified: unverified.map(({ task }) => task),
    unread,
    artifactsCommitted,
    uncommitted: round.uncommitted === undefined ? null : filesOf(round.uncommitted, agent),
  };
  const isClean = outcome === "clean" || outcome === "refused-then-clean" || outcome === "late";
  const isLeft = isClean && leftBehind(left).length > 0;
  const joined = part.joinedSeq !== undefined;
  return { agent, outcome: isLeft ? "left-work" : outcome, status, ...left, refusals, silences, joined, seq };
}

function filesOf({ agents }: Uncommitted, agent: string): UncommittedFiles {
  return (Object.hasOwn(agents, agent) ? agents[agent] : undefined) ?? { count: 0, files: [] };
}
