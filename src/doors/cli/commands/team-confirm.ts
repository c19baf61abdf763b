/** `baton team confirm`: puts a change of the team file in force. */
import type { Command } from "../command.ts";
import { ownerHere } from "../owner-here.ts";
import { answer, isUnchanged, withTeam } from "../session.ts";

export const command: Command = {
  description:
    "Puts the change of the team file that waits in force, by the person who owns the team and by nobody else. The id says\n" +
    "which change you have seen: where the file has changed since, nothing is confirmed.",
  positionals: [{ name: "PROPOSAL", required: true, summary: "the id that baton team shows" }],
  options: [{ name: "id", kind: "text", value: "ID", summary: "names this act for retries" }],
  examples: [
    { line: "baton team confirm 0b5c1f5e2d6a4c8f9e7d3a1b2c4d6e8f", meaning: "the change that baton team showed" },
    {
      line: "baton team confirm 0b5c1f5e2d6a4c8f9e7d3a1b2c4d6e8f --hub http://127.0.0.1:4777",
      meaning: "through a hub, with the owner's token in BATON_TOKEN",
    },
  ],
  next: "baton team shows what is in force; baton status who is in the team.",
  run: async (call) => {
    const fault = ownerHere(call);
    if (fault !== null) return call.output.fail(fault);
    return await withTeam(call, async (team) => {
      const { given } = call;
      const id = given.text("id");
      const reply = await team.confirmRevision(given.word("PROPOSAL") ?? "", id === undefined ? {} : { id });
      return answer(call, reply, ({ seq }) =>
        isUnchanged(reply)
          ? `Confirmed before; the team file is in force; nothing changed.`
          : `Confirmed; the team file is in force (entry ${seq}).`,
      );
    });
  },
};
