/** `baton handoff show`: one handoff, its document, and those that it follows. */
import { visibleLines } from "../../../base/text.ts";
import { handoffGraph } from "../../../coordination/handoffs/handoff-state.ts";
import { bodyOf } from "../../../message/handoff-body.ts";
import type { Command } from "../kernel/command.ts";
import { exitCodes } from "../kernel/exit-codes.ts";
import { withTeam } from "../place/session.ts";
import { handoffArgument, handoffMeant } from "./handoff-file.ts";
import { documentText, handoffText } from "./handoff-text.ts";

export const command: Command = {
  description:
    "Prints the state of a handoff and what its document says. With --document the document as it was issued, comments and\n" +
    "all; with --graph it and those that it follows as a graph in Mermaid's words.",
  positionals: [handoffArgument],
  options: [
    { name: "document", kind: "flag", summary: "only the document, as it was issued" },
    { name: "graph", kind: "flag", summary: "only the lineage, as a Mermaid graph" },
  ],
  examples: [
    { line: "baton handoff show handoff-7", meaning: "everything about it" },
    { line: "baton handoff show handoff-7 --document > handoff.yaml", meaning: "the document as a file" },
    { line: "baton handoff show handoff-7 --graph", meaning: "what led to it" },
  ],
  next: "baton handoff accept ID takes it over; baton handoff list shows the others.",
  run: (call) =>
    withTeam(call, async (team) => {
      const { output, given } = call;
      const meant = await handoffMeant(call, team);
      if (!meant.ok) return output.fail(meant.error);
      const { handoff, line, document, text } = meant.value;
      const { stdout: paint } = output.paint;
      if (given.flag("graph")) {
        const graph = handoffGraph(line);
        output.result({ handoff: handoff.id, graph }, () => graph);
      } else if (given.flag("document")) {
        const lines = text.replace(/\n$/, "");
        // A file gets it verbatim; a terminal would execute some of the characters.
        output.result(document, () => (process.stdout.isTTY ? visibleLines(lines) : lines));
      } else {
        output.result(meant.value, () => `${handoffText(handoff, paint)}\n\n${documentText(bodyOf(document), paint)}`);
      }
      return exitCodes.done;
    }),
};
