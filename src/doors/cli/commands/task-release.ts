/** `baton task release`: gives a claim back without having completed the task. */
import { visible } from "../../../base/text.ts";
import { claimOptions } from "../claim-options.ts";
import type { Command } from "../command.ts";
import { fencingToken } from "../fencing-token.ts";
import { answer, isUnchanged, withTeam } from "../session.ts";

export const command: Command = {
  description:
    "Gives a claim back: the task and its files are free for others. Only the holder may; a token of an older claim is\n" +
    "refused.",
  positionals: [{ name: "TASK", required: true, summary: "the task's id, however it is spelled" }],
  options: [fencingToken, { name: "id", kind: "text", value: "ID", summary: "names this act for retries" }],
  examples: [
    { line: "baton task release 1-1-T1 --as dev-1", meaning: "dev-1 lets go of the task" },
    {
      line: "baton task release 1-1-T1 --as dev-1 --token 42 --json",
      meaning: "only the claim that was granted as 42",
    },
  ],
  next: "baton task available shows what can be claimed now.",
  run: (call) =>
    withTeam(call, async (team) => {
      const task = call.given.word("TASK") ?? "";
      const reply = await team.release(task, claimOptions(call.given));
      return answer(
        call,
        reply,
        (receipt) => `${isUnchanged(reply) ? "Already free" : "Released"}: ${visible(task)} (entry ${receipt.seq}).`,
      );
    }),
};
