/** `baton whoami`: as whom commands act here, and where. */
import { visible } from "../../../base/text.ts";
import { ownerName } from "../../../message/principal.ts";
import { agentOfShell } from "../../../workspace/config.ts";
import { placeOf } from "../../../workspace/place.ts";
import type { Call, Command } from "../kernel/command.ts";
import { exitCodes } from "../kernel/exit-codes.ts";
import { hubOf } from "./hub-address.ts";
import { withTeam } from "./session.ts";

export const command: Command = {
  description:
    "Prints the agent that commands of this shell act as, its role, the team, and the journal or the hub. The agent is named by\n" +
    "a hub's token, by --as, or by BATON_AGENT; where nobody is named, commands on this machine act as the owner.",
  examples: [
    { line: "baton whoami", meaning: "before the first message of an agent" },
    { line: "baton whoami --json", meaning: '{"agent","role","by","team","at"} on one line' },
  ],
  next: "baton inbox shows what waits for this agent; baton status shows the team.",
  run: (call) =>
    withTeam(call, async (team) => {
      const status = await team.status();
      if (!status.ok) return call.output.fail(status.error);
      const { agent } = team.actor;
      const member = status.value.agents.find((each) => each.agent === agent);
      const role = agent === ownerName ? "owner" : (member?.role ?? null);
      const by = namedBy(call);
      const hub = hubOf(call);
      const place = hub === null ? await placeOf(call) : null;
      const at = hub?.url ?? (place?.ok === true ? place.value.shown : "");
      const standing = member?.status === "retired" ? ", retired" : "";
      call.output.result({ agent, role, by, team: team.name, at }, () =>
        [
          `${call.output.paint.stdout.strong(visible(agent))}  ${role ?? "not in the team"}${standing}, named by ${words[by]}`,
          `  team     ${visible(team.name)}`,
          `  ${hub === null ? "journal" : "hub    "}  ${visible(at)}`,
        ].join("\n"),
      );
      return exitCodes.done;
    }),
};

const words = { token: "the hub's token", option: "--as", shell: "BATON_AGENT", nobody: "nobody: the owner acts" };

function namedBy(call: Call): keyof typeof words {
  if (hubOf(call) !== null) return "token";
  if (call.given.text("as") !== undefined) return "option";
  return agentOfShell(call.config) === null ? "nobody" : "shell";
}
