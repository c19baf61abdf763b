/** `baton phase exclude`: leaves a department out of a phase. */
import { visible } from "../../../base/text.ts";
import type { Command } from "../command.ts";
import { actGiven } from "../phase-options.ts";
import { answer, withTeam } from "../session.ts";

export const command: Command = {
  description:
    "Leaves a department out of a phase, also one that has reported that it failed, by the person who owns the team and by\n" +
    "nobody else. The phase can ship without it; the phase and the record show that it was left out, and why.",
  positionals: [{ name: "DEPARTMENT", required: true, summary: "backend, frontend or uiux" }],
  options: [
    { name: "reason", kind: "text", value: "TEXT", required: true, summary: "why the phase goes on without it" },
    { name: "phase", kind: "text", value: "PHASE", summary: "the phase (default: the one that is worked in)" },
    { name: "id", kind: "text", value: "ID", summary: "names this act for retries" },
  ],
  examples: [
    { line: "baton phase exclude frontend --reason 'ships next week'", meaning: "in the phase that is worked in" },
    { line: "baton phase exclude uiux --phase 2 --reason 'nothing to draw'", meaning: "in another phase" },
  ],
  next: "baton phase shows what is still missing.",
  run: (call) =>
    withTeam(call, async (team) => {
      const { given } = call;
      const department = given.word("DEPARTMENT") ?? "";
      const phase = given.text("phase");
      const excluded = { department, reason: given.text("reason") ?? "", ...(phase === undefined ? {} : { phase }) };
      const reply = await team.excludeDepartment(excluded, actGiven(given));
      return answer(call, reply, ({ seq }) => `Left out: ${visible(department)} (entry ${seq}).`);
    }),
};
