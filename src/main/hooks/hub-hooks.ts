/**
 * Hooks that a running hub answers, for programs that ask by a command: a request instead of a process that starts Node. The
 * token proves the agent; what needs the agent's own machine, such as the processes above it, is not asked here.
 * Source: docs/protocol/doors.md, section 7.
 */
import type { JsonObject } from "../../base/json.ts";
import { ok } from "../../base/result.ts";
import type { Call } from "../../doors/cli/kernel/command.ts";
import { actingAgent, nobodyActs } from "../../doors/hooks/acting-agent.ts";
import { hubAnswer } from "../../doors/hooks/hook-answer.ts";
import { readHookInput } from "../../doors/hooks/hook-input.ts";
import type { HooksMount } from "../../doors/http/server/app.ts";
import { hookEvent, hookPrograms } from "../../message/program-hooks.ts";
import { askHook } from "./hook-asking.ts";

/** Answers hooks on the hub that `call` started. */
export function hookMount(call: Call): HooksMount {
  return async ({ program: name, event: asked, input, named }, team): Promise<JsonObject | null> => {
    const program = hookPrograms.find((each) => each === name);
    const event = program === undefined ? null : hookEvent(program, asked);
    if (program === undefined || event === null) return null;
    const { agent: proven } = team.actor;
    const { answer, end } = await askHook(call, {
      program,
      event,
      input: async () => readHookInput(input),
      session: async () => ({ agent: named, refused: null }),
      open: async ({ input: about }) => {
        const status = await team.status();
        if (!status.ok) return { ok: false, error: [status.error] };
        const known = new Set(status.value.agents.map(({ agent }) => agent));
        const acting = actingAgent(program, about, [named, proven], (each) => known.has(each));
        const isProven = (acting.agent ?? acting.helps) === proven;
        // The hub keeps the team.
        const kept = { ...team, [Symbol.asyncDispose]: async () => undefined };
        return ok({ team: kept, ...(isProven ? acting : { ...nobodyActs, unknown: acting.unknown }) });
      },
    });
    // What the answer showed is noted before the next hook can ask.
    await end();
    return hubAnswer(program, event, answer);
  };
}
