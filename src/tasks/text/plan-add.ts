/** `baton plan add`: a list of tasks from a file, shown as it was read before it is recorded. */
import { decodeUtf8 } from "../../base/json.ts";
import { messageBytesMax } from "../../base/limits.ts";
import { counted, visible } from "../../base/text.ts";
import type { Command } from "../../doors/cli/kernel/command.ts";
import { readWhole } from "../../doors/cli/kernel/input.ts";
import { actId } from "../../doors/cli/kernel/operation-command.ts";
import { answer, withTeam } from "../../doors/cli/place/session.ts";
import { exitCodes } from "../../doors/cli/terminal/exit-codes.ts";
import { type PlanList, readPlanList } from "../decide/plan-list.ts";
import { listedText, workText } from "../view/task-remarks.ts";

export const command: Command = {
  description:
    "Reads a Markdown list: each item at the margin is a task, its indented items say when it is done, and lines such as\n" +
    "`files: src/a.ts`, `after: 1`, `check: npm test`, `priority: high`, `label: tax` and `agent: dev-1` say more. `after` counts\n" +
    "by the list. Items with [x] are left out. It shows what it read and asks; all tasks are added, or none.",
  positionals: [{ name: "FILE", argument: "text", required: true, summary: "the list; -: standard input" }],
  options: [
    { name: "yes", kind: "flag", summary: "add the tasks without asking" },
    { name: "plan", argument: "plan", kind: "text", value: "PLAN", summary: "the plan they belong to" },
    actId,
  ],
  examples: [
    { line: "baton plan add plan.md", meaning: "shows the tasks of the list, and asks" },
    { line: "baton plan add - --yes < plan.md", meaning: "from standard input, without a question" },
  ],
  next: "baton task list shows the tasks; baton task claim --as AGENT takes the next one.",
  run: async (call) => {
    const { given, output, config, signal } = call;
    const file = given.word("FILE") ?? "-";
    const bytes = await readWhole(file, messageBytesMax, signal);
    if (!bytes.ok) return output.fail(bytes.error);
    const text = decodeUtf8(bytes.value);
    if (!text.ok) return output.fail({ ...text.error, path: file });
    const list = readPlanList(text.value);
    if (list.problems.length > 0) return output.fail(list.problems);
    if (!given.flag("yes")) {
      output.result({ title: list.title, tasks: list.tasks, notes: list.notes }, () => listText(list));
      if (!config.isInteractive() || output.json || file === "-") {
        output.say("Nothing is added yet. With --yes the tasks are.");
        return exitCodes.done;
      }
      const { confirmed } = await import("../../doors/cli/terminal/asking.ts");
      if (!(await confirmed(`Add ${counted(list.tasks.length, "task")}?`))) return exitCodes.interrupted;
    }
    return await withTeam(call, async (team) => {
      const [plan, id] = [given.text("plan"), given.text(actId.name)];
      const asked = { text: text.value, ...(plan === undefined ? {} : { plan }) };
      const reply = await team.addPlan(asked, id === undefined ? {} : { id });
      const added = reply.outcome === "accepted" ? reply.tasks : [];
      return answer(call, reply, ({ seq }) =>
        [
          `Added ${counted(added.length, "task")} (entry ${seq}).`,
          ...added.map(({ task, title }) => `  ${visible(task)}  ${visible(title)}`),
        ].join("\n"),
      );
    });
  },
};

/** What was read, as the board will have it. */
function listText({ title, tasks, notes }: PlanList): string {
  return [
    `${title === null ? "" : `${visible(title)}: `}${counted(tasks.length, "task")}`,
    ...tasks.flatMap((task, at) => [
      `${at + 1}. ${visible(task.title)} ${listedText(task, tasks)}`.trimEnd(),
      ...workText(task),
    ]),
    ...notes.map(({ path, message }) => `note: ${path}: ${visible(message)}`),
  ].join("\n");
}
