/** `baton watch`: the team as a whole on a terminal, with the keys to decide; elsewhere the record as it grows. */
import type { Command } from "../../doors/cli/kernel/command.ts";
import { withTeam } from "../../doors/cli/place/session.ts";
import { everything, showLog } from "../../record/text/log.ts";

const lastDefault = 20;

export const command: Command = {
  description:
    "On a terminal, shows the team on the whole screen: what needs you, the agents, what came last. `j` and `k` choose, Enter\n" +
    "opens, `a` and `d` decide; a decision is sent after five seconds, until then `z` takes it back. `q` leaves.\n" +
    "With `--json`, and where there is no terminal, it is `baton log --follow`, which takes filters, from the last 20 entries on.",
  examples: [
    { line: "baton watch", meaning: "the team, live, and its decisions" },
    { line: "baton watch --hub http://127.0.0.1:4777 --json", meaning: "what a hub takes, for a program" },
  ],
  next: "baton show SEQ tells all about one entry; baton log --follow shows a part of the record as it grows.",
  run: async (call) => {
    const { config, output } = call;
    if (output.json || config.screen() === null)
      return await withTeam(call, (team) =>
        showLog(call, team, { wanted: everything, newest: lastDefault, follows: true }),
      );
    const { watchTeam } = await import("../../team/text/team-watch.ts");
    return await withTeam(call, (team) => watchTeam(call, team, () => config.screen() ?? { rows: 24, columns: 80 }));
  },
};
