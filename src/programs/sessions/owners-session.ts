/**
 * The team as its owner has it, for a session that the owner started in a terminal: the person there is the owner. Whoever
 * sits at the session of a token, or at one that an agent started, may be another.
 * Source: docs/protocol/asking.md, section 1.
 */
import type { Call } from "../../doors/cli/kernel/command.ts";
import { hubOf } from "../../doors/cli/place/hub-address.ts";
import { openLocal } from "../../doors/cli/place/session.ts";
import type { OpenOwners } from "../../doors/mcp/person-here.ts";
import type { HookProgram } from "../../messages/program-hooks.ts";
import { processesAbove, programAbove, sessionsFolder } from "../../perform/workspace/agent-sessions.ts";
import { lookForPlace } from "../../perform/workspace/place.ts";
import { sessionServerOf } from "../install/codex-server.ts";
import { runningHolder } from "./session-binding.ts";

/** Opens it where `baton run` of the owner holds the agent's name, and started the program of this server or its thread. */
export function ownersSession(call: Call, program: HookProgram): OpenOwners {
  return async (agent, { thread, session }) => {
    const place = hubOf(call) === null ? lookForPlace(call) : null;
    if (place?.ok !== true || place.value.refusal !== null) return null;
    const holder = runningHolder(sessionsFolder(place.value.journal), agent);
    if (holder?.isOwners !== true || holder.program !== program) return null;
    const isThread = thread !== null && holder.session === (session ?? thread);
    const above = processesAbove() ?? [];
    const isServers =
      above.includes(holder.process) &&
      sessionServerOf(programAbove()?.words ?? [])?.terminal === holder.process.split("-")[0];
    if (!isThread && !isServers && holder.process !== above[0]) return null;
    const opened = await openLocal(call, null);
    if (!opened.ok) return null;
    const team = opened.value;
    return {
      team,
      session: holder.session ?? `of process ${holder.process}`,
      [Symbol.asyncDispose]: () => team[Symbol.asyncDispose](),
    };
  };
}
