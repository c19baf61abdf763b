/** `baton journal fork`: a journal of its own for a copied project. */
import { visible } from "../../../base/text.ts";
import type { Command } from "../kernel/command.ts";
import { exitCodes } from "../kernel/exit-codes.ts";
import { copiedWorkspace } from "../place/place.ts";
import { forkJournal } from "./forking.ts";

export const command: Command = {
  isLocal: true,
  isOwners: true,
  globals: [],
  description:
    "In a copied project nothing is recorded: two projects would go on in one record. This command begins a new journal here,\n" +
    "whose first entry names the project it was copied from and its last entry. The copied record is kept next to it.",
  examples: [
    { line: "baton journal fork", meaning: "in the copy, once" },
    { line: "baton journal fork --json", meaning: "the same, answered as a line of JSON" },
  ],
  next: "baton up starts a hub of the copy; tokens and links of the original project do not hold here.",
  run: async (call) => {
    const copied = copiedWorkspace(call);
    if (!copied.ok) return call.output.fail(copied.error);
    const { workspace, home } = copied.value;
    const forked = await forkJournal(workspace, home);
    if (!forked.ok) return call.output.fail(forked.error);
    const { journal, kept } = forked.value;
    call.output.result({ journal, kept, project: home.project }, () => {
      return `A new journal begins in ${visible(journal)}; what ${visible(home.project)} had recorded is in ${visible(kept)}.`;
    });
    return exitCodes.done;
  },
};
