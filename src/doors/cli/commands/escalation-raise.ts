/** `baton escalation raise`: an agent whose level cannot decide an escalation hands it to the next. */
import { visible } from "../../../base/text.ts";
import type { Command } from "../command.ts";
import { answer, withTeam } from "../session.ts";

export const command: Command = {
  description:
    "Hands an escalation up: from the level where it waits, by an agent of that level, to the next one. From the architect\n" +
    "it goes to the owner of the team, or to the user, who decides on the page or with escalation resolve. Without this a\n" +
    "level that says nothing is passed by in time.",
  positionals: [{ name: "ID", required: true, summary: "the escalation's id, such as ESC-1-1-T3" }],
  options: [
    { name: "evidence", kind: "text", value: "TEXT", repeatable: true, summary: "what the next level must know" },
    { name: "option", kind: "text", value: "TEXT", repeatable: true, summary: "a choice for the one who decides" },
    { name: "recommendation", kind: "text", value: "TEXT", summary: "what the agent would do" },
    { name: "id", kind: "text", value: "ID", summary: "names this act for retries" },
  ],
  examples: [
    { line: "baton escalation raise ESC-1-1-T3 --as lead-1", meaning: "lead-1 leaves it to the architect" },
    {
      line: "baton escalation raise ESC-1-1-T3 --as architect-1 --option 'drop the task' --option 'move the date'",
      meaning: "the architect asks the user, with two choices",
    },
  ],
  next: "baton escalation list shows at which level it waits.",
  run: (call) =>
    withTeam(call, async (team) => {
      const { given } = call;
      const id = given.word("ID") ?? "";
      const [evidence, options] = [given.texts("evidence"), given.texts("option")];
      const recommendation = given.text("recommendation");
      const named = given.text("id");
      const raised = { evidence, options, ...(recommendation === undefined ? {} : { recommendation }) };
      const reply = await team.raise(id, raised, named === undefined ? {} : { id: named });
      return answer(call, reply, ({ seq }) => `Handed up: ${visible(id)} (entry ${seq}).`);
    }),
};
