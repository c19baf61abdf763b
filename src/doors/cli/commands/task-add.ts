/** `baton task add`: a task by hand, where no contract lists it. */
import { visible } from "../../../base/text.ts";
import { listOf } from "../claim-options.ts";
import type { Command } from "../command.ts";
import { answer, isUnchanged, withTeam } from "../session.ts";

export const command: Command = {
  description:
    "Adds a task to the board, by the owner, a lead or an architect. The tasks of a contract are there without it; adding one\n" +
    "of them says which files it touches and what it waits for. The same again changes nothing.",
  positionals: [{ name: "TASK", required: true, summary: "the task's id, such as 1-1-T1" }],
  options: [
    { name: "plan", kind: "text", value: "PLAN", summary: "the plan it belongs to" },
    { name: "title", kind: "text", value: "TEXT", summary: "what is to be done" },
    {
      name: "files",
      kind: "text",
      value: "PATHS",
      repeatable: true,
      summary: "what it touches, with commas between; src/b/ means all below; none: no files",
    },
    {
      name: "depends-on",
      kind: "text",
      value: "TASKS",
      repeatable: true,
      summary: "tasks that must be done first, with commas between",
    },
    { name: "id", kind: "text", value: "ID", summary: "names this act for retries" },
  ],
  examples: [
    { line: "baton task add 1-1-T1 --plan 1-1 --files src/a.ts,src/b/", meaning: "a task with the files it touches" },
    {
      line: "baton task add 1-1-T2 --plan 1-1 --depends-on 1-1-T1 --title 'Wire it up'",
      meaning: "one that waits for another",
    },
    { line: "baton task add 1-1-T3 --plan 1-1 --files none", meaning: "research: done when it is reported" },
  ],
  next: "baton task available shows what can be claimed now.",
  run: (call) =>
    withTeam(call, async (team) => {
      const { given } = call;
      const task = given.word("TASK") ?? "";
      const [plan, title, id] = [given.text("plan"), given.text("title"), given.text("id")];
      const files = listOf(given.texts("files"));
      const dependsOn = listOf(given.texts("depends-on"));
      const reply = await team.addTask(
        {
          task,
          ...(plan === undefined ? {} : { plan }),
          ...(title === undefined ? {} : { title }),
          ...(files === undefined ? {} : { files: files.length === 1 && files[0] === "none" ? "none" : files }),
          ...(dependsOn === undefined ? {} : { dependsOn }),
        },
        id === undefined ? {} : { id },
      );
      return answer(
        call,
        reply,
        (receipt) => `${isUnchanged(reply) ? "Already there" : "Added"}: ${visible(task)} (entry ${receipt.seq}).`,
      );
    }),
};
