/** Why a program may act for its agent no longer: another began to, or the agent began a new session. */
import { type Problem, problem } from "../../base/problem.ts";
import type { Actor } from "../context.ts";
import type { TeamState } from "../state.ts";

/** Null: it may, or the actor is no program that stays. */
export function replacedProblem(
  state: TeamState,
  { agent, program }: Pick<Actor, "agent" | "program">,
): Problem | null {
  if (program === undefined) return null;
  const known = state.coordination.health.programs.get(agent);
  if (known === undefined) return null;
  const session = state.team.roster.get(agent)?.session;
  if (known.program === program && known.session === session) return null;
  // A program that has ended takes the place of those before it only.
  if (known.program !== program && known.ended !== null && !known.earlier.includes(program)) return null;
  const why =
    known.program === program
      ? `${agent} was registered again in a new session, ${session}`
      : `Another program speaks for ${agent} since entry ${known.seq}`;
  return problem("session-replaced", agent, `${why}. This one may do nothing more.`, {
    expected: known.program === program ? `session ${session}` : `the program that began at ${known.seq}`,
    received: known.program === program ? `session ${known.session}` : "one that began before",
    hint: "Stop here. If you are to go on instead, have this session ended and a new one started: the later one speaks for the agent.",
  });
}
