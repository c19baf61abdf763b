/**
 * Which hub a command speaks to, if any, and as whom: from `--hub`, `--token`, `--as` and the environment. Without
 * `--as` a command on this machine acts as the owner, so a shell whose environment names its agent acts as this agent
 * instead, and a command that only the person gives is refused there: nobody becomes the owner by leaving `--as` out.
 * Rules: docs/protocol/doors.md, section 3.
 */
import type { Problem } from "../../../base/problem.ts";
import { err, ok, type Result } from "../../../base/result.ts";
import { isOwnersOrBatons, ownerName } from "../../../messages/principal.ts";
import type { HubAddress } from "../../../perform/hub-connection.ts";
import { sessionsFolder, sharedShellProblem } from "../../../perform/workspace/agent-sessions.ts";
import { agentOfShell, shellProblem } from "../../../perform/workspace/config.ts";
import { lookForPlace } from "../../../perform/workspace/place.ts";
import { agentOfTree } from "../../../perform/workspace/workspace.ts";
import { type Arguments, usageProblem } from "../kernel/arguments.ts";
import type { Call, Command } from "../kernel/command.ts";
import { credentialOf, misreadToken } from "../kernel/time-argument.ts";

type Shell = Pick<Call, "given" | "config">;

/** The hub that the call means; null: a journal of this machine. A named journal overrides `BATON_HUB`. */
export function hubOf(call: Pick<Call, "given" | "config" | "output" | "signal">): HubAddress | null {
  const { given, config, output, signal } = call;
  const url = given.text("hub") ?? (given.text("journal") === undefined ? config.hub : null);
  if (url === null) return null;
  return {
    url,
    token: credentialOf(given) ?? config.token,
    team: given.text("team") ?? null,
    agent: callerOf({ given, config }),
    say: (words) => output.say(words),
    signal,
  };
}

/** What is wrong with `--hub` and `--token` together with the other options; null: nothing. */
export function misplacedHub(call: Call, command: Pick<Command, "isLocal" | "options">): Problem | null {
  const { given } = call;
  const isHubNamed = given.text("hub") !== undefined;
  const isTaken = command.options?.some(({ name }) => name === "hub") === true;
  if (isHubNamed && command.isLocal === true && !isTaken) {
    return usageProblem("--hub", "This command works on this machine only.", "leave --hub out");
  }
  if (isHubNamed && given.text("journal") !== undefined) {
    return usageProblem("--hub", "A hub has its own journal.", "give either --hub or --journal");
  }
  const misread = misreadToken(given, command);
  if (misread !== null) return misread;
  if (credentialOf(given) !== undefined && hubOf(call) === null) {
    return usageProblem("--token", "A token is for a hub, and none is named.", "add --hub URL, or set BATON_HUB");
  }
  return null;
}

/** The agent that `--as` or this shell names; null: nobody is named, so the person acts. */
export function callerOf({ given, config }: Shell): string | null {
  return given.text("as") ?? agentOfShell(config);
}

/** As `callerOf`, on this machine: where nobody is named, whose the work tree is. */
export function callerHere(call: Shell & Pick<Call, "isOwners">): string | null {
  const { given, config, isOwners = false } = call;
  if (callerOf(call) !== null || config.agent !== null || isOwners) return callerOf(call);
  const own = given.text("journal") === undefined ? agentOfTree(config.directory) : null;
  return own === ownerName ? null : own;
}

/** The call as `--as NAME` makes it. Refuses another `--as`, and the owner in a shell of an agent. */
export function actingAs(call: Call, name: string): Result<Call, Problem> {
  const named = call.given.text("as");
  if (named !== undefined && named !== name) {
    return err(usageProblem("--as", `"${name}" and --as ${named} are two agents.`, "name one of them", named));
  }
  const given: Arguments = { ...call.given, text: (option) => (option === "as" ? name : call.given.text(option)) };
  const acting = { ...call, given };
  const refused = ownerProblem({}, acting);
  return refused === null ? ok(acting) : err(refused);
}

/** Why it is not known for whom the command acts: several agents share this shell, and nobody is named. Null: it is. */
export function sharedProblem({ acts }: Pick<Command, "acts">, call: Call): Problem | null {
  const { session } = call.config;
  if (acts !== true || session === null || call.given.text("as") !== undefined) return null;
  const place = lookForPlace(call);
  return place.ok ? sharedShellProblem(sessionsFolder(place.value.journal), session) : null;
}

/** Whether only a person gives the command. */
export function isForPerson({ isOwners = false }: Pick<Command, "isOwners">, given: Arguments): boolean {
  return typeof isOwners === "boolean" ? isOwners : isOwners(given);
}

/** Why the command may not be given here: it is the owner's, and the shell belongs to an agent. Null: it may. */
export function ownerProblem(command: Pick<Command, "isOwners">, call: Shell): Problem | null {
  const named = call.given.text("as");
  const asOwner = named !== undefined && isOwnersOrBatons(named);
  if (!asOwner && !isForPerson(command, call.given)) return null;
  return shellProblem(call.config);
}
