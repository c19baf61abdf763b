/** `baton hook`: what an agent program asks at its own events, answered on standard input and output. */
import { hookBytesMax } from "../../base/limits.ts";
import { chosen } from "../../doors/cli/choice.ts";
import type { Command } from "../../doors/cli/command.ts";
import { type ExitCode, exitCodes } from "../../doors/cli/exit-codes.ts";
import { readWhole } from "../../doors/cli/input.ts";
import { readHookInput } from "../../doors/hooks/hook-input.ts";
import { hookEventNames, hookPrograms } from "../../message/program-hooks.ts";
import { openHookTeam } from "./hook-team.ts";

export const command: Command = {
  description:
    "An agent program calls it at one of its own events and tells it about the event as JSON on standard input. Every call is a\n" +
    "sign of life of the agent: the teammate whom the program names, else --as, else BATON_AGENT. Where there is no .baton/,\n" +
    "it says nothing.",
  positionals: [
    {
      name: "EVENT",
      required: true,
      choices: hookEventNames,
      summary: "the event, as the program spells it",
    },
  ],
  options: [
    {
      name: "program",
      kind: "text",
      value: "PROGRAM",
      required: true,
      choices: hookPrograms,
      summary: "the agent program that asks",
    },
  ],
  examples: [
    {
      line: "baton hook SessionStart --program claude-code --as lead-1",
      meaning: "as a line of .claude/settings.json",
    },
    { line: "echo '{}' | baton hook SessionStart --program codex --as dev-1", meaning: "try by hand what one says" },
  ],
  next: "docs/guides/agent-programs.md tells what each event does.",
  run: async (call): Promise<ExitCode> => {
    const program = chosen(call.given.text("program"), hookPrograms);
    const told = await readWhole("-", hookBytesMax, call.signal);
    const input = told.ok ? readHookInput(told.value) : told;
    if (!input.ok) return exitCodes.done;
    const opened = await openHookTeam(call, program, input.value, call.signal);
    if (!opened.ok) return exitCodes.done;
    await using team = opened.value.team;
    if (opened.value.agent !== null) await team.signOfLife();
    return exitCodes.done;
  },
};
