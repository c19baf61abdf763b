/** Folds what happened to escalations into what is kept of them, in place. */
import { unreachable } from "../../base/invariant.ts";
import type { EscalationEvent, EscalationOpened } from "./escalation-events.ts";
import { escalationKey } from "./escalation-ids.ts";
import { type Escalation, type Escalations, escalationOf, keepEscalation } from "./escalation-state.ts";

/** The escalations after the event. */
export function evolveEscalations(state: Escalations, event: EscalationEvent): Escalations {
  if (event.event === "escalation-opened") {
    const { phase, task } = event.escalation;
    const counter = escalationKey(`${phase ?? 0}`);
    if (task === null) state.numbered.set(counter, (state.numbered.get(counter) ?? 0) + 1);
    return keepEscalation(state, event.escalation);
  }
  const known = escalationOf(state, event.id);
  return known === null ? state : keepEscalation(state, after(known, event));
}

function after(known: Escalation, event: Exclude<EscalationEvent, EscalationOpened>): Escalation {
  switch (event.event) {
    case "escalation-told":
      return {
        ...known,
        originators: [...new Set([...known.originators, event.agent])],
        evidence: together(known.evidence, event.evidence),
        options: together(known.options, event.options ?? []),
        mustDecide: known.mustDecide || event.mustDecide,
      };
    case "level-told":
      return { ...known, dueAtMs: event.dueAtMs };
    case "escalation-raised": {
      const { step, round, mustDecide, dueAtMs, evidence } = event;
      const originators = step.how === "again" ? [...new Set([...known.originators, step.by])] : known.originators;
      return {
        ...known,
        originators,
        level: step.level,
        round,
        mustDecide,
        dueAtMs,
        evidence: together(known.evidence, evidence),
        options: together(known.options, event.options ?? []),
        recommendation: event.recommendation ?? known.recommendation,
        steps: [...known.steps, step],
        standing: "open",
        decision: null,
      };
    }
    case "escalation-resolved":
      return { ...known, standing: "resolved", decision: event.decision, dueAtMs: null };
    case "escalation-closed":
      return { ...known, standing: "closed" };
    default:
      return unreachable(event);
  }
}

function together(one: readonly string[], other: readonly string[]): readonly string[] {
  return [...new Set([...one, ...other])];
}
