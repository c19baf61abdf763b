/** `baton approval list`: requests and what became of them. */
import { timestampOf } from "../../../base/clock.ts";
import { visible } from "../../../base/text.ts";
import { needsOwner } from "../../../coordination/approval-kinds.ts";
import type { ApprovalAnswer, ApprovalState } from "../../../coordination/approvals.ts";
import type { Command } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import type { Paint } from "../paint.ts";
import { listed, withTeam } from "../session.ts";

export const command: Command = {
  description: "Prints the approval requests that wait for an answer: who asks for what, whom, and until when.",
  options: [{ name: "all", kind: "flag", summary: "also the answered and expired ones" }],
  examples: [
    { line: "baton approval list", meaning: "what waits for a decision" },
    { line: "baton approval list --all --json", meaning: "all of them, a line of JSON each" },
  ],
  next: "baton approval approve ID or baton approval deny ID --reason TEXT answers one.",
  run: (call) =>
    withTeam(call, async (team) => {
      const { output } = call;
      const found = await team.approvals({ all: call.given.flag("all") });
      if (!found.ok) return output.fail(found.error);
      for (const approval of found.value) output.result(approval, () => approvalText(approval, output.paint.stdout));
      if (found.value.length === 0) output.say("No approval waits for an answer.");
      return exitCodes.done;
    }),
};

function approvalText(approval: ApprovalState, paint: Paint): string {
  const { answer, deadlineMs } = approval;
  const until = deadlineMs === null ? "" : `, until ${timestampOf(approval.openedAtMs + deadlineMs)}`;
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
