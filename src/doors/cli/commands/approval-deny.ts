/** `baton approval deny`: no, with the reason. */
import { answerApproval, answerOptions } from "../approval-answer.ts";
import type { Command } from "../command.ts";

export const command: Command = {
  description: "Answers a request with no. The reason goes to the requester. One answer counts: a second is refused.",
  positionals: [{ name: "ID", required: true, summary: "the request's id" }],
  options: [
    { name: "reason", kind: "text", value: "TEXT", required: true, summary: "why, for the requester" },
    ...answerOptions,
  ],
  examples: [
    { line: "baton approval deny approve-678 --reason 'split it into a new task'", meaning: "the owner says no" },
    { line: "baton approval deny approve-678 --as lead-1 --reason 'out of scope'", meaning: "lead-1 says no" },
  ],
  next: "The requester finds the answer in its inbox.",
  run: (call) => answerApproval(call, false, call.given.text("reason") ?? ""),
};
