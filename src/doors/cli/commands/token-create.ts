/** `baton token create`: a credential for an agent, shown once. */
import { visible } from "../../../base/text.ts";
import type { Command } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { answer, withTeam } from "../session.ts";

export const command: Command = {
  description:
    "Makes a token that proves an agent to a hub, and prints it, this once: the journal keeps only its hash. Every hub on\n" +
    "the journal accepts it at once. AGENT may be `owner`. Only the owner makes tokens.",
  positionals: [{ name: "AGENT", required: true, summary: "whom it proves" }],
  options: [{ name: "id", kind: "text", value: "ID", summary: "names this act for retries" }],
  examples: [
    { line: "baton token create dev-1", meaning: "the token, alone on standard output" },
    { line: "baton token create owner --json", meaning: "one for the person, with its id and receipt" },
  ],
  next: "baton up starts the hub that takes it; baton token revoke ID ends it.",
  run: (call) =>
    withTeam(call, async (team) => {
      const agent = call.given.word("AGENT") ?? "";
      const id = call.given.text("id");
      const { reply, token, tokenId } = await team.issueToken(agent, id === undefined ? {} : { id });
      if (reply.outcome !== "accepted") return answer(call, reply, () => "");
      const { output } = call;
      output.notes(reply.notes);
      output.result({ token, tokenId, agent, receipt: reply.receipt }, () => token);
      if (token === null) output.say(`Made before, as ${tokenId}; a token is shown once. Make a new one.`);
      else output.say(`Token ${tokenId} proves ${visible(agent)}. It is shown this once; keep it like a password.`);
      return exitCodes.done;
    }),
};
