/** `baton uninstall git-hooks`: the gate's hooks go, and what was before them comes back. */
import { planUninstall } from "../../../evidence/git-hooks.ts";
import type { Command } from "../kernel/command.ts";
import { changeHooks, hookOptions } from "./git-hooks.ts";

export const command: Command = {
  isLocal: true,
  isOwners: true,
  globals: [],
  description:
    "Removes the gate's hooks and restores what was there before them. Hooks that Baton did not write stay as\n" +
    "they are, so it can be run at any time.",
  options: hookOptions,
  examples: [
    { line: "baton uninstall git-hooks", meaning: "as it was before" },
    { line: "baton uninstall git-hooks --dry-run", meaning: "show what would go" },
  ],
  next: "baton verify --range A..B still judges what was committed.",
  run: (call) => changeHooks(call, planUninstall),
};
