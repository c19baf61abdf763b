/** What `approval approve` and `approval deny` share: one answer to one request. */
import { visible } from "../../base/text.ts";
import type { Reply } from "../../operations/reply.ts";
import type { Call, Command } from "./command.ts";
import type { ExitCode } from "./exit-codes.ts";
import { answer, isUnchanged, withTeam } from "./session.ts";

/** What goes along with an answer, yes or no. */
export const answerOptions: NonNullable<Command["options"]> = [
  { name: "condition", kind: "text", value: "TEXT", repeatable: true, summary: "what the answer is bound to" },
  {
    name: "modification",
    kind: "text",
    value: "PATH",
    repeatable: true,
    summary: "what changes with it; for a scope_change the only paths that it lets in",
  },
  { name: "id", kind: "text", value: "ID", summary: "names this act for retries" },
];

/** Answers the request that the call names and prints the receipt. */
export async function answerApproval(call: Call, approved: boolean, reason: string): Promise<ExitCode> {
  const request = call.given.word("ID") ?? "";
  const id = call.given.text("id");
  const conditions = call.given.texts("condition");
  const modifications = call.given.texts("modification");
  const given = {
    approved,
    reason,
    ...(conditions.length === 0 ? {} : { conditions }),
    ...(modifications.length === 0 ? {} : { modifications }),
  };
  return await withTeam(call, async (team) => {
    const reply = await team.answer(request, given, id === undefined ? {} : { id });
    return answer(call, reply, (receipt) =>
      isAnswered(reply)
        ? `${approved ? "Approved" : "Denied"} before: ${visible(request)}; nothing changed.`
        : `${approved ? "Approved" : "Denied"}: ${visible(request)} (entry ${receipt.seq}).`,
    );
  });
}

/** Whether the same answer had been given before. */
function isAnswered(reply: Reply): boolean {
  return (
    isUnchanged(reply) || (reply.outcome === "accepted" && reply.notes.some(({ code }) => code === "answer-unchanged"))
  );
}
