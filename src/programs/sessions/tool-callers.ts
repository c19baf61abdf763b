/**
 * Who calls one of Baton's tools in a session of Claude Code, whose agents share one server: the hook before the tool names
 * the agent and the use of the tool, and the call that follows names the use. No model writes either, and both come
 * interleaved with those of the session's other agents, so only the use joins them.
 */
import { type Clock, systemClock } from "../../base/clock.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { isOwnTool } from "../../messages/program-hooks.ts";
import type { ActingAgent } from "../hooks/acting-agent.ts";
import type { HookInput } from "../hooks/hook-input.ts";

/** Who makes a call: an agent (null: the one whom the hub proves), the helper of one, or nobody, with the reason. */
export type Caller =
  | { readonly agent: string | null }
  | { readonly helps: string | null }
  | { readonly nobody: Problem };

export interface ToolCallers {
  /** Keeps who uses a tool of Baton's; other tools, and what names no use, are left out. */
  remember(input: Pick<HookInput, "toolName" | "toolUseId">, acting: ActingAgent): void;
  /** Who made the call of this use: known once, and within a minute of its hook. */
  take(use: string | null): Caller;
}

/** How long a use waits for its call after the hook before it. */
const useMsMax = 60_000;

/** Who uses which tool of Baton's, from the hook before it to the call, which takes it once. */
export function toolCallers(clock: Pick<Clock, "monotonic"> = systemClock): ToolCallers {
  const callers = new Map<string, { readonly caller: Caller; readonly atMs: number }>();
  return {
    remember: ({ toolName, toolUseId }, { agent, helps, unknown, refused }) => {
      if (toolUseId === null || toolName === null || !isOwnTool(toolName)) return;
      const nowMs = clock.monotonic();
      for (const [use, { atMs }] of callers) if (nowMs - atMs > useMsMax) callers.delete(use);
      const known: Caller = agent === null ? { nobody: refused ?? unnamed(unknown) } : { agent };
      // A use has one caller: a second word about it changes nothing.
      if (!callers.has(toolUseId)) callers.set(toolUseId, { caller: helps === null ? known : { helps }, atMs: nowMs });
    },
    take: (use) => {
      const found = use === null ? undefined : callers.get(use);
      if (use === null || found === undefined) return { nobody: unseen() };
      callers.delete(use);
      return found.caller;
    },
  };
}

/** Why nobody acts: nobody is named, or the team does not know the name `unknown`. */
export function unnamed(unknown: string | null = null): Problem {
  return makeProblem("unknown-agent", unknown ?? "", "Baton does not know which agent of the team this is.", {
    hint:
      unknown === null
        ? "Have the session started by `baton run NAME`, or with BATON_AGENT set to an agent's name."
        : "The person or the lead registers this name, or adds a rule for such names to the team file.",
  });
}

function unseen(): Problem {
  return makeProblem(
    "unknown-agent",
    "",
    "Baton's hook was not asked before this call, so it is not known who makes it.",
    {
      hint: "Call the tool again. If that does not help, the person runs `baton doctor`.",
    },
  );
}
