/**
 * How far an owner's credential reaches. The session of the person at this machine reaches the whole journal; a token of
 * the owner was made in one team and reaches that team, so it reaches the whole journal only where there is no other.
 */
import { type Problem, problem } from "../../../base/problem.ts";
import type { Caller, Desk } from "./operation.ts";

/** Why `caller` may not act on `team`, or on the whole journal where none is named; null: it may. */
export async function beyondReach(
  { hub }: Pick<Desk, "hub">,
  caller: Pick<Caller, "team"> | null,
  team?: string,
): Promise<Problem | null> {
  const own = caller?.team ?? null;
  if (own === null) return null;
  if (team !== undefined) return team === own ? null : beyond(own, `team "${own}"`);
  const teams = await hub.teams();
  if (!teams.ok) return teams.error;
  return teams.value.every((name) => name === own) ? null : beyond(own, "a credential for every team of the journal");
}

function beyond(own: string, expected: string): Problem {
  return problem("sender-not-authorised", "Authorization", `This token is the owner's in team "${own}" only.`, {
    expected,
    hint: "Name that team, use the page (`baton open`), or run the command where the journal is.",
  });
}
