/**
 * Whom a command acts as, and whether it may act as the owner. Without `--as` a command on this machine acts as the owner,
 * so a shell whose environment names its agent acts as this agent instead, and a command that only the person gives is
 * refused there: nobody becomes the owner by leaving `--as` out.
 * Rules: docs/protocol/doors.md, section 3.
 */
import type { Problem } from "../../../base/problem.ts";
import { isOwnersOrBatons } from "../../../message/principal.ts";
import { agentOfShell, shellFault } from "../../../workspace/config.ts";
import type { Call, Command } from "../kernel/command.ts";

type Shell = Pick<Call, "given" | "config">;

/** The agent that `--as` or this shell names; null: nobody is named, so the person acts. */
export function callerOf({ given, config }: Shell): string | null {
  return given.text("as") ?? agentOfShell(config);
}

/** Why the command may not be given here: it is the owner's, and the shell belongs to an agent. Null: it may. */
export function ownerFault({ isOwners = false }: Pick<Command, "isOwners">, call: Shell): Problem | null {
  const named = call.given.text("as");
  const asOwner = named !== undefined && isOwnersOrBatons(named);
  if (!asOwner && !(typeof isOwners === "boolean" ? isOwners : isOwners(call.given))) return null;
  return shellFault(call.config);
}
