/** `baton task claim`: takes a task, so that nobody else works on it or on its files. */
import { answerClaim } from "../claim-answer.ts";
import { listOf } from "../claim-options.ts";
import type { Command } from "../command.ts";
import { withTeam } from "../session.ts";

export const command: Command = {
  description:
    "Claims a task for the agent. Granted, it prints the claim's token and until when it holds without a sign of life: any\n" +
    "command of the agent is one. Denied (exit 2), it names who is in the way and with which paths. Claiming again what one\n" +
    "holds is granted again; with --files the claim grows by them.",
  positionals: [{ name: "TASK", required: true, summary: "the task's id, however it is spelled" }],
  options: [
    { name: "plan", kind: "text", value: "PLAN", summary: "the plan, where the task's id does not name it" },
    {
      name: "files",
      kind: "text",
      value: "PATHS",
      repeatable: true,
      summary: "what will be edited, from the repository's root, with commas between (default: the task's files)",
    },
    { name: "id", kind: "text", value: "ID", summary: "names this act for retries" },
  ],
  examples: [
    { line: "baton task claim 1-1-T1 --as dev-1", meaning: "dev-1 takes the task with its files" },
    {
      line: "baton task claim 1-1-T1 --as dev-1 --files src/a.ts,src/b/ --json",
      meaning: "with files of its own; the answer as JSON",
    },
  ],
  next: "baton task complete TASK --token N --commit HASH reports it done; baton task release TASK gives it back.",
  run: (call) =>
    withTeam(call, async (team) => {
      const { given } = call;
      const [plan, id] = [given.text("plan"), given.text("id")];
      const files = listOf(given.texts("files"));
      const claim = await team.claim(
        {
          task: given.word("TASK") ?? "",
          ...(plan === undefined ? {} : { plan }),
          ...(files === undefined ? {} : { files }),
        },
        id === undefined ? {} : { id },
      );
      return answerClaim(call, "Claimed", claim);
    }),
};
