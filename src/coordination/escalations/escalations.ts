/**
 * Escalations: what holds somebody up goes up the chain one level at a time, by the agent that raises it or by silence,
 * until a level decides; the decision goes down only. Whoever was held up closes it by going on. A decision that did
 * not help is followed by one more round; after that the level where it waits must decide. Only the person who owns
 * the team decides what has come to the user. One decider in parts: the neighbours open, raise and resolve, its state is
 * `escalation-state.ts`, its fold `escalation-fold.ts`.
 * Source: docs/protocol/escalations.md.
 */
import { unreachable } from "../../base/invariant.ts";
import { ok } from "../../base/result.ts";
import type { Decider } from "../decider.ts";
import type { EscalationEvent } from "./escalation-events.ts";
import { evolveEscalations } from "./escalation-fold.ts";
import { type EscalateLimit, escalateLimit } from "./escalation-limits.ts";
import { type ReportBlocker, reportBlocker } from "./escalation-opening.ts";
import { type HandUp, handUp, type Raise, raise } from "./escalation-raising.ts";
import { type GoOn, goOn, type Resolve, resolve } from "./escalation-resolving.ts";
import { type PassLevel, passLevel, type TellLevel, tellLevel } from "./escalation-silence.ts";
import { type Escalations, noEscalations } from "./escalation-state.ts";

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
