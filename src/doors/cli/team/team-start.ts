/** `baton team start`: begins another team in a journal that holds one. */
import { visible } from "../../../base/text.ts";
import type { Command } from "../kernel/command.ts";
import { exitCodes } from "../kernel/exit-codes.ts";
import { openLocal } from "../place/session.ts";

export const command: Command = {
  isLocal: true,
  isOwners: true,
  globals: ["journal"],
  description:
    "Begins the team that the team file names in this journal, in addition to those that it holds. A team keeps its name in the\n" +
    "record, so another name in the file means another team, and no other command begins it by itself.",
  examples: [
    { line: "baton team start", meaning: "after you wrote another name into .baton/team.yaml" },
    { line: "baton team start --json", meaning: "the same, for a program" },
  ],
  next: "baton status shows it; --team NAME on any command means one of several teams.",
  run: async (call) => {
    const { output } = call;
    const opened = await openLocal(call, null, { starts: true });
    if (!opened.ok) return output.fail(opened.error);
    await using team = opened.value;
    output.result({ team: team.name }, () => `The team ${visible(team.name)} is in the journal.`);
    return exitCodes.done;
  },
};
