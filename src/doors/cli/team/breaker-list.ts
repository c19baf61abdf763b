/** `baton breaker list`: whether new agents are let in, department by department. */
import { jsonLine } from "../../../base/json.ts";
import type { Command } from "../kernel/command.ts";
import { exitCodes } from "../kernel/exit-codes.ts";
import { withTeam } from "../place/session.ts";
import { breakerText } from "./health-text.ts";

export const command: Command = {
  description:
    "Prints the circuit breakers: one a department, or one for a team without departments. Two agents that disappear within\n" +
    "five minutes open one: new teammates are refused, those at work go on, and agents in task mode are let in. After two\n" +
    "minutes one teammate may try; when it shows life, the breaker closes. The team file may set other numbers (limits).",
  options: [
    {
      name: "events",
      kind: "flag",
      summary: "all that happened to them instead, a circuit_breaker_state of yolo/1 a line",
    },
  ],
  examples: [
    { line: "baton breaker list", meaning: "the state of each, and how to start another agent" },
    { line: "baton breaker list --json", meaning: "a line of JSON a breaker" },
    { line: "baton breaker list --events >> breakers.jsonl", meaning: "as other tools keep them" },
  ],
  next: "baton agent register NAME --role ROLE --mode task starts an agent that no breaker keeps out.",
  run: (call) =>
    withTeam(call, async (team) => {
      const { output, given } = call;
      if (given.flag("events")) {
        const record = await team.breakerEvents();
        if (!record.ok) return output.fail(record.error);
        for (const event of record.value) output.raw(jsonLine(event));
        return exitCodes.done;
      }
      const found = await team.breakers();
      if (!found.ok) return output.fail(found.error);
      for (const each of found.value) output.result(each, () => breakerText(each, output.paint.stdout));
      if (found.value.length === 0) output.say("No agents yet, so there is nothing to break.");
      return exitCodes.done;
    }),
};
