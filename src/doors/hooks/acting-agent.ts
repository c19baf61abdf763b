/**
 * Who acts when a hook is called. A teammate's name is asserted by its program, which no model writes; it counts if the
 * team knows it. Otherwise the hook's configuration names the agent. Nobody acts as the owner through a hook: a person
 * asks by the command line and the page. Source: docs/protocol/doors.md, section 7; docs/protocol/journal.md, section
 * 1.
 */
import { isOwnersOrBatons } from "../../message/principal.ts";
import { type HookProgram, withoutSession } from "../../message/program-hooks.ts";
import type { HookInput } from "./hook-input.ts";

/** Who acts. */
export interface ActingAgent {
  /** An agent of the team; null: nobody that is known. */
  readonly agent: string | null;
  /** The name that was said and that the team does not know; null: none was said, or it is known. */
  readonly unknown: string | null;
}

/**
 * Who acts, of the agents that `isMember` knows. `said`: who was named when the hook was set up, the first that is there.
 * A teammate that the team does not know is nobody, because it shares the surroundings of the session that leads it.
 */
export function actingAgent(
  program: HookProgram,
  input: Pick<HookInput, "agentType" | "agentId" | "teammate">,
  said: readonly (string | null)[],
  isMember: (name: string) => boolean,
): ActingAgent {
  const asserted = assertedName(program, input);
  if (asserted !== null && isMember(asserted)) return { agent: asserted, unknown: null };
  if (asserted !== null && isTeammate(input)) return { agent: null, unknown: asserted };
  const named = said.find((name) => name !== null) ?? null;
  if (named === null || isOwnersOrBatons(named)) return { agent: null, unknown: null };
  return isMember(named) ? { agent: named, unknown: null } : { agent: null, unknown: named };
}

/**
 * Whether the program itself names a member of the team, rather than a helper of the agent that the session was named
 * for.
 */
export function isAsserted(
  program: HookProgram,
  input: Pick<HookInput, "agentType" | "teammate">,
  agent: string,
): boolean {
  return assertedName(program, input) === agent;
}

/** Only Claude Code's own teammates have names; elsewhere an agent's type is a kind that a model chose. */
function assertedName(
  program: HookProgram,
  { agentType, teammate }: Pick<HookInput, "agentType" | "teammate">,
): string | null {
  const name = program === "claude-code" ? (teammate ?? agentType) : null;
  return name === null || isOwnersOrBatons(withoutSession(name)) ? null : withoutSession(name);
}

/** A teammate's id holds its session; a subagent's does not. */
function isTeammate({ agentId, teammate }: Pick<HookInput, "agentId" | "teammate">): boolean {
  return teammate !== null || (agentId?.includes("@") ?? false);
}
