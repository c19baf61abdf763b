/** `baton agent retire`: an agent that sends and receives no more. */
import { visible } from "../../../base/text.ts";
import type { Command } from "../command.ts";
import { answer, isUnchanged, withTeam } from "../session.ts";

export const command: Command = {
  description:
    "Retires an agent: from then on it may send nothing, and nobody may send to it. What was said stays in the record.",
  positionals: [{ name: "AGENT", required: true, summary: "the agent's name" }],
  options: [
    { name: "reason", kind: "text", value: "TEXT", summary: "why, for the record" },
    { name: "id", kind: "text", value: "ID", summary: "names this act for retries" },
  ],
  examples: [
    { line: "baton agent retire dev-2", meaning: "dev-2 leaves the team" },
    { line: "baton agent retire dev-2 --reason 'plan 1-2 is done'", meaning: "with the reason recorded" },
  ],
  next: "baton agent list shows who is left; baton agent register brings it back in a new session.",
  run: (call) =>
    withTeam(call, async (team) => {
      const agent = call.given.word("AGENT") ?? "";
      const reason = call.given.text("reason");
      const id = call.given.text("id");
      const reply = await team.retire(agent, {
        ...(id === undefined ? {} : { id }),
        ...(reason === undefined ? {} : { reason }),
      });
      const word = isUnchanged(reply) ? "Already retired" : "Retired";
      return answer(call, reply, (receipt) => `${word}: ${visible(agent)} (entry ${receipt.seq}).`);
    }),
};
