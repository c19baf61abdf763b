/**
 * Tokens that agents' transcripts show, against the budget of the contract that they work under. They are counted for the
 * plan of the task that the agent holds, else of the one that it reported last. Nothing is stopped: the lead reads it.
 * Source: docs/protocol/tasks.md, section 20.
 */
import type { Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import { visible } from "../../base/text.ts";
import { totalAfter } from "../../coordination/contracts/contract-terms.ts";
import { contracts } from "../../coordination/contracts/contracts.ts";
import { planKey, planKeyOfTask } from "../../coordination/tasks/task-ids.ts";
import { act, type Command } from "../command.ts";
import type { Actor, TeamContext } from "../context.ts";
import { prose } from "../delivery/prose.ts";
import { leadsAbove } from "../evidence/verdict-notification.ts";
import type { TeamState } from "../state.ts";

/** The parts of a budget at which the lead is notified, in percent. */
const thresholds = [80, 100] as const;
/** A smaller part of the budget waits for the next count, so that a turn makes no entry for itself alone. */
const leastPart = 0.01;

/** Counts what the transcript of one of the agent's contexts shows. Without a budget nothing is recorded. */
export async function countTokens(
  context: TeamContext,
  actor: Actor,
  used: { readonly context: string; readonly tokens: number },
): Promise<Result<void, Problem>> {
  const folded = await context.journal.state(context.team);
  if (!folded.ok) return folded;
  const plan = planOf(folded.value.state, actor.agent);
  if (plan === null) return ok(undefined);
  const counted = countedIn(folded.value.state, actor.agent, { ...used, plan });
  if (counted === null || (counted.part < leastPart && counted.crossed.length === 0)) return ok(undefined);
  const command: Command = {
    name: "count-tokens",
    asked: { plan, ...used },
    decide(state) {
      const now = countedIn(state, actor.agent, { ...used, plan });
      if (now === null) return ok({ events: [], notes: [] });
      const receivers = now.crossed.length === 0 ? [] : leadsAbove(state, actor.agent);
      const told = receivers.length === 0 ? {} : { delivered: { message: prose(now.lines), receivers } };
      return ok({ events: now.events, notes: [], ...told });
    },
  };
  const reply = await act(context, actor, command, undefined);
  return reply.outcome === "failed" ? { ok: false, error: reply.problem } : ok(undefined);
}

/** What follows from a count in this state; null: nothing, or the plan has no budget. */
function countedIn(
  { coordination }: TeamState,
  agent: string,
  count: { readonly plan: string; readonly context: string; readonly tokens: number },
) {
  const { plan } = count;
  const budget = coordination.contracts.plans.get(plan)?.terms.tokenBudget ?? null;
  if (budget === null) return null;
  const decided = contracts.decide({ command: "count-tokens", agent, ...count }, coordination.contracts);
  const [event] = decided.ok ? decided.value.events : [];
  if (event?.event !== "tokens-counted") return null;
  const known = coordination.contracts.tokens.get(plan);
  const before = known?.total ?? 0;
  const after = totalAfter(known, "counted", [event.counted, event.tokens]);
  const crossed = thresholds.filter((each) => before * 100 < each * budget && after * 100 >= each * budget);
  const lines = [
    `Plan ${visible(plan)} has used ${after} of its ${budget} tokens (${Math.floor((after * 100) / Math.max(1, budget))} %), as the transcripts of its agents show. ${agent} works on it.`,
    "What to do: make the plan smaller, or send its contract again with a larger token_budget. Nothing was stopped.",
  ];
  return { events: [event], part: (after - before) / Math.max(1, budget), crossed, lines };
}

/** The plan that the agent works on: of the task that it took last, else of the one that it reported last; null: none. */
function planOf({ coordination }: TeamState, agent: string): string | null {
  let found: { readonly rank: readonly [number, number]; readonly plan: string | null } | null = null;
  for (const [key, { plan, claim, report }] of coordination.work.tasks) {
    const token = claim?.holder === agent ? claim.token : null;
    const seq = report?.reporter === agent ? report.seq : null;
    if (token === null && seq === null) continue;
    const rank = token === null ? ([0, seq ?? 0] as const) : ([1, token] as const);
    if (found !== null && (found.rank[0] > rank[0] || (found.rank[0] === rank[0] && found.rank[1] > rank[1]))) continue;
    found = { rank, plan: plan === null ? planKeyOfTask(key) : planKey(plan) };
  }
  return found?.plan ?? null;
}
