/** `baton handoff reject`: gives the work back, and says why. */
import { visible } from "../../../base/text.ts";
import type { Command } from "../kernel/command.ts";
import { answer, isUnchanged, withTeam } from "../place/session.ts";
import { handoffArgument, handoffMeant } from "./handoff-file.ts";

export const command: Command = {
  description:
    "Gives a handoff back to its issuer, with the reasons. At least one reason is needed. Only those it is addressed to may,\n" +
    "and one answer counts; the mended document is issued again as a new handoff.",
  positionals: [handoffArgument],
  options: [
    {
      name: "reason",
      argument: "reasons",
      kind: "text",
      value: "TEXT",
      repeatable: true,
      summary: "what is wrong; needed, as often as needed",
    },
    { name: "id", kind: "text", value: "ID", summary: "the id of this operation, for retries" },
  ],
  examples: [
    {
      line: "baton handoff reject handoff-7 --as dev-1 --reason 'the story has no criteria'",
      meaning: "dev-1 gives it back",
    },
    {
      line: "baton handoff reject handoff-7 --as dev-1 --reason 'docs/story.md was changed' --reason 'no tests' --json",
      meaning: "two reasons",
    },
  ],
  next: "Its issuer mends the document and runs baton handoff issue FILE again.",
  run: (call) =>
    withTeam(call, async (team) => {
      const meant = await handoffMeant(call, team);
      if (!meant.ok) return call.output.fail(meant.error);
      const { id: handoff } = meant.value.handoff;
      const id = call.given.text("id");
      const reasons = call.given.texts("reason");
      const reply = await team.rejectHandoff({ handoff, reasons }, id === undefined ? {} : { id });
      return answer(
        call,
        reply,
        (receipt) =>
          `${isUnchanged(reply) ? "Already rejected" : "Rejected"}: ${visible(handoff)} (entry ${receipt.seq}).`,
      );
    }),
};
