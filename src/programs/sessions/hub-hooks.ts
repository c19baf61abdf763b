/**
 * Hooks that a running hub answers, for programs that ask by a command: a request instead of a process that starts Node. The
 * token proves the agent; what needs the agent's own machine, such as the processes above it, is not asked here.
 * Source: docs/protocol/doors.md, section 7.
 */

import { join } from "node:path";
import type { JsonObject } from "../../base/json.ts";
import { ok } from "../../base/result.ts";
import type { Call } from "../../doors/cli/kernel/command.ts";
import type { HooksMount } from "../../doors/http/server/mounts.ts";
import { type HookProgram, hookEvent, hookPrograms } from "../../messages/program-hooks.ts";
import { fileNameOf, processesWith, sessionsFolder } from "../../perform/workspace/agent-sessions.ts";
import { lookForPlace } from "../../perform/workspace/place.ts";
import { actingAgent, nobodyActs } from "../hooks/acting-agent.ts";
import { hubAnswer } from "../hooks/hook-answer.ts";
import { readHookInput } from "../hooks/hook-input.ts";
import { answerQueue } from "./answer-queue.ts";
import { askHook, type HookAsked } from "./hook-asking.ts";
import type { SessionAgent } from "./session-agent.ts";
import { bindSession, heldWords, mismatch, runningHolder, type SessionClaim } from "./session-binding.ts";

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

/** A session that asks a hub. */
interface HubAsked {
  readonly program: HookProgram;
  readonly session: string | null;
  /** The agent of the token. */
  readonly agent: string;
  readonly team: string;
  /** What the line says of the process. */
  readonly process: string | null;
}

/** The session that asked last in a name, and whose process is not known. */
interface Heard {
  readonly session: string;
  /** The process that had the name then; null: none did. */
  readonly process: string | null;
  /** The sessions that had the name before and were replaced, the newest last. */
  readonly replaced: readonly string[];
}

/** More sessions than one agent has in the life of a hub. */
const replacedMax = 1_000;

/** Says who a session is; `home`: the team whose sessions share the project's own folder, with those that ask no hub. */
function hubSessions(
  call: Call,
  home: { readonly team: string | null },
): (asked: HubAsked) => Pick<SessionAgent, "agent" | "refused"> {
  const seen = new Map<string, Heard>();
  // A hub serves one place, which is looked for when the first hook comes.
  let place: ReturnType<typeof lookForPlace> | null = null;
  return ({ program, session, agent, team, process }) => {
    place ??= lookForPlace(call);
    if (!place.ok) return { agent: null, refused: place.error };
    const own = sessionsFolder(place.value.journal);
    const folder = team === home.team ? own : join(own, `team-${fileNameOf(team)}`);
    const processes = process === null ? null : processesOf(process);
    const claim = { folder, program, session, names: [agent], processes, takes: "server" } as const;
    if (processes === null) {
      const refused = claimUnplaced(seen, `${team}/${agent}`, claim, agent);
      if (refused !== null) return { agent: null, refused: mismatch(program, agent, refused) };
    }
    const bound = bindSession(claim);
    return "agent" in bound ? { agent: bound.agent, refused: null } : { agent: null, refused: bound.refused };
  };
}

/** The process that a line names and those above it: its number, then the fields that Linux says after its name. */
function processesOf(said: string): readonly string[] | null {
  const [id = "", ...fields] = said.trim().split(" ");
  const started = fields[19];
  return /^\d{1,10}$/.test(id) && started !== undefined && /^\d{1,20}$/.test(started)
    ? processesWith(`${id}-${started}`)
    : null;
}

/**
 * Lets a session have the name whose process is not known, or says why not. While a process has the name on the hub's
 * machine, the first session of its program that asks is taken for that one. Else the newest session takes over.
 */
function claimUnplaced(seen: Map<string, Heard>, key: string, claim: SessionClaim, agent: string): string | null {
  const { folder, program } = claim;
  const session = `${program}/${fileNameOf(claim.session ?? "")}`;
  const before = seen.get(key);
  const holder = runningHolder(folder, agent);
  if (holder !== null) {
    const named = holder.session === null ? null : `${holder.program}/${fileNameOf(holder.session)}`;
    const owner = named ?? (before?.process === holder.process ? before.session : null);
    if (holder.program !== program || (owner !== null && owner !== session)) return heldWords(holder, claim, agent);
    seen.set(key, { session, process: holder.process, replaced: [] });
    return null;
  }
  const replaced = before?.replaced ?? [];
  if (replaced.includes(session)) return `A later session is ${agent} now.`;
  const more = before === undefined || before.session === session ? [] : [before.session];
  seen.set(key, { session, process: null, replaced: [...replaced, ...more].slice(-replacedMax) });
  return null;
}
