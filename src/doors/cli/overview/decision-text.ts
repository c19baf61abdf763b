/** How people see approvals and escalations. */
import { visible } from "../../../base/text.ts";
import { needsOwner } from "../../../coordination/approvals/approval-store.ts";
import type { ApprovalAnswer, ApprovalState } from "../../../coordination/approvals/approvals.ts";
import type { Escalation } from "../../../coordination/deciders.ts";
import { listed } from "../place/session.ts";
import type { Paint } from "../terminal/output.ts";
import { localTime } from "../terminal/terminal-text.ts";

/** A request: who asks for what, whom, and what was answered. */
export function approvalText(approval: ApprovalState, paint: Paint): string {
  const { answer, deadlineMs } = approval;
  const until = deadlineMs === null ? "" : `, until ${localTime(approval.openedAtMs + deadlineMs)}`;
  const lines = [
    `${paint.strong(visible(approval.requestId))}  ${approval.standing}  ${approval.requestType} by ${visible(approval.requester)}${until}`,
    `  subject   ${visible(approval.subject)}`,
    `  evidence  ${visible(approval.evidence)}`,
    `  asked     ${listed(approval.addressees)}`,
  ];
  if (approval.standing === "open" && needsOwner(approval))
    lines.push(`  ${paint.warn("needs     the owner: no agent may lift a gate")}`);
  if (approval.options.length > 0) lines.push(`  options   ${approval.options.map(visible).join("; ")}`);
  if (approval.standing === "expired") lines.push("  answer    none before the deadline, which counts as denied");
  if (answer !== null) lines.push(...answerLines(answer));
  return `${lines.join("\n")}\n`;
}

function answerLines({ approved, decidedBy, reason, conditions, modifications }: ApprovalAnswer): readonly string[] {
  // What a dialect writes as an object stays one.
  const words = modifications.map((each) => visible(typeof each === "string" ? each : JSON.stringify(each)));
  return [
    `  answer    ${approved ? "approved" : "denied"} by ${visible(decidedBy)}: ${visible(reason)}`,
    ...(conditions.length === 0 ? [] : [`  on        ${conditions.map(visible).join("; ")}`]),
    ...(words.length === 0 ? [] : [`  changes   ${words.join("; ")}`]),
  ];
}

/** An escalation: what is held up, where it waits, its way so far, and what was decided. */
export function escalationText(escalation: Escalation, paint: Paint): string {
  const { id, level, standing, severity, round, dueAtMs, decision, task } = escalation;
  const until = dueAtMs === null ? "" : `, until ${localTime(dueAtMs)}`;
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
