/** `baton token list`: which tokens were made and which still hold. */
import { visible } from "../../../base/text.ts";
import type { Command } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { withTeam } from "../session.ts";
import { table } from "../table.ts";

export const command: Command = {
  description:
    "Prints every token that was made: its id, whom it proves, whether it holds. Never the tokens themselves.",
  examples: [
    { line: "baton token list", meaning: "a table" },
    { line: "baton token list --json", meaning: "a line of JSON a token" },
  ],
  next: "baton token revoke ID ends one.",
  run: (call) =>
    withTeam(call, async (team) => {
      const { output } = call;
      const tokens = await team.tokens();
      if (!tokens.ok) return output.fail(tokens.error);
      if (output.json) for (const token of tokens.value) output.result(token, () => null);
      else if (tokens.value.length === 0) output.say("No tokens yet. Make one with: baton token create AGENT");
      else output.raw(table(tokens.value.map(({ tokenId, agent, status }) => [tokenId, visible(agent), status])));
      return exitCodes.done;
    }),
};
