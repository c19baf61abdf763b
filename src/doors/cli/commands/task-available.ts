/** `baton task available`: what can be claimed now, and how many developers that is work for. */
import { counted, visible } from "../../../base/text.ts";
import type { Board, TaskView } from "../../../coordination/board.ts";
import type { Command } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import type { Paint } from "../paint.ts";
import { listed, withTeam } from "../session.ts";
import { tasksText } from "../task-text.ts";

export const command: Command = {
  description:
    "Prints the tasks that are free, unblocked and touch no file of a claim; how many developers they are work for; and the\n" +
    "waves: groups that can run side by side, one group after the other. A circle of dependencies is named.",
  examples: [
    { line: "baton task available", meaning: "what to do next" },
    { line: "baton task available --json", meaning: '{"available","advisedDevelopers","waves","cycle"} on one line' },
  ],
  next: "baton task claim TASK --as AGENT takes one.",
  run: (call) =>
    withTeam(call, async (team) => {
      const { output } = call;
      const found = await team.board();
      if (!found.ok) return output.fail(found.error);
      const { tasks: _all, ...board } = found.value;
      output.result(board, () => boardText(found.value, output.paint.stdout));
      return exitCodes.done;
    }),
};

function boardText({ tasks, available, advisedDevelopers, waves, cycle }: Board, paint: Paint): string {
  const free = new Set(available);
  const shown = tasks.filter(({ task }: TaskView) => free.has(task));
  return [
    shown.length === 0 ? "Nothing can be claimed now." : tasksText(shown, paint),
    "",
    `${counted(advisedDevelopers, "developer")} advised`,
    ...waves.map((wave, index) => `wave ${index + 1}  ${listed(wave)}`),
    ...(cycle === null ? [] : [paint.bad(`waiting in a circle: ${cycle.map(visible).join(" -> ")}`)]),
  ].join("\n");
}
