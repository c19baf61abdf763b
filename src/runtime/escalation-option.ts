/** An escalation's options by their numbers, for doors where a decision may name one instead of writing it out. */
import { argument } from "../base/argument.ts";
import { type Problem, problem } from "../base/problem.ts";
import { err, ok, type Result } from "../base/result.ts";
import { escalationKey } from "../coordination/escalation-ids.ts";
import type { Team } from "./team.ts";

/**
 * The words of the option with this number, from 1, of an escalation. What is decided has its options still, so that the
 * same decision can be given again. Refuses `not-found`; an escalation that nobody knows has none.
 */
export async function optionOf(
  team: Pick<Team, "escalations">,
  escalation: string,
  option: number,
): Promise<Result<string, Problem>> {
  const found = await team.escalations({ all: true });
  if (!found.ok) return found;
  const key = escalationKey(escalation);
  const chosen = found.value.find(({ id }) => escalationKey(id) === key)?.options[option - 1];
  if (chosen !== undefined) return ok(chosen);
  return err(
    problem("not-found", argument("option"), `The escalation has no option ${option}.`, {
      received: String(option),
      hint: "`baton escalation list` shows them; `arguments.decision` takes other words.",
    }),
  );
}
