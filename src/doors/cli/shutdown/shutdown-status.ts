/** `baton shutdown status`: the state of a round, or its certificate. */
import { problem } from "../../../base/problem.ts";
import type { ShutdownView } from "../../../operations/shutdown-shapes.ts";
import type { Command } from "../kernel/command.ts";
import { withTeam } from "../place/session.ts";
import { showRound } from "./shutdown-progress.ts";

export const command: Command = {
  description:
    "Prints a shutdown round: who was asked, who has stopped how, and what each left behind. Without an id it is the\n" +
    "newest round that goes on, else the newest. With --wait it waits for the end, tells every change, and exits with\n" +
    "code 2 where the round is incomplete.",
  positionals: [{ name: "ROUND", argument: "round", summary: "the round's id (default: the newest)" }],
  options: [{ name: "wait", kind: "flag", summary: "wait for the end and print the certificate" }],
  examples: [
    { line: "baton shutdown status", meaning: "the state of the round" },
    { line: "baton shutdown status --wait --json", meaning: "the certificate as a line of JSON, once there is one" },
  ],
  next: "baton agent register brings an agent that stopped back in a new session.",
  run: (call) =>
    withTeam(call, async (team) => {
      const named = call.given.word("ROUND");
      const waits = call.given.flag("wait");
      if (named !== undefined) return await showRound(call, team, named, waits);
      const found = await team.shutdowns();
      if (!found.ok) return call.output.fail(found.error);
      const newest = newestOf(found.value);
      if (newest === null) return call.output.fail(noRounds);
      return await showRound(call, team, newest.round, waits);
    }),
};

const noRounds = problem("not-found", "ROUND", "No shutdown round was started in this team.", {
  hint: "baton shutdown start --reason phase_complete starts one.",
});

function newestOf(rounds: readonly ShutdownView[]): ShutdownView | null {
  return rounds.findLast(({ outcome }) => outcome === "open") ?? rounds.at(-1) ?? null;
}
