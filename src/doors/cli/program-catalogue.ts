/** The commands that set up agent programs, and take it back: two for each program that Baton's hooks know. */
import { hookPrograms } from "../../message/program-hooks.ts";
import type { CatalogueEntry } from "./catalogue.ts";
import { programFacts } from "./program-settings.ts";

const group = "Agent programs";

/** For the catalogue. */
export const programCommands: readonly CatalogueEntry[] = [
  ...hookPrograms.map((program) => ({
    group,
    name: `install ${program}`,
    summary: `let ${programFacts[program].title} ask Baton, by hooks and MCP`,
    load: async () => ({ command: (await import("./commands/install-program.ts")).installProgram(program) }),
  })),
  ...hookPrograms.map((program) => ({
    group,
    name: `uninstall ${program}`,
    summary: `take that out of ${programFacts[program].title}'s settings again`,
    load: async () => ({ command: (await import("./commands/uninstall-program.ts")).uninstallProgram(program) }),
  })),
];
