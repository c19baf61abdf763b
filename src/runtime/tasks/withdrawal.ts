/** What the leads learn when an agent takes its report of finished work back. Rules: docs/protocol/tasks.md. */
import { visible } from "../../base/text.ts";
import type { CoordinationEvent } from "../../coordination/deciders.ts";
import { prose } from "../delivery/prose.ts";
import { line } from "../evidence/verdict-notification.ts";
import { leadsOf } from "../shutdown/agent-departure.ts";
import type { TeamState } from "../state.ts";

/** A report that is taken back by command concerns the leads too; a message says it to them itself. */
export function toldOfWithdrawal(state: TeamState, events: readonly CoordinationEvent[]) {
  const taken = events.find((event) => event.event === "task-reported" && event.withdraws !== undefined);
  if (taken?.event !== "task-reported") return {};
  const { reporter, task, withdraws, deviations } = taken;
  const message = prose([
    `${reporter} took back its report of ${visible(task)} (entry ${withdraws ?? 0}): it no longer counts as done.`,
    ...deviations.slice(0, 1).map((each) => line("Said", each)),
    "What to do: the task is free again; have it claimed, repaired and reported again.",
  ]);
  return { delivered: { message, receivers: leadsOf(state, reporter) } };
}
