/**
 * Who acts when a hook is called. A teammate's name is asserted by its program, which no model writes; it counts if the
 * team knows it. Otherwise the hook's configuration names the agent. A helper that an agent started acts as nobody: its
 * agent answers for it. Nobody acts as the owner through a hook: a person asks by the command line and the page. Source:
 * docs/protocol/doors.md, section 7; docs/protocol/record.md, section 1.
 */
import type { Problem } from "../../base/problem.ts";
import { isOwnersOrBatons } from "../../messages/principal.ts";
import type { HookProgram } from "../../messages/program-hooks.ts";
import type { HookInput } from "./hook-input.ts";

/** Who acts. */
export interface ActingAgent {
  /** An agent of the team; null: nobody that is known. */
  readonly agent: string | null;
  /** The name that was said and that the team does not know; null: none was said, or it is known. */
  readonly unknown: string | null;
  /** The agent of the team whose helper asks: what the helper writes is judged as that agent's; null: it is no helper's. */
  readonly helps: string | null;
  /** Why the session was not let in as the agent that it claims to be; null: it claims none, or it was. */
  readonly refused: Problem | null;
}

/** Nobody that is known. */
export const nobodyActs: ActingAgent = { agent: null, unknown: null, helps: null, refused: null };

type Asking = Pick<HookInput, "agentType" | "agentId" | "teammate">;

/**
 * Who acts, of the agents that `isMember` knows. `said`: who was named when the hook was set up, the first that is there.
 * A teammate that the team does not know is nobody, because it shares the surroundings of the session that leads it.
 */
export function actingAgent(
  program: HookProgram,
  input: Asking,
  said: readonly (string | null)[],
  isMember: (name: string) => boolean,
): ActingAgent {
  const teammate = teammateName(program, input);
  if (teammate !== null) return named(teammate, isMember);
  const name = said.find((each) => each !== null) ?? null;
  const session = name === null ? nobodyActs : named(name, isMember);
  return input.agentId === null ? session : { ...nobodyActs, helps: session.agent };
}

function named(name: string, isMember: (name: string) => boolean): ActingAgent {
  if (isOwnersOrBatons(name)) return nobodyActs;
  return isMember(name) ? { ...nobodyActs, agent: name } : { ...nobodyActs, unknown: name };
}

/**
 * The name of the agent of the program's as which the session itself was started (`claude --agent NAME`); null: none. It
 * counts only where nothing else names the session's agent, and where the team has one of that name.
 */
export function startedAs(program: HookProgram, { agentType, agentId }: Asking): string | null {
  if (program !== "claude-code" || agentId !== null || agentType === null) return null;
  return isOwnersOrBatons(agentType) ? null : agentType;
}

/**
 * The name of the teammate that an event is about; null: it is about the session or a helper in it. Only Claude Code has
 * teammates: the id of one is `a`, its name, and 16 digits; a helper's has no name in it, whatever its kind is called.
 */
export function teammateName(program: HookProgram, { agentType, agentId, teammate }: Asking): string | null {
  if (program !== "claude-code") return null;
  if (teammate !== null) return teammate;
  if (agentType === null || agentId === null || !agentId.startsWith(`a${agentType}-`)) return null;
  return /^[0-9a-f]{16}$/.test(agentId.slice(agentType.length + 2)) ? agentType : null;
}
