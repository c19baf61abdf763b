/** `baton escalation resolve`: a decision, by the owner or by an agent whose level it is. */
import { type Problem, problem } from "../../../base/problem.ts";
import { err, ok, type Result } from "../../../base/result.ts";
import { visible } from "../../../base/text.ts";
import type { DecisionGiven } from "../../../runtime/escalation-option.ts";
import type { Call, Command } from "../command.ts";
import { answer, withTeam } from "../session.ts";

export const command: Command = {
  description:
    "Decides an escalation. Without --as the owner decides, also what has come to the user; an agent decides what waits at\n" +
    "its level or below. The decision goes down to those who are held up and to the levels it came from. One decision\n" +
    "counts: a second is refused.",
  positionals: [{ name: "ID", required: true, summary: "the escalation's id, such as ESC-1-1-T3" }],
  options: [
    { name: "decision", kind: "text", value: "TEXT", summary: "what is decided" },
    { name: "option", kind: "count", value: "N", summary: "in place of it, one of the options by its number" },
    { name: "rationale", kind: "text", value: "TEXT", summary: "why" },
    { name: "action", kind: "text", value: "TEXT", repeatable: true, summary: "what is to be done" },
    { name: "id", kind: "text", value: "ID", summary: "names this act for retries" },
  ],
  examples: [
    { line: "baton escalation resolve ESC-1-1-T3 --option 1", meaning: "the owner takes the first option" },
    {
      line: "baton escalation resolve ESC-1-1-T3 --as lead-1 --decision 'use library A' --action 'update the imports'",
      meaning: "lead-1 decides, and says what is to be done",
    },
  ],
  next: "Those who are held up find the decision in their inbox.",
  run: (call) =>
    withTeam(call, async (team) => {
      const { given } = call;
      const id = given.word("ID") ?? "";
      const decision = decisionGiven(call);
      if (!decision.ok) return call.output.fail(decision.error);
      const rationale = given.text("rationale");
      const act = given.text("id");
      const reply = await team.resolve(
        id,
        {
          ...decision.value,
          actionItems: given.texts("action"),
          ...(rationale === undefined ? {} : { rationale }),
        },
        act === undefined ? {} : { id: act },
      );
      return answer(call, reply, ({ seq }) => `Decided: ${visible(id)} (entry ${seq}).`);
    }),
};

/** What was given of the two ways; the command asks for one of them before anything is recorded. */
function decisionGiven({ given }: Call): Result<DecisionGiven, Problem> {
  const [decision, option] = [given.text("decision"), given.number("option")];
  if (decision !== undefined && option === undefined) return ok({ decision });
  if (decision === undefined && option !== undefined) return ok({ option });
  const expected = "--decision TEXT or --option N";
  return err(
    problem("wrong-usage", "--decision", "A decision is given in words, or as one of the options.", {
      expected,
      hint: "`baton escalation list` shows the options of each",
    }),
  );
}
