/** `baton token revoke`: a token that proves nobody any more. */
import { visible } from "../../../base/text.ts";
import type { Command } from "../command.ts";
import { answer, isUnchanged, withTeam } from "../session.ts";

export const command: Command = {
  description: "Ends a token at every hub of the journal, from its next request on. Revoking it again changes nothing.",
  positionals: [{ name: "ID", required: true, summary: "the token's id, as token list shows it" }],
  options: [{ name: "id", kind: "text", value: "ID", summary: "names this act for retries" }],
  examples: [
    { line: "baton token list", meaning: "first find its id" },
    { line: "baton token revoke 0f3a9c21b47e", meaning: "then end it" },
  ],
  next: "baton token create AGENT makes a new one.",
  run: (call) =>
    withTeam(call, async (team) => {
      const tokenId = call.given.word("ID") ?? "";
      const id = call.given.text("id");
      const reply = await team.revokeToken(tokenId, id === undefined ? {} : { id });
      const word = isUnchanged(reply) ? "Already revoked" : "Revoked";
      return answer(call, reply, (receipt) => `${word}: ${visible(tokenId)} (entry ${receipt.seq}).`);
    }),
};
