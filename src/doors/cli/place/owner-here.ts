/**
 * Whom a command acts as, and whether it may act as the owner. Without `--as` a command on this machine acts as the owner,
 * so a shell whose environment names its agent acts as this agent instead, and a command that only the person gives is
 * refused there: nobody becomes the owner by leaving `--as` out.
 * Rules: docs/protocol/doors.md, section 3.
 */
import { type Problem, problem } from "../../../base/problem.ts";
import { isOwnersOrBatons, ownerName } from "../../../message/principal.ts";
import type { Call, Command } from "../kernel/command.ts";
import type { Config } from "../kernel/config.ts";

type Shell = Pick<Call, "given" | "config">;

/** The agent that `--as` or this shell names; null: nobody is named, so the person acts. */
export function callerOf({ given, config }: Shell): string | null {
  return given.text("as") ?? agentOfShell(config);
}

/** The agent that this shell belongs to; null: it is a person's, which BATON_AGENT=owner may also say. */
export function agentOfShell({ agent }: Pick<Config, "agent">): string | null {
  return agent === ownerName ? null : agent;
}

/** Why the command may not be given here: it is the owner's, and the shell belongs to an agent. Null: it may. */
export function ownerFault({ isOwners = false }: Pick<Command, "isOwners">, call: Shell): Problem | null {
  const named = call.given.text("as");
  const asOwner = named !== undefined && isOwnersOrBatons(named);
  if (!asOwner && !(typeof isOwners === "boolean" ? isOwners : isOwners(call.given))) return null;
  return shellFault(call.config);
}

/** Why nobody acts as the owner in this shell: it belongs to an agent. Null: it is a person's. */
export function shellFault(config: Pick<Config, "agent">): Problem | null {
  const agent = agentOfShell(config);
  if (agent === null) return null;
  return problem("human-required", "BATON_AGENT", `This shell belongs to the agent ${agent.slice(0, 64)}.`, {
    expected: ownerName,
    received: agent.slice(0, 64),
    hint: "The person who owns the team runs this in a shell without BATON_AGENT.",
  });
}
