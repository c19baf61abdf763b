/** `baton journal replay`: the folded state at an entry. */
import { visible, visibleLines } from "../../../base/text.ts";
import { replay } from "../../../runtime/record/replay.ts";
import { usageProblem } from "../kernel/arguments.ts";
import type { Command } from "../kernel/command.ts";
import { exitCodes } from "../kernel/exit-codes.ts";
import { teamsOf, withRecord } from "./journal-session.ts";

export const command: Command = {
  description:
    "Folds the entries of a team up to one of them and prints the state as JSON: the definition in force, agents, mail, contracts,\n" +
    "tasks, approvals, rounds, at that time. Reads only.",
  options: [
    {
      name: "at",
      kind: "position",
      value: "SEQ",
      summary: "the entry's number; 0: before the first (default: the last)",
    },
  ],
  examples: [
    { line: "baton journal replay --at 17", meaning: "the state when entry 17 was recorded" },
    { line: "baton journal replay --json | jq .state.team.revision", meaning: "a part of the current state" },
  ],
  next: "baton show SEQ prints the entry itself.",
  run: (call) =>
    withRecord(call, { readOnly: true }, async (record) => {
      const { output, given } = call;
      const teams = await teamsOf(call, record);
      if (!teams.ok) return output.fail(teams.error);
      const [team] = teams.value;
      if (team === undefined || teams.value.length > 1) {
        const names = teams.value.map(visible).join(", ");
        const hint = team === undefined ? "it holds no team yet" : `name one with --team: ${names}`;
        return output.fail(usageProblem("--team", "One team is replayed at a time.", hint));
      }
      const replayed = await replay(record, team, given.number("at"));
      if (!replayed.ok) return output.fail(replayed.error);
      output.result(replayed.value, () => visibleLines(JSON.stringify(replayed.value, null, 2)));
      return exitCodes.done;
    }),
};
