/** `baton approval approve`: yes, by an agent that may say so, or by the owner. */
import { answerApproval, answerOptions } from "../approval-answer.ts";
import type { Command } from "../command.ts";

export const command: Command = {
  description:
    "Answers a request with yes. Without --as the owner decides, whose word stands outside the roles; an agent answers\n" +
    "through its own dialect and must be one that may. One answer counts: a second is refused.",
  positionals: [{ name: "ID", required: true, summary: "the request's id" }],
  options: [{ name: "reason", kind: "text", value: "TEXT", summary: "why (default: approved)" }, ...answerOptions],
  examples: [
    { line: "baton approval approve approve-678", meaning: "the owner says yes" },
    {
      line: "baton approval approve approve-678 --as lead-1 --reason 'needed by 1-2' --condition 'keep the API'",
      meaning: "lead-1 says yes, on a condition",
    },
    { line: "baton approval approve approve-678 --modification docs/", meaning: "docs/ may be touched, nothing else" },
  ],
  next: "The requester finds the answer in its inbox.",
  run: (call) => answerApproval(call, true, call.given.text("reason") ?? "approved"),
};
