/**
 * Shutdown rounds as people and programs look at them: each agent's part with what it left behind. Of a round that is
 * over, this is its certificate.
 * Source: docs/protocol/asking.md, sections 14 to 16.
 */
import { aheadMsOf, timestampOf } from "../../base/clock.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { TeamContext } from "../../perform/context.ts";
import { allRounds, latestRounds, roundOf } from "../../perform/coordination-state.ts";
import type { ShutdownRound, StoppingAgent } from "../../perform/deciders.ts";
import type { TeamState } from "../../perform/state.ts";
import type { Uncommitted, UncommittedFiles } from "../decide/shutdown-rounds.ts";
import { askingsMax } from "../decide/shutdowns.ts";
import type { ShutdownView, StoppingView } from "../operations.ts";
import { behindNow } from "../view/left-behind.ts";
import { leavesWork } from "../view/shutdown-status.ts";

/**
 * Rounds, oldest first; `round`: that one alone; `latest`: those that go on, else the last one. Refuses `unknown-request`:
 * no round has that id.
 */
export async function shutdowns(
  context: TeamContext,
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
  return err(makeProblem("unknown-request", id, `There is no shutdown round "${id}".`, { received: id, hint }));
}

/** The round as it is in `state`. `aheadMs`: how far people's clock is ahead of the one by which deadlines count. */
export function shutdownView(state: TeamState, round: ShutdownRound, aheadMs: number): ShutdownView {
  const { requestId, requester, reason, stopReason, reasonText, teamName, asked, status, endedAtMs } = round;
  const agents = [...round.agents.values()].map((part) => partView(state, round, part));
  const isLeft = status === "complete" && agents.some(({ outcome }) => outcome === "left-work");
  return {
    round: requestId,
    seq: round.seqs[0] ?? 0,
    outcome: isLeft ? "incomplete" : status,
    requester,
    reason: reasonText ?? stopReason ?? reason,
    teamName,
    asked,
    askingsMax,
    deadlineSeconds: round.deadlineMs / 1000,
    startedAt: timestampOf(round.startedAtMs + aheadMs),
    dueAt: status === "open" ? timestampOf(round.dueAtMs + aheadMs) : null,
    uncommitted: round.uncommitted?.others ?? null,
    endedAt: endedAtMs === null ? null : timestampOf(endedAtMs + aheadMs),
    agents,
  };
}

function partView(state: TeamState, round: ShutdownRound, part: StoppingAgent): StoppingView {
  const { agent, outcome, status, pendingWork, artifactsCommitted, refusals, silences, seq } = part;
  const { disputed, gone, unverified, handoffs, unread } = round.behind?.get(agent) ?? behindNow(state, round, part);
  const left = {
    pendingWork,
    openClaims: part.claims,
    disputed,
    gone,
    unverified: unverified.map(({ task }) => task),
    handoffs,
    unread,
    artifactsCommitted,
    uncommitted: round.uncommitted === undefined ? null : filesOf(round.uncommitted, agent),
  };
  const isClean = outcome === "clean" || outcome === "refused-then-clean" || outcome === "late";
  // A handoff in hand is listed, and is no word against its agent: it goes on with it the next day.
  const isLeft = isClean && leavesWork({ ...left, handoffs: [] });
  const joined = part.joinedSeq !== undefined;
  return { agent, outcome: isLeft ? "left-work" : outcome, status, ...left, refusals, silences, joined, seq };
}

function filesOf({ agents }: Uncommitted, agent: string): UncommittedFiles {
  return (Object.hasOwn(agents, agent) ? agents[agent] : undefined) ?? { count: 0, files: [] };
}
