/** `baton handoff accept`: verifies the files, then takes the work over with the claim on its task. */
import { counted, visible } from "../../../base/text.ts";
import { filesToVerify } from "../../../message/handoff-body.ts";
import type { Command } from "../kernel/command.ts";
import { exitCodes } from "../kernel/exit-codes.ts";
import { answer, withTeam } from "../place/session.ts";
import { handoffArgument, handoffLookedAt, rootOption } from "./handoff-file.ts";

export const command: Command = {
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
      const { reply, claim } = await team.acceptHandoff({ handoff, verified }, id === undefined ? {} : { id });
      if (reply.outcome !== "accepted") return answer(call, reply, () => "");
      output.notes(reply.notes);
      const { files, weak } = verified;
      output.result({ accepted: true, handoff, files, weak, claim, receipt: reply.receipt }, () => {
        const paint = output.paint.stdout;
        return [
          `${paint.good("Accepted")}: ${visible(handoff)}, ${counted(files, "file")} looked at${weak === 0 ? "" : `, ${weak} weak`}.`,
          ...(claim === null
            ? []
            : [`  ${visible(claim.task)} is yours with the token ${claim.token}, until ${claim.expiresAt}.`]),
        ].join("\n");
      });
      return exitCodes.done;
    }),
};
