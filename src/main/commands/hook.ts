/** `baton hook`: what an agent program asks at its own events, answered on standard input and output. */

import { jsonLine } from "../../base/json.ts";
import { hookBytesMax } from "../../base/limits.ts";
import type { Problem } from "../../base/problem.ts";
import { visibleLines } from "../../base/text.ts";
import { usageProblem } from "../../doors/cli/kernel/arguments.ts";
import type { Call, Command } from "../../doors/cli/kernel/command.ts";
import { readWhole } from "../../doors/cli/kernel/input.ts";
import { chosen } from "../../doors/cli/kernel/time-argument.ts";
import { type ExitCode, exitCodes } from "../../doors/cli/terminal/exit-codes.ts";
import { type HookProgram, hookEvent, hookEventNames, hookMsMax, hookPrograms } from "../../messages/program-hooks.ts";
import { writeAnswer } from "../../programs/hooks/hook-answer.ts";
import { readHookInput } from "../../programs/hooks/hook-input.ts";
import { askHook } from "../../programs/sessions/hook-asking.ts";
import { openHookTeam } from "../../programs/sessions/hook-team.ts";
import { sessionAgent } from "../../programs/sessions/session-agent.ts";
import { takeWaitingPlace, wakeReason, wakeWords } from "../../programs/sessions/waking.ts";

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
    {
      name: "wake",
      kind: "flag",
      summary: "wait until mail or a task comes for the idle agent, then end with 2, by which Claude Code wakes it",
    },
  ],
  examples: [
    {
      line: "baton hook SessionStart --program claude-code --as lead-1",
      meaning: "as a line of .claude/settings.json",
    },
    { line: "echo '{}' | baton hook SessionStart --program codex --as dev-1", meaning: "try by hand what one says" },
  ],
  next: "docs/guides/claude-code.md tells what each event does.",
  run: async (call): Promise<ExitCode> => {
    const program = chosen(call.given.text("program"), hookPrograms);
    const name = call.given.word("EVENT") ?? "";
    const event = hookEvent(program, name);
    if (event === null) return call.output.fail(otherEvent(program, name));
    if (process.stdin.isTTY) return call.output.fail(noInput());
    if (call.given.flag("wake")) return await wake(call, program);
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

/** Ends with 2 and words when mail or a task has come for the session's idle agent, else with 0 and nothing. */
async function wake(call: Call, program: HookProgram): Promise<ExitCode> {
  // A session without a person waits for this process at its end, and would never end.
  if (!call.config.isAttended) return exitCodes.done;
  using place = await takeWaitingPlace(call);
  if (place === null) return exitCodes.done;
  const terminated = new AbortController();
  const signal = AbortSignal.any([call.signal, terminated.signal]);
  process.once("SIGTERM", () => terminated.abort());
  const told = await readWhole("-", hookBytesMax, signal);
  const input = told.ok ? readHookInput(told.value) : told;
  if (!input.ok) return exitCodes.done;
  const session = await sessionAgent(call, { program, session: input.value.session, takes: null });
  const opened = await openHookTeam(call, { program, input: input.value, session, signal, msMax: hookMsMax });
  if (!opened.ok) return exitCodes.done;
  await using team = opened.value.team;
  const { agent } = opened.value;
  const reason = agent === null ? null : await wakeReason(call, { team, agent }, signal);
  if (agent === null || reason === null) return exitCodes.done;
  call.output.say(wakeWords(agent, reason));
  return exitCodes.refused;
}

function tell({ output }: Call, { exitCode, stdout, stderr }: ReturnType<typeof writeAnswer>): ExitCode {
  if (stdout !== null) output.raw(jsonLine(stdout));
  if (stderr !== null) output.say(visibleLines(stderr));
  return exitCode;
}

function otherEvent(program: HookProgram, name: string): Problem {
  return usageProblem(
    "EVENT",
    `${program} has no event ${name} that Baton answers.`,
    "see docs/guides/claude-code.md",
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
