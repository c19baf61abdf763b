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
    "Prints the tasks that are free, unblocked, touch no file of a claim and lie inside the contract of their plan; how many\n" +
    "developers they are work for; and the waves: groups that can run side by side, one group after the other. Free tasks\n" +
    "whose contract does not allow their files, and a circle of dependencies, are named apart.",
  examples: [
    { line: "baton task available", meaning: "what to do next" },
    { line: "baton task available --json", meaning: '{"available","outsideContract","waves","cycle",…} on one line' },
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

function boardText(
  { tasks, available, outsideContract, advisedDevelopers, waves, cycle }: Board,
  paint: Paint,
): string {
  const free = new Set(available);
  const shown = tasks.filter(({ task }: TaskView) => free.has(task));
  return [
    shown.length === 0 ? "Nothing can be claimed now." : tasksText(shown, paint),
    "",
    ...(outsideContract.length === 0
      ? []
      : [
          paint.warn(
            `Not claimable, because the contract of their plan does not allow their files: ${listed(outsideContract)}`,
          ),
        ]),
    `${counted(advisedDevelopers, "developer")} advised`,
    ...waves.map((wave, index) => `wave ${index + 1}  ${listed(wave)}`),
    ...(cycle === null ? [] : [paint.bad(`waiting in a circle: ${cycle.map(visible).join(" -> ")}`)]),
  ].join("\n");
}
