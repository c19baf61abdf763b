/** `baton journal accept-loss`: the one way on after entries were lost, said aloud and recorded. */
import { problem } from "../../../base/problem.ts";
import { ownerName } from "../../../message/principal.ts";
import type { Command } from "../kernel/command.ts";
import { exitCodes } from "../kernel/exit-codes.ts";
import { teamsOf, withRecord } from "./journal-session.ts";

export const command: Command = {
  isOwners: true,
  description:
    "A journal that is behind its anchor has lost entries and takes no writes. This command records, as the owner, that\n" +
    "they are lost and why: a new epoch begins that names the lost range. Look for a backup first.",
  options: [
    { name: "reason", kind: "text", value: "TEXT", required: true, summary: "what happened, for the record" },
    { name: "id", kind: "text", value: "ID", summary: "the id of this operation, for retries" },
  ],
  examples: [
    { line: "baton journal verify", meaning: "first see what is lost" },
    { line: "baton journal accept-loss --reason 'disk of the old laptop'", meaning: "then go on without it" },
  ],
  next: "baton journal verify is sound again; agents whose receipts are in the lost range send again.",
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
      const id = call.given.text("id");
      // A repetition finds the loss accepted, so what an id stands for is asked of the journal.
      if (standing.condition !== "regressed" && id === undefined) {
        return output.fail(
          problem("not-found", "journal", "No loss is known: the journal is not behind its anchor.", {
            hint: "baton journal verify tells its state",
          }),
        );
      }
      const teams = await teamsOf(call, record);
      if (!teams.ok) return output.fail(teams.error);
      const [only, ...others] = teams.value;
      const isNamed = call.given.text("team") !== undefined || standing.condition !== "regressed";
      const team = isNamed ? only : standing.team;
      if (team === undefined || (isNamed && others.length > 0)) {
        const hint = `Name one with --team: ${teams.value.join(", ") || "there is none yet"}.`;
        return output.fail(problem("unknown-team", "--team", "It is not clear which team is meant.", { hint }));
      }
      const done = await record.acceptLoss(team, call.given.text("reason") ?? "", id === undefined ? {} : { id });
      if (!done.ok) return output.fail(done.error);
      output.result(
        done.value,
        () =>
          `${done.value.duplicate ? "Already accepted" : "Accepted"}: team ${team} goes on in epoch ${done.value.epoch} from entry ${done.value.seq}.`,
      );
      return exitCodes.done;
    }),
};
