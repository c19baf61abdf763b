/** Who may do what in a journal whose servers prove who asks, as a part of their configuration. */

import { visible } from "../../base/text.ts";
import type { Command } from "../../doors/cli/kernel/command.ts";
import { openFor } from "../../doors/cli/place/session.ts";
import { exitCodes } from "../../doors/cli/terminal/exit-codes.ts";
import { broker, permissionLinesOf } from "../../journal/engines.ts";
import { maySend } from "../../messages/authority/receivers.ts";
import { dialectOf } from "../../messages/dialects/index.ts";
import { placeOf } from "../../perform/workspace/place.ts";
import type { TeamStatus } from "../../team/operations/status.ts";

const example = broker.form.replace("HOST", "one.example").replace("NAME", "shop");

export const permissionsCommand: Command = {
  description:
    `Prints an account for the configuration of each ${broker.name} server of a journal: hubs write it, an operator makes its\n` +
    "streams, a reader reads. Agents need no user there, because they speak to a hub. With --agents each agent of the team has\n" +
    "one that may ask, on a separate subject for each type of message that its role may send, and do nothing else: a hub\n" +
    "answers by recording the message or by refusing it. Agents that have left the team are not among them: run it again where\n" +
    "agents were added or retired, and reload the servers. Passwords are variables of the server's environment.",
  positionals: [
    {
      name: "URL",
      repeatable: true,
      summary: `the journal, ${broker.form} (default: the one of the project); all that are on these servers, in one file`,
    },
  ],
  options: [
    {
      name: "agents",
      kind: "flag",
      summary: "also a user for each agent of the team, who may only ask; in the first journal",
    },
  ],
  examples: [
    { line: `baton ${broker.words} ${example} > baton.conf`, meaning: "for hubs, operator and readers" },
    {
      line: `baton ${broker.words} ${example} ${example.replace("shop", "web")}`,
      meaning: "for two journals of the same servers",
    },
    { line: `baton ${broker.words} ${example} --agents`, meaning: "with the agents of the team" },
  ],
  next: "Include the file in the configuration of each server, set the passwords, and reload the servers.",
  run: async (call) => {
    const { output, given } = call;
    const named = given.words("URL");
    const place = named.length === 0 ? await placeOf(call) : null;
    if (place !== null && !place.ok) return output.fail(place.error);
    const addresses = place === null ? named : [place.value.address];
    let status: TeamStatus | null = null;
    if (given.flag("agents")) {
      const opened = await openFor(call);
      if (!opened.ok) return output.fail(opened.error);
      await using team = opened.value;
      const found = await team.status();
      if (!found.ok) return output.fail(found.error);
      status = found.value;
    }
    const lines = await permissionLinesOf(addresses, status === null ? [] : askersOf(status));
    if (!lines.ok) return output.fail(lines.error);
    output.result({ configuration: lines.value.join("\n") }, () => visibleLines(lines.value));
    return exitCodes.done;
  },
};

function visibleLines(lines: readonly string[]): string {
  return lines.map(visible).join("\n");
}

/** The agents that have not left the team, each with the types that its role may send by the dialects. */
function askersOf({ team, definition, agents }: TeamStatus) {
  const definitions = (definition?.dialects ?? []).flatMap((id) => [...(dialectOf(id)?.definitions.values() ?? [])]);
  return agents.flatMap(({ agent, role, status }) => {
    if (status === "retired") return [];
    const types = definitions.filter((each) => maySend(each, role)).map(({ type }) => type);
    return [{ team, agent, types: [...new Set(types)] }];
  });
}
