/** `baton team`: how the team file differs from what is in force. */
import { visible } from "../../../base/text.ts";
import { teamOfFile } from "../../../runtime/team/team-files.ts";
import { lookForPlace } from "../../../workspace/place.ts";
import type { Call, Command } from "../kernel/command.ts";
import { exitCodes } from "../kernel/exit-codes.ts";
import { hubOf } from "../place/hub-address.ts";
import { withTeam } from "../place/session.ts";
import { proposalText } from "./revision-text.ts";

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
      const isFileBroken = hubOf(call) === null && (await hasFileError(call));
      const { team: name, revision, definition, proposal } = status.value;
      call.output.result({ team: name, revision, definition, proposal }, () => {
        const inForce = `team ${visible(name)}, revision ${revision}`;
        if (proposal === null)
          return isFileBroken
            ? `${inForce} is in force: the team file has an error, so nothing of it is taken.`
            : `${inForce}: the team file says what is in force.`;
        return `${inForce}\n\n${proposalText(call, proposal, { reader: team.actor.agent, isFileBroken })}`;
      });
      return exitCodes.done;
    }),
};

/** Whether the team file of this machine cannot be taken; opening the team has said why. */
async function hasFileError(call: Call): Promise<boolean> {
  const place = lookForPlace(call);
  return place.ok && !(await teamOfFile(place.value.teamFile)).ok;
}
