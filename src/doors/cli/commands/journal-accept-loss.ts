/** `baton journal accept-loss`: the one way on after entries were lost, said aloud and recorded. */
import { problem } from "../../../base/problem.ts";
import { ownerName } from "../../../message/principal.ts";
import type { Command } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { teamsOf, withRecord } from "../journal-session.ts";

export const command: Command = {
  description:
    "A journal that stands behind its anchor has lost entries and takes no writes. This command records, as the owner, that\n" +
    "they are lost and why: a new epoch begins that names the lost range. Look for a backup first.",
  options: [{ name: "reason", kind: "text", value: "TEXT", required: true, summary: "what happened, for the record" }],
  examples: [
    { line: "baton journal verify", meaning: "first see what is lost" },
    { line: "baton journal accept-loss --reason 'disk of the old laptop'", meaning: "then go on without it" },
  ],
  next: "baton journal verify is sound again; agents whose receipts lie in the lost range send again.",
  run: (call) =>
    withRecord(call, { readOnly: false }, async (record) => {
      const { output } = call;
      const asked = call.given.text("as") ?? ownerName;
      if (asked !== ownerName) {
        return output.fail(
          problem("human-required", "--as", "Only the owner may accept a loss.", {
            received: asked,
            hint: "leave --as out",
          }),
        );
      }
      const standing = record.condition();
      if (standing.condition !== "regressed") {
        return output.fail(
          problem("not-found", "journal", "No loss is known: the journal is not behind its anchor.", {
            hint: "baton journal verify tells its state",
          }),
        );
      }
      const teams = await teamsOf(call, record);
      if (!teams.ok) return output.fail(teams.error);
      const team = call.given.text("team") === undefined ? standing.team : (teams.value[0] ?? standing.team);
      const done = await record.acceptLoss(team, call.given.text("reason") ?? "");
      if (!done.ok) return output.fail(done.error);
      output.result(
        done.value,
        () => `Accepted: team ${team} goes on in epoch ${done.value.epoch} from entry ${done.value.seq}.`,
      );
      return exitCodes.done;
    }),
};
