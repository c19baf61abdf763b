/** How a need ends by itself, in words: what ends it that nobody decides, and what happens when its time is over. Pure. */
import type { Need, NeedKind } from "./need-ranking.ts";

/** How a need of each kind ends that nobody decides, as the end of "It leaves the list when …". */
const ends: { readonly [Kind in NeedKind]?: (of: string) => string } = {
  dispute: () => "a check confirms it, it is settled, or it is reported again or reopened",
  unchecked: () => "the check has run, or the work is settled",
  conflict: () => "the branch merges without a conflict, the work has landed, or who waited has claimed a task",
  landing: () => "the work has landed on the main branch, or nothing holds it up",
  finding: () => "what was found is resolved",
  unguarded: (agent) => `${agent} has run a hook of Baton's, or its program has ended`,
  unresponsive: (agent) => `${agent} is back, is registered again, or is retired`,
  idle: () => "an agent has claimed the task",
  handoff: () => "it is completed, or rejected before it is accepted",
  remote: (target) => (target.includes("/") ? "you answer it" : `${target} can be reached again`),
  loop: (agent) => `${agent} is refused for it fewer than three times in ten minutes`,
  "over-budget": () => "a revision of the contract raises the budget",
};

/** What ends a need that nobody decides, in a sentence; null: a decision ends it, or only a later Baton knows its kind. */
export function endOfNeed({ id, kind, target, agent }: Pick<Need, "id" | "kind" | "target" | "agent">): string | null {
  const isPaused = id.startsWith("paused:");
  const end = isPaused ? `${agent} works again, or holds the task no more` : ends[kind]?.(target);
  return end === undefined ? null : `It leaves the list when ${end}.`;
}

/**
 * What happens when the need's time is over; null: it has none. `holder`: of the need's task, where it is known.
 *
 * @example dueWords(need, "dev-1") // of a lease: "Then the claim of dev-1 ends and the task is free, unless …"
 */
export function dueWords({ dueBy, agent }: Pick<Need, "dueBy" | "agent">, holder: string | null): string | null {
  if (dueBy === "deadline") return "Then it counts as denied.";
  if (dueBy !== "lease") return null;
  const name = holder ?? agent ?? "its agent";
  return `Then the claim of ${name} ends and the task is free, unless ${name} sends a heartbeat before.`;
}
