/**
 * What the agents of a round left behind, kept as entries are folded: at the entry that ends the round, where the work and
 * the mail are both at hand.
 * Source: docs/protocol/asking.md, sections 14 to 16.
 */
import { inHand } from "../../handoffs/view.ts";
import { allRounds, roundOf } from "../../perform/coordination-state.ts";
import type { CoordinationEvent, ShutdownRound, StoppingAgent } from "../../perform/deciders.ts";
import type { TeamState } from "../../perform/state.ts";
import { keepBehind, reportsBehind, settleVerdict } from "../decide/ending-rules.ts";
import type { WorkBehind } from "../decide/shutdown-rounds.ts";

/** Keeps what was left in rounds that end by these events, and the verdicts that their certificates wait for, in place. */
export function keepLeftBehind(state: TeamState, events: readonly CoordinationEvent[]): void {
  const { shutdowns } = state.coordination;
  for (const event of events) {
    if (
      event.event === "task-verified" ||
      event.event === "task-disputed" ||
      event.event === "task-gone" ||
      event.event === "task-stale"
    ) {
      settleVerdict(shutdowns, event);
    }
    if (event.event !== "shutdown-ended") continue;
    const round = roundOf(state.coordination, event.requestId);
    if (round === null) continue;
    const behind = [...round.agents.values()].map((part) => [part.agent, behindNow(state, round, part)] as const);
    keepBehind(shutdowns, event.requestId, new Map(behind));
    // A request that is over waits for nobody's answer.
    for (const agent of round.agents.keys()) {
      const mail = state.mail.get(agent);
      if (mail !== undefined) mail.waiting = mail.waiting.filter((each) => !round.seqs.includes(each));
    }
  }
}

/** What the agent left before the entry that ended its part, as it is in `state`. */
export function behindNow(state: TeamState, round: ShutdownRound, { agent, seq }: StoppingAgent): WorkBehind {
  const until = seq ?? round.endedSeq ?? Number.POSITIVE_INFINITY;
  const waiting = (state.mail.get(agent)?.waiting ?? []).filter((each) => each < until);
  // Requests to stop are answered, not read, whichever round asked.
  const asked = waiting.length === 0 ? [] : allRounds(state.coordination).flatMap(({ seqs }) => seqs);
  const requests = new Set(asked);
  const unread = waiting.filter((each) => !requests.has(each)).length;
  const handoffs = inHand([...state.coordination.handoffs.all.values()]).flatMap(({ id, acceptance }) =>
    acceptance?.by === agent && acceptance.seq < until ? [id] : [],
  );
  return { ...reportsBehind(state.coordination.work, agent, until), handoffs, unread };
}
