/**
 * Escalations: what holds somebody up goes up the chain one level at a time, by the agent that raises it or by silence,
 * until a level decides; the decision goes down only. The agent that was held up closes it by continuing. A decision
 * that did not help is followed by one more round; after that the level where it waits must decide. Only the person who
 * owns the team decides what has come to the user. One decider in parts: the neighbours open, raise and resolve, its
 * state is `escalation-state.ts`, its fold `escalations.ts`. Source: docs/protocol/asking.md, sections 5 to 10.
 */
import { unreachable } from "../../base/invariant.ts";
import type { Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import { type Level, levelAbove } from "../../messages/authority/chain-of-command.ts";
import type { Decided, Decider } from "../../perform/decider.ts";
import {
  type Escalation,
  type EscalationEvent,
  type EscalationOpened,
  type Escalations,
  escalationKey,
  escalationOf,
  keepEscalation,
  noEscalations,
} from "../state.ts";
import {
  again,
  idFor,
  open,
  type PassLevel,
  passLevel,
  type ReportBlocker,
  reportBlocker,
  type Spoken,
  type TellLevel,
  tellLevel,
} from "./escalation-opening.ts";
import { type HandUp, handUp, type Raise, raise } from "./escalation-raising.ts";
import { type GoOn, goOn, type Resolve, resolve } from "./escalation-resolving.ts";

/** Orders that escalations take. */
export type EscalationCommand = ReportBlocker | Raise | HandUp | Resolve | GoOn | PassLevel | TellLevel | EscalateLimit;

/**
 * Refuses `wrong-value` (a level that is not the next), `ambiguous-request`, `must-decide`, `human-required`,
 * `sender-not-authorised` (a level below the one where it waits), `already-answered`. A resolution of an escalation
 * that nobody knows is out of step and noted.
 */
export const escalations: Decider<Escalations, EscalationCommand, EscalationEvent> = {
  name: "escalations",
  initial: noEscalations,
  decide(command, state) {
    switch (command.command) {
      case "report-blocker":
        return reportBlocker(command, state);
      case "raise":
        return raise(command, state);
      case "hand-up":
        return handUp(command, state);
      case "resolve":
        return resolve(command, state);
      case "go-on":
        return ok(goOn(command, state));
      case "escalate-limit":
        return escalateLimit(command, state);
      case "tell-level":
        return ok(tellLevel(command, state));
      case "pass-level":
        return ok(passLevel(command, state));
      default:
        return unreachable(command);
    }
  },
  evolve: evolveEscalations,
};

/* Folds what happened to escalations into what is kept of them, in place. */

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

/*
 * What Baton itself escalates, because a limit was reached: a separate escalation above a level, or the one that this
 * limit opened before, once more. Source: docs/protocol/phases.md; docs/protocol/asking.md, sections 5 to 10.
 */

/** A limit goes to the level above `level`. `known`: the escalation that it opened before; null: none. */
interface EscalateLimit extends Spoken {
  readonly command: "escalate-limit";
  readonly level: Level;
  readonly known: string | null;
}

/** Opens the escalation, or opens it again where it was decided; one that waits goes on waiting. Never refused. */
function escalateLimit(
  command: EscalateLimit,
  state: Escalations,
): Result<Decided<EscalationEvent>, readonly Problem[]> {
  const known = command.known === null ? null : escalationOf(state, command.known);
  if (known?.standing === "open") return ok({ events: [], notes: [] });
  if (known !== null) return again(command, known);
  const target = levelAbove(command.chain, command.level) ?? "user";
  return open(command, idFor(command.trouble, state), target);
}
