/** `baton uninstall claude-code|codex|gemini`: what installing wrote goes, and nothing else. */
import type { HookProgram } from "../../../message/program-hooks.ts";
import type { Command } from "../kernel/command.ts";
import { programFacts } from "./program-settings.ts";
import { setupOptions, takeBack } from "./program-setup.ts";

/** The command that takes the set-up of `program` back. */
export function uninstallProgram(program: HookProgram): Command {
  const { title, files } = programFacts[program];
  return {
    isLocal: true,
    isOwners: true,
    globals: [],
    description:
      `Takes Baton's hooks and its MCP server out of ${files.map(({ path }) => path).join(" and ")}. What else stands\n` +
      "there stays as it is; files that were made for it go. Shows first what changes, and can be run at any time.",
    options: setupOptions,
    examples: [
      { line: `baton uninstall ${program} --dry-run`, meaning: "show what would go" },
      { line: `baton uninstall ${program}`, meaning: "as it was before" },
    ],
    next: `Start ${title} anew: it has read its settings already.`,
    run: async (call) => takeBack(call, program),
  };
}
