/** What has come up to the calling agent and waits for its decision, and what it calls next. */
import * as z from "zod";
import { timestampOf } from "../../base/clock.ts";
import type { Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import { levelAbove } from "../../coordination/chain.ts";
import type { Escalation } from "../../coordination/deciders.ts";
import { waitsFor } from "../../coordination/escalations/escalation-resolving.ts";
import type { Team } from "../../runtime/team/team.ts";

const text = z.string();

/** Escalations in an answer: what is held up, and what to call next. */
export const escalationsShape = z.array(z.looseObject({ escalation: text, next: text })).optional();

/** The open escalations that wait for the calling agent, oldest first. */
export async function escalatedTo(team: Team): Promise<Result<readonly Readonly<Record<string, unknown>>[], Problem>> {
  const open = await team.escalations();
  if (!open.ok || open.value.length === 0) return open.ok ? ok([]) : open;
  // The roster is asked for only where somebody's word is waited for.
  const status = await team.status();
  if (!status.ok) return status;
  const { agent } = team.actor;
  const member = status.value.agents.find((each) => each.agent === agent && each.status === "active");
  const caller = { agent, role: null, ...member };
  return ok(open.value.filter((each) => waitsFor(each, caller)).map(told));
}

function told(escalation: Escalation): Readonly<Record<string, unknown>> {
  const { id, severity, originators, plan, task, issue, needs, evidence, options, recommendation, dueAtMs } =
    escalation;
  return {
    escalation: id,
    severity,
    heldUp: originators,
    ...(plan === null ? {} : { plan }),
    ...(task === null ? {} : { task }),
    issue,
    ...(needs === null ? {} : { needs }),
    ...(evidence.length === 0 ? {} : { evidence }),
    ...(options.length === 0 ? {} : { options }),
    ...(recommendation === null ? {} : { recommendation }),
    // Then it is taken to the next level without this agent.
    ...(dueAtMs === null ? {} : { until: timestampOf(dueAtMs) }),
    next: nextCall(escalation),
  };
}

function nextCall({ id, chain, level, options, mustDecide }: Escalation): string {
  const how = options.length === 0 ? "decision" : "decision, or option with a number";
  const above = mustDecide ? null : levelAbove(chain, level);
  const raise = above === null ? "" : `; action "raise" hands it to ${above}`;
  return `task with action "resolve", task ${JSON.stringify(id)} and ${how}${raise}`;
}
