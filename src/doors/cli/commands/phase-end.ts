/** `baton phase end`: the end of a phase, once every step is done or skipped. */
import type { Command } from "../command.ts";
import { actGiven, partGiven, partOptions } from "../phase-options.ts";
import { answer, withTeam } from "../session.ts";

export const command: Command = {
  description:
    "Ends a phase of a team without departments, by its lead or the owner. Refused while steps are neither done nor skipped:\n" +
    "each of them is named with what is missing. Where departments work, the owner ships the phase instead.",
  options: [...partOptions, { name: "id", kind: "text", value: "ID", summary: "names this act for retries" }],
  examples: [
    { line: "baton phase end --as lead-1", meaning: "the phase that lead-1 works in" },
    { line: "baton phase end --phase 2", meaning: "the owner ends phase 2" },
  ],
  next: "baton shutdown start --reason phase_complete lets the agents stop.",
  run: (call) =>
    withTeam(call, async (team) => {
      const reply = await team.endPhase(partGiven(call.given), actGiven(call.given));
      return answer(call, reply, ({ seq }) => `The phase is over (entry ${seq}).`);
    }),
};
