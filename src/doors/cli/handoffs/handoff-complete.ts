/** `baton handoff complete`: says that what was handed over is done, once its generated files are there. */
import { visible } from "../../../base/text.ts";
import { filesToMake } from "../../../message/handoff-body.ts";
import type { Command } from "../kernel/command.ts";
import { answer, isUnchanged, withTeam } from "../place/session.ts";
import { handoffArgument, handoffLookedAt, rootOption } from "./handoff-file.ts";

export const command: Command = {
  description:
    "Checks that the files of the work exist (generated_files) and reports it as done. The agent that accepted the handoff or\n" +
    "issued it may. What became of the task itself is said with task complete or a message.",
  positionals: [handoffArgument],
  options: [rootOption, { name: "id", kind: "text", value: "ID", summary: "the id of this operation, for retries" }],
  examples: [
    { line: "baton handoff complete handoff-7 --as dev-1", meaning: "dev-1 is done" },
    {
      line: "baton handoff complete handoff-7 --as dev-1 --root ../checkout --json",
      meaning: "the files are in another tree",
    },
  ],
  next: "baton handoff new --from-task TASK compiles the next document from the record.",
  run: (call) =>
    withTeam(call, async (team) => {
      const { output, given } = call;
      const looked = await handoffLookedAt(call, team, filesToMake);
      if (!looked.ok) return output.fail(looked.error);
      const { id: handoff, verified } = looked.value;
      const id = given.text("id");
      const reply = await team.completeHandoff({ handoff, verified }, id === undefined ? {} : { id });
      return answer(
        call,
        reply,
        (receipt) =>
          `${isUnchanged(reply) ? "Already completed" : "Completed"}: ${visible(handoff)} (entry ${receipt.seq}).`,
      );
    }),
};
