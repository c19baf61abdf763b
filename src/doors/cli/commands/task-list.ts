/** `baton task list`: the board, a task a line. */
import { taskStates } from "../../../coordination/board.ts";
import { meansTask } from "../../../coordination/work-ids.ts";
import { choiceIfGiven } from "../choice.ts";
import type { Command } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { withTeam } from "../session.ts";
import { tasksText } from "../task-text.ts";

export const command: Command = {
  description:
    "Prints the team's tasks: state, holder with token and the time until which the claim holds, commit, files, what a task\n" +
    "waits for, and why it is disputed or stale.",
  positionals: [{ name: "TASK", summary: "this task alone, however its id is spelled (default: every task)" }],
  options: [
    { name: "plan", kind: "text", value: "PLAN", summary: "only this plan's, however its id is spelled" },
    { name: "state", kind: "text", value: "STATE", choices: taskStates, summary: "only tasks in this state" },
  ],
  examples: [
    { line: "baton task list", meaning: "the whole board" },
    { line: "baton task list 1-1-T1", meaning: "how one task stands" },
    {
      line: "baton task list --plan 1-1 --state claimed --json",
      meaning: "who works on plan 1-1; a line of JSON a task",
    },
  ],
  next: "baton task available shows what can be claimed now; baton task claim TASK --as AGENT takes one.",
  run: (call) =>
    withTeam(call, async (team) => {
      const { given, output } = call;
      const plan = given.text("plan");
      const state = choiceIfGiven(given.text("state"), taskStates);
      const found = await team.tasks({
        ...(plan === undefined ? {} : { plan }),
        ...(state === undefined ? {} : { state }),
      });
      if (!found.ok) return output.fail(found.error);
      const word = given.word("TASK");
      const tasks =
        word === undefined ? found.value : found.value.filter(({ task, plan: of }) => meansTask(word, task, of));
      if (output.json) for (const task of tasks) output.result(task, () => null);
      else if (tasks.length > 0) output.raw(tasksText(tasks, output.paint.stdout));
      else output.say("No such task. A plan_contract brings tasks, or: baton task add 1-1-T1 --plan 1-1");
      return exitCodes.done;
    }),
};
