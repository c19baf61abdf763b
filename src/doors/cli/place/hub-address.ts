/** Which hub a command speaks to, if any, and as whom: from `--hub`, `--token`, `--as` and the environment. */
import type { Problem } from "../../../base/problem.ts";
import type { HubAddress } from "../../../runtime/connection.ts";
import { usageProblem } from "../kernel/arguments.ts";
import type { Call, Command } from "../kernel/command.ts";
import { credentialOf, misreadToken } from "../kernel/time-argument.ts";
import { callerOf } from "./owner-here.ts";

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
  if (isHubNamed && command.isLocal === true) {
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
