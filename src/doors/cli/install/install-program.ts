/** `baton install claude-code|codex|gemini`: the program asks Baton by its hooks and has its tools by MCP. */
import type { HookProgram } from "../../../message/program-hooks.ts";
import type { Command } from "../kernel/command.ts";
import { programFacts } from "./program-settings.ts";
import { setUp, setupOptions } from "./program-setup.ts";

/** The command that sets up `program`. */
export function installProgram(program: HookProgram): Command {
  const { title, files } = programFacts[program];
  const paths = files.map(({ path }) => path).join(" and ");
  return {
    isLocal: true,
    globals: [],
    description:
      `Writes Baton's hooks and the MCP server baton into the project's settings of ${title}:\n` +
      `${paths}. Shows first what changes. All else in these files stays as it is, to the byte; twice\n` +
      "does nothing more, and a line that an older Baton wrote is brought up to date. The lines name this machine's paths.",
    options: [
      ...setupOptions,
      { name: "as", kind: "text", value: "AGENT", summary: "the agent that the program is (default: its BATON_AGENT)" },
    ],
    examples: [
      { line: `baton install ${program} --dry-run`, meaning: "show what would change" },
      { line: `baton install ${program}`, meaning: "write it; BATON_AGENT says which agent the program is" },
      { line: `baton install ${program} --as dev-1`, meaning: "every session in this project is dev-1" },
    ],
    next: `baton doctor says whether it stands; baton uninstall ${program} takes it back.`,
    run: async (call) => setUp(call, program),
  };
}
