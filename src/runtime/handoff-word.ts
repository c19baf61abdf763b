/**
 * What Baton says of handoffs to those who have to do with them, as prose: no dialect has words for it.
 * Source: semantics.md section 3, Handoff documents.
 */
import type { Handoff, HandoffAcceptance } from "../coordination/handoff-state.ts";
import type { Message } from "../message/message.ts";
import { prose } from "./prose.ts";

/** That it was accepted, and what moved with it. */
export function acceptedNotice(
  handoff: Handoff,
  by: string,
  { files, weak, task, token }: Pick<HandoffAcceptance, "files" | "weak" | "task" | "token">,
): Message {
  const sums = weak === 0 ? "" : `, ${weak} of them with a checksum that tells nothing`;
  return prose([
    `${by} accepted the handoff ${handoff.id} (${handoff.source} to ${handoff.target}): ${handoff.summary}`,
    `Files looked at: ${files}${sums}.`,
    ...(task === null
      ? []
      : [`${task} is ${by}'s now, with the token ${token ?? ""}; an earlier claim on it has ended.`]),
  ]);
}

/** That it was rejected, and why. */
export function rejectedNotice(handoff: Handoff, by: string, reasons: readonly string[]): Message {
  return prose([
    `${by} rejected the handoff ${handoff.id} (${handoff.source} to ${handoff.target}): ${handoff.summary}`,
    ...reasons.map((reason) => `Reason: ${reason}`),
    "Mend it and issue it again: `baton handoff issue FILE` gives it a new id and names this one before it.",
  ]);
}

/** That what was handed over is done. */
export function completedNotice(handoff: Handoff, by: string): Message {
  return prose([
    `${by} completed the handoff ${handoff.id} (${handoff.source} to ${handoff.target}): ${handoff.summary}`,
    `Generated files that are there: ${handoff.generated}.`,
  ]);
}
