/**
 * The answers to a handoff: `baton handoff accept` verifies the files, then takes the work over with the claim on its
 * task; `baton handoff reject` gives it back with the reason; `baton handoff complete` says that it is done, once its
 * generated files are there.
 */

import { counted, visible } from "../../base/text.ts";
import type { Command } from "../../doors/cli/kernel/command.ts";
import { answer, isUnchanged, withTeam } from "../../doors/cli/place/session.ts";
import { exitCodes } from "../../doors/cli/terminal/exit-codes.ts";
import { localTime } from "../../doors/cli/terminal/terminal-text.ts";
import { filesToMake, filesToVerify } from "../../messages/handoff-body.ts";
import { handoffArgument, handoffLookedAt, handoffMeant, rootOption } from "./handoff-file.ts";

export const acceptCommand: Command = {
  acts: true,
  description:
    "Looks for the files here, as handoff verify does, and takes the work over when none is changed, missing or outside the\n" +
    "root. The claim on the document's task moves along with a new token, so the previous holder is fenced. Refused where\n" +
    "the document itself says that the work failed, its tests do not pass or its review failed. One answer counts.",
  positionals: [handoffArgument],
  options: [rootOption, { name: "id", kind: "text", value: "ID", summary: "the id of this operation, for retries" }],
  examples: [
    { line: "baton handoff accept handoff-7 --as dev-1", meaning: "dev-1 goes on with it" },
    {
      line: "baton handoff accept docs/handoffs/story-2.yaml --as dev-1 --json",
      meaning: "by the file, which must be as it was issued",
    },
  ],
  next: "Work on; baton handoff complete ID says that it is done.",
  run: (call) =>
    withTeam(call, async (team) => {
      const { output, given } = call;
      const looked = await handoffLookedAt(call, team, filesToVerify);
      if (!looked.ok) return output.fail(looked.error);
      const { id: handoff, verified } = looked.value;
      const id = given.text("id");
      const reply = await team.acceptHandoff({ handoff, verified }, id === undefined ? {} : { id });
      if (reply.outcome !== "accepted") return answer(call, reply, () => "");
      output.notes(reply.notes);
      const { claim, receipt } = reply;
      const { files, weak } = verified;
      output.result({ accepted: true, handoff, files, weak, claim, receipt }, () => {
        const paint = output.paint.stdout;
        return [
          `${paint.good("Accepted")}: ${visible(handoff)}, ${counted(files, "file")} looked at${weak === 0 ? "" : `, ${weak} weak`}.`,
          ...(claim === null
            ? []
            : [
                `  ${visible(claim.task)} is yours with the token ${claim.token}, until ${localTime(claim.expiresAt)}.`,
              ]),
        ].join("\n");
      });
      return exitCodes.done;
    }),
};

/** `baton handoff reject`: gives the work back, and says why. */
export const rejectCommand: Command = {
  acts: true,
  description:
    "Gives a handoff back to its issuer, with the reasons. At least one reason is needed. Only those it is addressed to may,\n" +
    "and one answer counts; the mended document is issued again as a new handoff.",
  positionals: [handoffArgument],
  options: [
    {
      name: "reason",
      argument: "reasons",
      kind: "text",
      value: "TEXT",
      repeatable: true,
      summary: "what is wrong; needed, as often as needed",
    },
    { name: "id", kind: "text", value: "ID", summary: "the id of this operation, for retries" },
  ],
  examples: [
    {
      line: "baton handoff reject handoff-7 --as dev-1 --reason 'the story has no criteria'",
      meaning: "dev-1 gives it back",
    },
    {
      line: "baton handoff reject handoff-7 --as dev-1 --reason 'docs/story.md was changed' --reason 'no tests' --json",
      meaning: "two reasons",
    },
  ],
  next: "Its issuer mends the document and runs baton handoff issue FILE again.",
  run: (call) =>
    withTeam(call, async (team) => {
      const meant = await handoffMeant(call, team);
      if (!meant.ok) return call.output.fail(meant.error);
      const { id: handoff } = meant.value.handoff;
      const id = call.given.text("id");
      const reasons = call.given.texts("reason");
      const reply = await team.rejectHandoff({ handoff, reasons }, id === undefined ? {} : { id });
      return answer(
        call,
        reply,
        (receipt) =>
          `${isUnchanged(reply) ? "Already rejected" : "Rejected"}: ${visible(handoff)} (entry ${receipt.seq}).`,
      );
    }),
};

/** `baton handoff complete`: says that what was handed over is done, once its generated files are there. */
export const completeCommand: Command = {
  acts: true,
  description:
    "Checks that the files of the work exist (generated_files) and reports it as done. The agent that accepted the handoff or\n" +
    "issued it may. What became of the task itself is said with task complete or a message.",
  positionals: [handoffArgument],
  options: [rootOption, { name: "id", kind: "text", value: "ID", summary: "the id of this operation, for retries" }],
  examples: [
    { line: "baton handoff complete handoff-7 --as dev-1", meaning: "dev-1 is done" },
    {
      line: "baton handoff complete handoff-7 --as dev-1 --root ../checkout --json",
      meaning: "the files are in another tree",
    },
  ],
  next: "baton handoff new --from-task TASK compiles the next document from the record.",
  run: (call) =>
    withTeam(call, async (team) => {
      const { output, given } = call;
      const looked = await handoffLookedAt(call, team, filesToMake);
      if (!looked.ok) return output.fail(looked.error);
      const { id: handoff, verified } = looked.value;
      const id = given.text("id");
      const reply = await team.completeHandoff({ handoff, verified }, id === undefined ? {} : { id });
      return answer(
        call,
        reply,
        (receipt) =>
          `${isUnchanged(reply) ? "Already completed" : "Completed"}: ${visible(handoff)} (entry ${receipt.seq}).`,
      );
    }),
};
