/**
 * Shutdown rounds: every addressed agent is asked to stop, with a deadline; a refusal or silence is asked again; who
 * has not stopped by the last deadline is forced. So a round always ends, and its outcome is complete only where
 * nobody left work behind. One decider in parts: its start, answers and forcing are the neighbours, its state is
 * `shutdown-rounds.ts`, its fold `shutdown-fold.ts`.
 * Source: docs/protocol/shutdown.md.
 */
import { unreachable } from "../../base/invariant.ts";
import { ok } from "../../base/result.ts";
import type { Decider } from "../decider.ts";
import { type AnswerShutdown, answerShutdown } from "./shutdown-answers.ts";
import type { ShutdownEvent } from "./shutdown-events.ts";
import { evolveShutdowns } from "./shutdown-fold.ts";
import { type EndAgents, endAgents, type PassDeadline, passDeadline } from "./shutdown-forcing.ts";
import { type InspectRound, inspectRound } from "./shutdown-inspection.ts";
import { noShutdowns, type Shutdowns } from "./shutdown-rounds.ts";
import { type StartRound, startRound } from "./shutdown-start.ts";

/** Orders that shutdown rounds take. */
export type ShutdownCommand = StartRound | AnswerShutdown | PassDeadline | EndAgents | InspectRound;

/**
 * Refuses `id-taken` and `id-conflict`. An answer that nobody asked for, or that fits several rounds, is out of step
 * and noted. A deadline passes only by command: an answer that comes before it counts, even when it comes late.
 */
export const shutdowns: Decider<Shutdowns, ShutdownCommand, ShutdownEvent> = {
  name: "shutdowns",
  initial: noShutdowns,
  decide(command, state) {
    switch (command.command) {
      case "start-round":
        return startRound(command, state);
      case "answer-shutdown":
        return answerShutdown(command, state);
      case "pass-deadline":
        return ok(passDeadline(command, state));
      case "inspect-round":
        return inspectRound(command, state);
      case "end-agents":
        return ok(endAgents(command, state));
      default:
        return unreachable(command);
    }
  },
  evolve: evolveShutdowns,
};
