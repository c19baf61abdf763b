/** `baton escalation list`: what is held up, whose decision it is, and what was decided. */
import { timestampOf } from "../../../base/clock.ts";
import { visible } from "../../../base/text.ts";
import type { Escalation } from "../../../coordination/deciders.ts";
import type { Command } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import type { Paint } from "../paint.ts";
import { listed, withTeam } from "../session.ts";

export const command: Command = {
  description:
    "Prints the escalations that wait for a decision: who is held up by what, at which level it waits and until when that\n" +
    "level is passed by. What waits at the user waits for the person who owns the team.",
  options: [{ name: "all", kind: "flag", summary: "also those that are decided" }],
  examples: [
    { line: "baton escalation list", meaning: "what waits for a decision" },
    { line: "baton escalation list --all --json", meaning: "all of them, a line of JSON each" },
  ],
  next: "baton escalation resolve ID --decision TEXT decides one, baton escalation raise ID hands it up.",
  run: (call) =>
    withTeam(call, async (team) => {
      const { output } = call;
      const found = await team.escalations({ all: call.given.flag("all") });
      if (!found.ok) return output.fail(found.error);
      for (const each of found.value) output.result(each, () => escalationText(each, output.paint.stdout));
      if (found.value.length === 0) output.say("Nothing waits for a decision.");
      return exitCodes.done;
    }),
};

function escalationText(escalation: Escalation, paint: Paint): string {
  const { id, level, standing, severity, round, dueAtMs, decision, task } = escalation;
  const until = dueAtMs === null ? "" : `, until ${timestampOf(dueAtMs)}`;
  const where = standing === "open" ? `waits at ${level}${until}` : standing;
  const about = task === null ? "" : ` on ${visible(task)}`;
  const lines = [
    `${paint.strong(visible(id))}  ${severity}, ${where}${round > 1 ? `, round ${round}` : ""}`,
    `  held up   ${listed(escalation.originators)}${about}`,
    `  issue     ${visible(escalation.issue)}`,
    ...(escalation.needs === null ? [] : [`  needs     ${visible(escalation.needs)}`]),
    ...(escalation.evidence.length === 0 ? [] : [`  evidence  ${escalation.evidence.map(visible).join("; ")}`]),
    ...escalation.options.map((option, index) => `  option ${index + 1}  ${visible(option)}`),
    `  way       ${escalation.steps.map((step) => `${step.level} (${step.how} by ${visible(step.by)})`).join(", ")}`,
  ];
  if (decision !== null) {
    lines.push(`  decision  ${visible(decision.decision)}, by ${visible(decision.decidedBy)} as ${decision.level}`);
    for (const item of decision.actionItems) lines.push(`  to do     ${visible(item)}`);
  }
  return `${lines.join("\n")}\n`;
}
