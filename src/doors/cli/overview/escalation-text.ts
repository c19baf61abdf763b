/** How escalations are shown to people. */
import { timestampOf } from "../../../base/clock.ts";
import { visible } from "../../../base/text.ts";
import type { Escalation } from "../../../coordination/deciders.ts";
import { listed } from "../place/session.ts";
import type { Paint } from "../terminal/paint.ts";

/** An escalation: what is held up, where it waits, its way so far, and what was decided. */
export function escalationText(escalation: Escalation, paint: Paint): string {
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
