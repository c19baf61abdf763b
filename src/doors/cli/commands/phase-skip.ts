/** `baton phase skip`: leaves a step out, with the reason. */
import { visible } from "../../../base/text.ts";
import type { Command } from "../command.ts";
import { actGiven, partGiven, partOptions } from "../phase-options.ts";
import { answer, withTeam } from "../session.ts";

export const command: Command = {
  description:
    "Leaves a step of a phase out, by the owner, an architect, or the lead of that department. The reason is shown with it.\n" +
    "A step that a failed security audit or an open escalation holds is not left out.",
  positionals: [{ name: "STEP", required: true, summary: "the step, such as research" }],
  options: [
    { name: "reason", kind: "text", value: "TEXT", required: true, summary: "why" },
    ...partOptions,
    { name: "id", kind: "text", value: "ID", summary: "names this act for retries" },
  ],
  examples: [
    { line: "baton phase skip research --reason 'nothing is unknown' --as lead-1", meaning: "in the phase of lead-1" },
    {
      line: "baton phase skip security --reason 'no code' --phase 2 --department uiux",
      meaning: "the owner, in one department",
    },
  ],
  next: "baton phase shows what is left.",
  run: (call) =>
    withTeam(call, async (team) => {
      const { given } = call;
      const step = given.word("STEP") ?? "";
      const reply = await team.skipStep(
        { step, reason: given.text("reason") ?? "", ...partGiven(given) },
        actGiven(given),
      );
      return answer(call, reply, ({ seq }) => `Skipped: ${visible(step)} (entry ${seq}).`);
    }),
};
