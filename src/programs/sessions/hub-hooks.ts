/**
 * Hooks that a running hub answers, for programs that ask by a command: a request instead of a process that starts Node. The
 * token proves the agent; what needs the agent's own machine, such as the processes above it, is not asked here.
 * Source: docs/protocol/doors.md, section 7.
 */
import type { JsonObject } from "../../base/json.ts";
import { ok } from "../../base/result.ts";
import type { Call } from "../../doors/cli/kernel/command.ts";
import type { HooksMount } from "../../doors/http/server/mounts.ts";
import { hookEvent, hookPrograms } from "../../messages/program-hooks.ts";
import { actingAgent, nobodyActs } from "../hooks/acting-agent.ts";
import { hubAnswer } from "../hooks/hook-answer.ts";
import { readHookInput } from "../hooks/hook-input.ts";
import { answerQueue } from "./answer-queue.ts";
import { askHook, type HookAsked } from "./hook-asking.ts";
import { hubSessions } from "./hub-sessions.ts";

/**
 * Answers hooks on the hub that `call` started. What follows from an agent's answer is done before its next one. `home`: the
 * team of the project in which the hub was started.
 */
export function hookMount(call: Call, home: { readonly team: string | null }): HooksMount {
  const sessionOf = hubSessions(call, home);
  const queues = new Map<string, ReturnType<typeof answerQueue>>();
  // An error there is a bug of ours: it ends no hub, and the mail is shown again.
  const onProblem = (problem: unknown) => call.output.say(`a hook was not settled: ${String(problem)}`);
  return async ({ program: name, event: asked, input, named, process }, team): Promise<JsonObject | null> => {
    const program = hookPrograms.find((each) => each === name);
    const event = program === undefined ? null : hookEvent(program, asked);
    if (program === undefined || event === null) return null;
    const { agent: proven } = team.actor;
    const key = `${team.name}/${proven}`;
    const queue = queues.get(key) ?? answerQueue(onProblem);
    queues.set(key, queue);
    const asking: HookAsked = {
      program,
      event,
      input: async () => readHookInput(input),
      session: async ({ session }) => ({
        agent: named,
        refused: null,
        provenAs: (agent) => sessionOf({ program, session, agent, team: team.name, process }),
      }),
      open: async ({ input: about, session }) => {
        const agents = await team.agents();
        if (!agents.ok) return { ok: false, error: [agents.error] };
        const known = new Set(agents.value.map(({ agent }) => agent));
        const acting = actingAgent(program, about, [named, proven], (each) => known.has(each));
        // The hub keeps the team.
        const kept = { ...team, [Symbol.asyncDispose]: async () => undefined };
        const own = session.provenAs?.(proven) ?? session;
        if (own.agent === null) return ok({ team: kept, ...nobodyActs, refused: own.refused });
        const isProven = (acting.agent ?? acting.helps) === proven;
        return ok({ team: kept, ...(isProven ? acting : { ...nobodyActs, unknown: acting.unknown }) });
      },
    };
    const answer = await queue.next(() => askHook(call, asking));
    return hubAnswer(program, event, answer);
  };
}
