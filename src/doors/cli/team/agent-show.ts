/** `baton agent show`: one agent, what it holds, and what it last said. */
import { argument } from "../../../base/argument.ts";
import { counted, visible } from "../../../base/text.ts";
import type { TaskView } from "../../../coordination/tasks/board.ts";
import type { AgentStatus } from "../../../operations/agents.ts";
import type { LogLine } from "../../../operations/entries.ts";
import { unknownAgent } from "../../../team/agent-names.ts";
import { logLineText } from "../journal/log-line-text.ts";
import type { Command } from "../kernel/command.ts";
import { exitCodes } from "../kernel/exit-codes.ts";
import { withTeam } from "../place/session.ts";
import { tasksText } from "../tasks/task-text.ts";
import type { Paint } from "../terminal/output.ts";
import { localTime } from "../terminal/terminal-text.ts";
import { healthText } from "./agents-text.ts";

/** Of what it sent and was sent, so many of the newest. */
const entriesMax = 5;

export const command: Command = {
  description:
    "Prints one agent: its role, dialect and state, how many messages it has not acknowledged, the tasks that it holds, and the\n" +
    "newest entries that it sent or was sent.",
  positionals: [{ name: "AGENT", argument: "agent", required: true, summary: "the agent's name" }],
  examples: [
    { line: "baton agent show dev-1", meaning: "what dev-1 is doing" },
    { line: "baton agent show dev-1 --json", meaning: 'one line: the agent with its "tasks" and "entries"' },
  ],
  next: "baton inbox AGENT shows its messages; baton log --agent AGENT everything about it.",
  run: (call) =>
    withTeam(call, async (team) => {
      const { output, given } = call;
      const name = given.word("AGENT") ?? "";
      const status = await team.status();
      if (!status.ok) return output.fail(status.error);
      const { agents } = status.value;
      const agent = agents.find((each) => each.agent === name);
      if (agent === undefined) {
        const known = agents.map((each) => each.agent);
        return output.fail(unknownAgent(name, known, { path: argument("agent") }));
      }
      const board = await team.tasks();
      if (!board.ok) return output.fail(board.error);
      const tasks = board.value.filter(({ state, holder }) => state === "claimed" && holder === name);
      const entries: LogLine[] = [];
      for await (const line of team.log({ agent: name, newestFirst: true, limit: entriesMax, signal: call.signal })) {
        if (!line.ok) return output.fail(line.error);
        entries.unshift(line.value);
      }
      output.result({ ...agent, tasks, entries }, () => agentText(agent, tasks, entries, output.paint.stdout));
      return exitCodes.done;
    }),
};

function agentText(agent: AgentStatus, tasks: readonly TaskView[], entries: readonly LogLine[], paint: Paint): string {
  const department = agent.department === undefined ? "" : ` (${agent.department})`;
  const seen = agent.lastSeenAt === null ? "" : `, last seen ${localTime(agent.lastSeenAt)}`;
  return [
    `${paint.strong(visible(agent.agent))}  ${agent.role}${department}, ${agent.dialect}, session ${agent.session}`,
    `  state    ${healthText(agent)}${seen}`,
    `  inbox    ${counted(agent.unread, "message")} to acknowledge`,
    ...(tasks.length === 0 ? ["  holds    no task"] : [tasksText(tasks, paint)]),
    ...entries.map((line) => `  ${logLineText(line, paint)}`),
  ].join("\n");
}
