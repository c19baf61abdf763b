/** What `approval approve` and `approval deny` share: one answer to one request. */
import { visible } from "../../base/text.ts";
import type { Call } from "./command.ts";
import type { ExitCode } from "./exit-codes.ts";
import { answer, withTeam } from "./session.ts";

/** Answers the request that the call names and prints the receipt. */
export async function answerApproval(call: Call, approved: boolean, reason: string): Promise<ExitCode> {
  const request = call.given.word("ID") ?? "";
  const id = call.given.text("id");
  const conditions = approved ? call.given.texts("condition") : [];
  return await withTeam(call, async (team) => {
    const reply = await team.answer(request, { approved, reason, conditions }, id === undefined ? {} : { id });
    return answer(
      call,
      reply,
      (receipt) => `${approved ? "Approved" : "Denied"}: ${visible(request)} (entry ${receipt.seq}).`,
    );
  });
}
