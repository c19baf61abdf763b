/** What a decision says: words of its own, or one of the escalation's options by its number. Every door gives either. */
import { argument } from "../../base/argument.ts";
import { type Problem, problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { Escalation } from "../../coordination/deciders.ts";

/** The two ways to say what is decided, of which one is given. */
export interface DecisionGiven {
  /** In words. */
  readonly decision?: string;
  /** One of the options by its number, from 1. */
  readonly option?: number;
}

/**
 * The words of the decision. What is decided has its options still, so that the same decision can be given again.
 * Refuses `missing-field` (neither way), `wrong-value` (both, or words that say nothing), `not-found` (no such option).
 */
export function decisionWords(
  { options }: Pick<Escalation, "options">,
  { decision, option }: DecisionGiven,
): Result<string, Problem> {
  if (option === undefined) {
    if (decision === undefined) return err(problem("missing-field", path, "Nothing is decided.", { expected: either }));
    return decision.trim() === "" ? err(noWords) : ok(decision);
  }
  if (decision !== undefined) return err(bothWays);
  const chosen = options[option - 1];
  if (chosen !== undefined) return ok(chosen);
  return err(
    problem("not-found", argument("option"), `The escalation has no option ${option}.`, {
      received: String(option),
      hint: "`baton escalation list` shows them; `arguments.decision` takes other words.",
    }),
  );
}

const path = argument("decision");
const either = "decision, or option with the number of one";

const noWords = problem(
  "wrong-value",
  path,
  "A decision must say something: it stands, and is told to those who wait.",
  { expected: "the decision in words", received: "" },
);

const bothWays = problem("wrong-value", argument("option"), "A decision is given in words or as an option, not both.", {
  expected: either,
});
