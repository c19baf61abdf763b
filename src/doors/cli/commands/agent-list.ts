/** `baton agent list`: who is in the team. */
import { visible } from "../../../base/text.ts";
import type { Command } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { withTeam } from "../session.ts";
import { table } from "../table.ts";

export const command: Command = {
  description: "Prints the agents of the team: role, dialect, whether active, how many messages wait. A line each.",
  examples: [
    { line: "baton agent list", meaning: "a table" },
    { line: "baton agent list --json", meaning: "a line of JSON an agent" },
  ],
  next: "baton agent register NAME --role ROLE adds one.",
  run: (call) =>
    withTeam(call, async (team) => {
      const { output } = call;
      const status = await team.status();
      if (!status.ok) return output.fail(status.error);
      const { agents } = status.value;
      if (output.json) for (const agent of agents) output.result(agent, () => null);
      else if (agents.length === 0) output.say("No agents yet. Add one with: baton agent register dev-1 --role dev");
      else output.raw(table(agents.map(row)));
      return exitCodes.done;

      function row(agent: (typeof agents)[number]): readonly string[] {
        const department = agent.department === undefined ? "" : ` (${agent.department})`;
        return [
          visible(agent.agent),
          `${agent.role}${department}`,
          agent.dialect,
          agent.status,
          `${agent.unread} unread`,
        ];
      }
    }),
};
