/** `baton breaker close`: lets agents in again. */
import type { Command } from "../command.ts";
import { actGiven } from "../phase-options.ts";
import { answer, withTeam } from "../session.ts";

export const command: Command = {
  description:
    "Closes a circuit breaker, by the person who owns the team and by nobody else: new agents are let in again, and who\n" +
    "disappeared before counts no more. The reason is recorded and shown.",
  positionals: [{ name: "SCOPE", summary: "a department, or team (default: the only one that is not closed)" }],
  options: [
    { name: "reason", kind: "text", value: "TEXT", required: true, summary: "why agents may be let in again" },
    { name: "id", kind: "text", value: "ID", summary: "names this act for retries" },
  ],
  examples: [
    { line: "baton breaker close --reason 'the network was down'", meaning: "the only one that is not closed" },
    { line: "baton breaker close backend --reason 'the machine was full'", meaning: "one of several" },
  ],
  next: "baton breaker list shows how each stands.",
  run: (call) =>
    withTeam(call, async (team) => {
      const { given } = call;
      const scope = given.word("SCOPE");
      const closed = { reason: given.text("reason") ?? "", ...(scope === undefined ? {} : { scope }) };
      const reply = await team.closeBreaker(closed, actGiven(given));
      return answer(call, reply, ({ seq }) => `Closed; new agents are let in again (entry ${seq}).`);
    }),
};
