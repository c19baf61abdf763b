/** Tasks that another than their holder moves: who may, and why a claim passes from one agent to another. */

import type { Seen, Wrong } from "./seen.ts";

/** Why the same entry takes the task from its holder; null: it does not, and the claim is a new one. */
export function reasonOfMove(
  { events = [] }: Seen["content"],
  { key }: { readonly key: string },
): "handed-over" | "reassigned" | null {
  const moves = events.flatMap((each) => (each.event === "claim-released" && each.key === key ? [each.reason] : []));
  return moves.find((reason) => reason === "handed-over" || reason === "reassigned") ?? null;
}

/** A task is taken from an agent, or given to one, by the owner or by a lead of that agent. */
export function checkMove(
  wrong: Wrong,
  leads: (department: string | undefined, agent: string) => boolean,
  { by, agent, task }: { readonly by: Seen["entry"]["principal"]; readonly agent: string; readonly task: string },
): void {
  if (by.agent === "owner") return;
  if (by.role !== "lead") wrong(`${by.agent} (${by.role}) moves ${task} of ${agent}`);
  else if (!leads(by.department, agent)) wrong(`${by.agent} of ${by.department} moves ${task} of ${agent}`);
}
