/** `baton team decline`: goes on without a change of the team file. */
import type { Command } from "../command.ts";
import { ownerHere } from "../owner-here.ts";
import { answer, isUnchanged, withTeam } from "../session.ts";

export const command: Command = {
  description:
    "Declines the change of the team file that waits. The team goes on with what is in force, and the file is shown as\n" +
    "different until it changes. You can still confirm the change later.",
  positionals: [{ name: "PROPOSAL", required: true, summary: "the id that baton team shows" }],
  options: [
    { name: "reason", kind: "text", value: "TEXT", summary: "why, for the record" },
    { name: "id", kind: "text", value: "ID", summary: "names this act for retries" },
  ],
  examples: [
    { line: "baton team decline 0b5c1f5e2d6a4c8f9e7d3a1b2c4d6e8f", meaning: "the change that baton team showed" },
    {
      line: "baton team decline 0b5c1f5e2d6a4c8f9e7d3a1b2c4d6e8f --reason 'dev-1 stays a developer'",
      meaning: "with the reason recorded",
    },
  ],
  next: "git log .baton/team.yaml shows who changed the file.",
  run: async (call) => {
    const fault = ownerHere(call);
    if (fault !== null) return call.output.fail(fault);
    return await withTeam(call, async (team) => {
      const { given } = call;
      const id = given.text("id");
      const reason = given.text("reason");
      const reply = await team.declineRevision(given.word("PROPOSAL") ?? "", {
        ...(id === undefined ? {} : { id }),
        ...(reason === undefined ? {} : { reason }),
      });
      return answer(call, reply, ({ seq }) =>
        isUnchanged(reply)
          ? `Declined before; the revision in force stays; nothing changed.`
          : `Declined; the revision in force stays (entry ${seq}).`,
      );
    });
  },
};
