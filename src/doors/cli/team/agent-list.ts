/** `baton agent list`: who is in the team. */
import { jsonLine } from "../../../base/json.ts";
import { visible } from "../../../base/text.ts";
import type { Command } from "../kernel/command.ts";
import { exitCodes } from "../kernel/exit-codes.ts";
import { withTeam } from "../place/session.ts";
import { table } from "../terminal/terminal-text.ts";
import { healthText } from "./health-text.ts";

export const command: Command = {
  description:
    "Prints the agents of the team: role, dialect, state, number of unread messages. A line each. An agent whose program\n" +
    "shows itself (baton mcp) has disappeared when it is a minute late; of any other, its lease is the limit.",
  options: [
    {
      name: "events",
      kind: "flag",
      summary: "all that happened to them instead, an agent_health_event of yolo/1 a line",
    },
  ],
  examples: [
    { line: "baton agent list", meaning: "a table" },
    { line: "baton agent list --json", meaning: "a line of JSON an agent" },
    { line: "baton agent list --events >> health.jsonl", meaning: "as other tools keep them" },
  ],
  next: "baton agent register NAME --role ROLE adds one.",
  run: (call) =>
    withTeam(call, async (team) => {
      const { output } = call;
      if (call.given.flag("events")) {
        const record = await team.agentEvents();
        if (!record.ok) return output.fail(record.error);
        for (const event of record.value) output.raw(jsonLine(event));
        return exitCodes.done;
      }
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
          healthText(agent),
          `${agent.unread} unread`,
        ];
      }
    }),
};
