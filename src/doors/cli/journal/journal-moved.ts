/** `baton journal moved`: the project was brought here, and there is no other. */
import { visible } from "../../../base/text.ts";
import { copiedWorkspace } from "../../../workspace/place.ts";
import { copiedProblem, isOriginalThere, noteHome } from "../../../workspace/state-folder.ts";
import type { Command } from "../kernel/command.ts";
import { exitCodes } from "../kernel/exit-codes.ts";

export const command: Command = {
  isLocal: true,
  isOwners: true,
  globals: [],
  description:
    "After a project was moved to another disk, or restored from a backup, nothing is recorded until its owner says that it is\n" +
    "the only one left: it looks like a copy. This command says so. It is refused while the original is still in its place.",
  examples: [
    { line: "baton journal moved", meaning: "in the project at its new place, once" },
    { line: "baton journal moved --json", meaning: "the same, answered as a line of JSON" },
  ],
  next: "Where the original goes on as well, baton journal fork starts a separate journal.",
  run: async (call) => {
    const copied = copiedWorkspace(call);
    if (!copied.ok) return call.output.fail(copied.error);
    const { workspace, home } = copied.value;
    const fault = isOriginalThere(home)
      ? copiedProblem(workspace.state, home)
      : noteHome(workspace.state, workspace.root);
    if (fault !== null) return call.output.fail(fault);
    call.output.result({ state: workspace.state, before: home.path }, () => {
      return `The journal is at home in ${visible(workspace.state)} now; before, it was in ${visible(home.path)}.`;
    });
    return exitCodes.done;
  },
};
