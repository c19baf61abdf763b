/** How people see approvals and escalations. */

import type { ApprovalAnswer, ApprovalState } from "../../approvals/decide/approvals.ts";
import { needsOwner } from "../../approvals/state.ts";
import { shorten, visible } from "../../base/text.ts";
import { listed } from "../../doors/cli/place/session.ts";
import type { Paint } from "../../doors/cli/terminal/output.ts";
import { localTime } from "../../doors/cli/terminal/terminal-text.ts";
import type { Escalation } from "../../perform/deciders.ts";

/** A request: who asks for what, whom, and what was answered. */
export function approvalText(approval: ApprovalState, paint: Paint): string {
  const { answer, deadlineMs } = approval;
  const until = deadlineMs === null ? "" : `, until ${localTime(approval.openedAtMs + deadlineMs)}`;
  const lines = [
    `${paint.strong(visible(approval.requestId))}  ${approval.status}  ${approval.requestType} by ${visible(approval.requester)}${until}`,
    `  subject   ${visible(approval.subject)}`,
    `  evidence  ${visible(approval.evidence)}`,
    `  asked     ${listed(approval.addressees)}`,
  ];
  if (approval.status === "open" && needsOwner(approval))
    lines.push(`  ${paint.warn("needs     the owner: no agent may lift a gate")}`);
  if (approval.options.length > 0) lines.push(`  options   ${approval.options.map(visible).join("; ")}`);
  if (approval.status === "expired") lines.push("  answer    none before the deadline, which counts as denied");
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
  const { id, level, status, severity, round, dueAtMs, decision, task } = escalation;
  const until = dueAtMs === null ? "" : `, until ${localTime(dueAtMs)}`;
  const where = status === "open" ? `waits at ${level}${until}` : status;
  const about = task === null ? "" : ` on ${visible(task)}`;
  const lines = [
    `${paint.strong(visible(id))}  ${severity}, ${where}${round > 1 ? `, round ${round}` : ""}`,
    `  held up   ${listed(escalation.originators)}${about}`,
    `  issue     ${visible(escalation.issue)}`,
    ...(escalation.needs === null ? [] : [`  needs     ${visible(escalation.needs)}`]),
    ...(escalation.evidence.length === 0 ? [] : [`  evidence  ${escalation.evidence.map(visible).join("; ")}`]),
    ...optionsOf(escalation).map(([name, words]) => `  ${name}  ${visible(words)}`),
    `  way       ${escalation.steps.map((step) => `${step.level} (${step.how} by ${visible(step.by)})`).join(", ")}`,
  ];
  if (decision !== null) {
    lines.push(`  decision  ${visible(decision.decision)}, by ${visible(decision.decidedBy)} as ${decision.level}`);
    for (const item of decision.actionItems) lines.push(`  to do     ${visible(item)}`);
  }
  return `${lines.join("\n")}\n`;
}

/** What the agents of an escalation say to the one who decides it. */
export type Choice = Pick<Escalation, "options" | "recommendation" | "evidence">;

/** More of the evidence than this is only counted where the escalation is one of several lines. */
const evidenceMax = 3;
/** More characters of an agent's words than a list has room for. */
const wordsMax = 300;

/** The options with their numbers, the recommended one marked, and the evidence: a line each, shortened, as written. */
export function choiceLines(choice: Choice): readonly string[] {
  const { evidence } = choice;
  const more = evidence.length - evidenceMax;
  return [
    ...optionsOf(choice, firstLine).map(([name, words]) => `${name}: ${words}`),
    ...evidence.slice(0, evidenceMax).map((each) => `evidence: ${firstLine(each)}`),
    ...(more > 0 ? [`and ${more} more of the evidence`] : []),
  ];
}

/** Names and words of the options; a recommendation that is none of them comes last. `shown`: how words are written. */
function optionsOf(
  { options, recommendation }: Omit<Choice, "evidence">,
  shown: (words: string) => string = (words) => words,
): readonly (readonly [string, string])[] {
  const advised = recommendation?.trim() ?? "";
  const isOption = options.some((option) => option.trim() === advised);
  return [
    ...options.map((option, at) => {
      const mark = advised !== "" && option.trim() === advised ? " (recommended)" : "";
      return [`option ${at + 1}`, `${shown(option)}${mark}`] as const;
    }),
    ...(advised === "" || isOption ? [] : [["recommended", shown(advised)] as const]),
  ];
}

/** The first line of what was said, where that is long its first sentences. */
export function firstLine(words: string): string {
  return inSentences(words.trimStart().split("\n", 1)[0] ?? "", wordsMax);
}

/** The text, or as many of its sentences as so many characters hold, of one that is longer its words. */
export function inSentences(text: string, charactersMax: number): string {
  const kept = shorten(text, charactersMax);
  if (kept === text) return text;
  const sentence = kept.lastIndexOf(". ");
  const end = sentence < 0 ? kept.lastIndexOf(" ") : sentence + 1;
  return end < charactersMax / 2 ? kept : `${kept.slice(0, end)} …`;
}
