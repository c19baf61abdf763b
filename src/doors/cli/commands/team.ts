/** `baton team`: how the team file differs from what is in force. */
import { visible } from "../../../base/text.ts";
import type { Command } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { proposalText } from "../revision-text.ts";
import { withTeam } from "../session.ts";

export const command: Command = {
  description:
    "Prints the revision in force, and what the team file wants beyond it. A change that gives somebody more than before (a\n" +
    "role, an agent, a policy, a limit, a speaker, senders or receivers of a message) takes effect when you confirm it; a\n" +
    "change that only takes something away is in force at once.",
  examples: [
    { line: "baton team", meaning: "what waits for you" },
    { line: "baton team --json", meaning: "the same as one JSON value" },
  ],
  next: "baton team confirm and baton team decline decide what waits.",
  run: (call) =>
    withTeam(call, async (team) => {
      const status = await team.status();
      if (!status.ok) return call.output.fail(status.error);
      const { team: name, revision, definition, proposal } = status.value;
      call.output.result({ team: name, revision, definition, proposal }, () => {
        const inForce = `team ${visible(name)}, revision ${revision}`;
        return proposal === null
          ? `${inForce}: the team file says what is in force.`
          : `${inForce}\n\n${proposalText(call, proposal)}`;
      });
      return exitCodes.done;
    }),
};
