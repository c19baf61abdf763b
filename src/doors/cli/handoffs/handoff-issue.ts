/** `baton handoff issue`: stamps a document in its file and hands the work over with it. */
import { visible } from "../../../base/text.ts";
import type { Command } from "../kernel/command.ts";
import { exitCodes } from "../kernel/exit-codes.ts";
import { answer, listed, withTeam } from "../place/session.ts";
import { rootOption } from "./handoff-file.ts";
import { issueFile } from "./handoff-issuing.ts";
import { handoffText } from "./handoff-views.ts";

export const command: Command = {
  acts: true,
  description:
    "Writes into the file what issuing adds: an id where there is none, the time, the SHA-256 of every file that it names,\n" +
    "and the handoffs before it by the record; comments, order and everything else stay. Then the document is sent to its\n" +
    "target_agent. A refused one is put back as it was. Issued twice, it is the same handoff; one that was rejected is\n" +
    "issued again under a new id.",
  positionals: [
    {
      name: "FILE",
      required: true,
      summary: "the document, in YAML or JSON, or Markdown with it at its head or in a fence",
    },
  ],
  options: [rootOption],
  examples: [
    { line: "baton handoff issue docs/handoffs/story-2.yaml --as sm", meaning: "sm hands the story over" },
    { line: "baton handoff issue handoff.json --as dev-1 --root ../checkout --json", meaning: "files of another tree" },
  ],
  next: "The receiver finds it in baton inbox, and answers with baton handoff accept ID or baton handoff reject ID.",
  run: (call) =>
    withTeam(call, async (team) => {
      const { output } = call;
      const issued = await issueFile(call, team);
      if (!issued.ok) return output.fail(issued.error);
      if (issued.value.outcome === "known") {
        const { handoff } = issued.value.detail;
        output.result({ handoff: handoff.id, seq: handoff.seq, isNew: false, standing: handoff.standing }, () =>
          handoffText(handoff, output.paint.stdout),
        );
        output.say(`It was issued before, at entry ${handoff.seq}; nothing was changed.`);
        return exitCodes.done;
      }
      const { reply, body, unsummed } = issued.value;
      for (const path of unsummed) output.say(`note: ${visible(path)} is not there, so it has no checksum.`);
      if (reply.outcome !== "accepted" || !output.json)
        return answer(
          call,
          reply,
          (receipt, receivers) =>
            `Issued: ${visible(body.metadata.id)}, entry ${receipt.seq}, to ${listed(receivers)}.`,
        );
      const { receipt, receivers, notes } = reply;
      output.notes(notes);
      const files = Object.keys(body.validation?.file_checksums ?? {}).length;
      output.result(
        { handoff: body.metadata.id, seq: receipt.seq, isNew: true, receivers, files, receipt },
        () => null,
      );
      return exitCodes.done;
    }),
};
