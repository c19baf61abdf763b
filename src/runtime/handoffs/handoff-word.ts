/**
 * What Baton says of handoffs to those who have to do with them, as prose: no dialect has words for it.
 * Source: docs/protocol/handoffs.md.
 */
import { visible } from "../../base/text.ts";
import type { Handoff, HandoffAcceptance } from "../../coordination/handoffs/handoff-state.ts";
import type { Message } from "../../message/message.ts";
import { prose, quoted } from "../delivery/prose.ts";

/** That it was accepted, and what moved with it. */
export function acceptedNotice(
  handoff: Handoff,
  by: string,
  { files, weak, task, token }: Pick<HandoffAcceptance, "files" | "weak" | "task" | "token">,
): Message {
  const sums = weak === 0 ? "" : `, ${weak} of them with a checksum that tells nothing`;
  return prose([
    answered(handoff, by, "accepted"),
    `Files looked at: ${files}${sums}.`,
    ...(task === null
      ? []
      : [`${visible(task)} is ${by}'s now, with the token ${token ?? ""}; an earlier claim on it has ended.`]),
  ]);
}

/** That it was rejected, and why. */
export function rejectedNotice(handoff: Handoff, by: string, reasons: readonly string[]): Message {
  const name = visible(handoff.id);
  return prose([
    answered(handoff, by, "rejected"),
    ...reasons.map((reason) => quoted("Reason", reason)),
    `What to do: mend it and issue it again, under a new id and with ${name} among its previous_handoffs.`,
  ]);
}

/** That what was handed over is done. */
export function completedNotice(handoff: Handoff, by: string): Message {
  return prose([answered(handoff, by, "completed"), `Generated files that are there: ${handoff.generated}.`]);
}

function answered({ id, source, target, summary }: Handoff, by: string, how: string): string {
  return quoted(`${by} ${how} the handoff ${visible(id)} (${visible(source)} to ${visible(target)})`, summary);
}
