/** Who may record what the repository says of the work: a verdict binds everybody; others only look. */
import { ownerName } from "../message/principal.ts";
import type { Role } from "../message/role.ts";
import { type Actor, principalOf } from "./context.ts";
import type { TeamState } from "./state.ts";

const judges: ReadonlySet<Role> = new Set(["lead", "architect", "qa", "qa-lead", "qa-code"]);

/** Whether verdicts that the actor finds are recorded: the owner's, and those of who answers for the work. */
export function mayJudge(actor: Actor, state: TeamState): boolean {
  const { agent, role } = principalOf(actor, state);
  return agent === ownerName || (role !== null && judges.has(role));
}
