/** `baton task show`: one task, and what became of it. */
import { argument } from "../../../base/argument.ts";
import { problem } from "../../../base/problem.ts";
import type { LogLine } from "../../../operations/entries.ts";
import { logLineText } from "../journal/log-line-text.ts";
import type { Command } from "../kernel/command.ts";
import { exitCodes } from "../kernel/exit-codes.ts";
import { withTeam } from "../place/session.ts";
import { tasksText } from "./task-text.ts";

export const command: Command = {
  description:
    "Prints one task: its state, holder, files, what it waits for and why it is disputed or stale; and below it every message\n" +
    "and operation about it, oldest first.",
  positionals: [{ name: "TASK", argument: "task", required: true, summary: "the task's id, however it is spelled" }],
  examples: [
    { line: "baton task show 1-1-T1", meaning: "the state of the task, and how it came to that" },
    { line: "baton task show 1-1-T1 --json", meaning: 'one line: the task with its "entries"' },
  ],
  next: "baton show SEQ tells all about one entry; baton task list shows the other tasks.",
  run: (call) =>
    withTeam(call, async (team) => {
      const { output, given } = call;
      const name = given.word("TASK") ?? "";
      const found = await team.tasks({ task: name });
      if (!found.ok) return output.fail(found.error);
      if (found.value.length === 0) {
        return output.fail(
          problem("unknown-task", argument("task"), "There is no such task.", {
            received: name.slice(0, 64).toWellFormed(),
            hint: "`baton task list` shows the tasks.",
          }),
        );
      }
      for (const task of found.value) {
        const entries: LogLine[] = [];
        for await (const line of team.log({ task: task.task, signal: call.signal })) {
          if (!line.ok) return output.fail(line.error);
          entries.push(line.value);
        }
        const paint = output.paint.stdout;
        output.result({ ...task, entries }, () =>
          [tasksText([task], paint), ...entries.map((line) => `  ${logLineText(line, paint)}`)].join("\n"),
        );
      }
      return exitCodes.done;
    }),
};
