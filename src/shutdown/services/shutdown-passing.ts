/**
 * Agents that an open round need not wait for: their program has ended, or in a round of the person's it waits for input
 * while they hold nothing, never began, or is none: only commands acted for them. They stay in the team, and what they hold
 * stays theirs. Source: docs/protocol/asking.md, section 14.
 */
import type { Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import { healthIn } from "../../health/view/health-views.ts";
import { deliveryState } from "../../mail/services/delivery-note.ts";
import { ownerName } from "../../messages/principal.ts";
import { batonActor, type TeamContext } from "../../perform/context.ts";
import { allRounds } from "../../perform/coordination-state.ts";
import { decidePassing, type ShutdownRound } from "../../perform/deciders.ts";
import { type Operation, perform } from "../../perform/perform.ts";
import type { TeamState } from "../../perform/state.ts";
import type { DeliveryState } from "../../team/operations/agents.ts";
import { type Passing, stillWaiting } from "../decide/shutdown-rounds.ts";

/** Ends the parts of such agents. `ended`: those whose program is known to have ended. Answers how many parts ended. */
export async function passAgents(
  context: TeamContext,
  _: unknown,
  ended: readonly string[],
): Promise<Result<number, Problem>> {
  const folded = await context.journal.state(context.team);
  if (!folded.ok) return folded;
  const { state } = folded.value;
  const open = allRounds(state.coordination).filter(({ status }) => status === "open");
  if (open.length === 0 || context.journal.condition().condition !== "ready") return ok(0);
  const signs = await context.journal.heartbeats(context.team);
  if (!signs.ok) return signs;
  const notes = await context.journal.notes(context.team);
  if (!notes.ok) return notes;
  let passed = 0;
  for (const round of open) {
    const agents = stillWaiting(round).flatMap(({ agent }) => {
      const outcome = whyPassed(state, round, agent, {
        isEnded: ended.includes(agent),
        signMs: signs.value.get(agent),
        delivery: deliveryState(notes.value.get(agent)),
      });
      return outcome === null ? [] : [{ agent, outcome }];
    });
    if (agents.length === 0) continue;
    const done = await perform({ context, actor: batonActor }, passing, { round: round.requestId, agents });
    if (done.outcome === "accepted") passed += agents.length;
  }
  return ok(passed);
}

interface Seen {
  readonly isEnded: boolean;
  readonly delivery: DeliveryState;
  readonly signMs: number | undefined;
}

function whyPassed(
  state: TeamState,
  { requester }: ShutdownRound,
  agent: string,
  { isEnded, delivery, signMs }: Seen,
): Passing | null {
  if (isEnded) return "gone";
  const member = state.team.roster.get(agent);
  // Who is asked by an agent answers it, however quiet it is.
  if (requester !== ownerName || member === undefined) return null;
  const health = healthIn(state, member, signMs);
  if (health === "start" || health === "disappeared" || !mayAnswer(state, agent, delivery)) return "gone";
  return delivery.idle && !state.coordination.work.held.has(agent) ? "idle" : null;
}

/** Whether a program may be there that reads what the agent is asked: by its server, its hooks, or with its token. */
function mayAnswer({ coordination, credentials }: TeamState, agent: string, { context }: DeliveryState): boolean {
  if (coordination.health.programs.get(agent)?.ended === null || context !== null) return true;
  return [...credentials.tokens.values()].some((token) => token.agent === agent && token.status === "valid");
}

interface Passed {
  readonly round: string;
  readonly agents: readonly { readonly agent: string; readonly outcome: Passing }[];
}

const passing: Operation<Passed, TeamContext> = {
  name: "pass-agents",
  recorded: ({ round, agents }) => ({ round, agents: agents.map(({ agent }) => agent) }),
  compared: (asked) => ({ passed: asked }),
  decide(state, { round, agents }, { seq, atMs }) {
    const events = decidePassing(state.coordination, { requestId: round, agents, seq, atMs });
    return ok({ events, notes: [] });
  },
};
