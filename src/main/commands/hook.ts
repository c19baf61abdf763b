/** `baton hook`: what an agent program asks at its own events, answered on standard input and output. */

import { jsonLine } from "../../base/json.ts";
import { hookBytesMax } from "../../base/limits.ts";
import type { Problem } from "../../base/problem.ts";
import { visibleLines } from "../../base/text.ts";
import { usageProblem } from "../../doors/cli/kernel/arguments.ts";
import type { Call, Command } from "../../doors/cli/kernel/command.ts";
import type { ExitCode } from "../../doors/cli/kernel/exit-codes.ts";
import { readWhole } from "../../doors/cli/kernel/input.ts";
import { chosen } from "../../doors/cli/kernel/time-argument.ts";
import { writeAnswer } from "../../doors/hooks/hook-answer.ts";
import { readHookInput } from "../../doors/hooks/hook-input.ts";
import { type HookProgram, hookEvent, hookEventNames, hookPrograms } from "../../message/program-hooks.ts";
import { askHook } from "../hooks/hook-asking.ts";
import { sessionAgent } from "../hooks/session-agent.ts";

export const command: Command = {
  description:
    "An agent program calls it at certain events and tells it about the event as JSON on standard input; the answer is\n" +
    "in the program's own form. At the start of a session the agent reads who it is and what waits for it. Before a tool, a\n" +
    "typed message is recorded, and a file that is about to be written is checked against claims and contract: exit 2 with the\n" +
    "reasons denies. After a tool it reads new mail. It may not stop while mail or a claim waits. The agent is the teammate\n" +
    "that the program names, else --as, else BATON_AGENT. Where there is no .baton/, it says nothing.",
  positionals: [
    {
      name: "EVENT",
      required: true,
      choices: hookEventNames,
      summary: `as the program spells it: ${hookEventNames.slice(0, 6).join(", ")} ...`,
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
    const name = call.given.word("EVENT") ?? "";
    const event = hookEvent(program, name);
    if (event === null) return call.output.fail(otherEvent(program, name));
    if (process.stdin.isTTY) return call.output.fail(noInput());
    const { answer, end } = await askHook(call, {
      program,
      event,
      session: ({ session }) => sessionAgent(call, { program, session, takes: null }),
      input: async (signal) => {
        const told = await readWhole("-", hookBytesMax, signal);
        return told.ok ? readHookInput(told.value) : told;
      },
    });
    const code = tell(call, writeAnswer(program, event, answer));
    await end();
    return code;
  },
};

function tell({ output }: Call, { exitCode, stdout, stderr }: ReturnType<typeof writeAnswer>): ExitCode {
  if (stdout !== null) output.raw(jsonLine(stdout));
  if (stderr !== null) output.say(visibleLines(stderr));
  return exitCode;
}

function otherEvent(program: HookProgram, name: string): Problem {
  return usageProblem(
    "EVENT",
    `${program} has no event ${name} that Baton answers.`,
    "see docs/guides/agent-programs.md",
    name,
  );
}

function noInput(): Problem {
  return usageProblem(
    "standard input",
    "What the program says is missing: standard input is a terminal.",
    "echo '{}' | baton hook ...",
  );
}
