/**
 * What Baton itself hands up, because a limit was reached: an escalation of its own above a level, or the one that this
 * limit opened before, once more.
 * Source: docs/protocol/phases.md; docs/protocol/escalations.md.
 */
import type { Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import { type Level, levelAbove } from "../chain.ts";
import type { Decided } from "../decider.ts";
import type { EscalationEvent } from "./escalation-events.ts";
import { again, idFor, open, type Spoken } from "./escalation-opening.ts";
import { type Escalations, escalationOf } from "./escalation-state.ts";

/** A limit goes to whoever stands above `level`. `known`: the escalation that it opened before; null: none. */
export interface EscalateLimit extends Spoken {
  readonly command: "escalate-limit";
  readonly level: Level;
  readonly known: string | null;
}

/** Opens the escalation, or opens it again where it was decided; one that waits goes on waiting. Never refused. */
export function escalateLimit(
  command: EscalateLimit,
  state: Escalations,
): Result<Decided<EscalationEvent>, readonly Problem[]> {
  const known = command.known === null ? null : escalationOf(state, command.known);
  if (known?.standing === "open") return ok({ events: [], notes: [] });
  if (known !== null) return again(command, known);
  const target = levelAbove(command.chain, command.level) ?? "user";
  return open(command, idFor(command.trouble, state), target);
}
