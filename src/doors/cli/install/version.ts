/** `baton version`: which Baton this is, and on what it runs. */
import { packageFacts } from "../../../workspace/package-root.ts";
import type { Command } from "../kernel/command.ts";
import { exitCodes } from "../kernel/exit-codes.ts";

export const command: Command = {
  description: "Prints the version, as --version does; with --json also that of Node and where Baton lies.",
  isLocal: true,
  globals: [],
  examples: [
    { line: "baton version", meaning: "the version alone" },
    { line: "baton version --json", meaning: '{"version","node","folder"} on one line' },
  ],
  next: "baton doctor checks the machine, the journal and the team file.",
  run({ output }) {
    const { version, root } = packageFacts();
    output.result({ version, node: process.versions.node, folder: root }, () => version);
    return Promise.resolve(exitCodes.done);
  },
};
