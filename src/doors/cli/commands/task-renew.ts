/** `baton task renew`: says that the holder of a claim is still at work. */
import { answerClaim } from "../claim-answer.ts";
import { claimOptions } from "../claim-options.ts";
import type { Command } from "../command.ts";
import { fencingToken } from "../fencing-token.ts";
import { withTeam } from "../session.ts";

export const command: Command = {
  description:
    "Renews a claim. Every act of its holder renews it, so this is for those who work long without any. A claim that expired\n" +
    "and went to another is refused (exit 2): its old holder should stop and look.",
  positionals: [{ name: "TASK", required: true, summary: "the task's id, however it is spelled" }],
  options: [fencingToken, { name: "id", kind: "text", value: "ID", summary: "names this act for retries" }],
  examples: [
    { line: "baton task renew 1-1-T1 --as dev-1 --token 42", meaning: "the claim that was granted as 42 holds on" },
    { line: "baton task renew 1-1-T1 --as dev-1 --json", meaning: "until when, as JSON" },
  ],
  next: "baton task list shows who holds what, and until when.",
  run: (call) =>
    withTeam(call, async (team) => {
      const task = call.given.word("TASK") ?? "";
      return answerClaim(call, "Renewed", await team.renew(task, claimOptions(call.given)));
    }),
};
