/** `baton phase lift`: lifts a failed security audit. */
import type { Command } from "../command.ts";
import { actGiven } from "../phase-options.ts";
import { answer, withTeam } from "../session.ts";

export const command: Command = {
  description:
    "Lifts a failed security audit, by the person who owns the team and by nobody else: no later audit and no agent does.\n" +
    "The reason is recorded and shown.",
  options: [
    { name: "reason", kind: "text", value: "TEXT", required: true, summary: "why the phase may go on" },
    { name: "stop", kind: "text", value: "STOP", summary: "which, as baton phase shows it (default: the only one)" },
    { name: "id", kind: "text", value: "ID", summary: "names this act for retries" },
  ],
  examples: [
    { line: "baton phase lift --reason 'the key was rotated and is worthless'", meaning: "the only one that stands" },
    { line: "baton phase lift --stop 57-backend --reason 'the finding was wrong'", meaning: "one of several" },
  ],
  next: "baton phase shows what is still missing.",
  run: (call) =>
    withTeam(call, async (team) => {
      const { given } = call;
      const stop = given.text("stop");
      const lifted = { reason: given.text("reason") ?? "", ...(stop === undefined ? {} : { stop }) };
      const reply = await team.liftStop(lifted, actGiven(given));
      return answer(call, reply, ({ seq }) => `Lifted; the phase goes on (entry ${seq}).`);
    }),
};
