/**
 * Ids of escalations: `ESC-{phase}-{plan}-T{n}` for a task, `ESC-{phase}-{n}` where there is none. They are compared by
 * their numbers, as ids of plans and tasks are, and kept as first written.
 * Source: docs/protocol/escalations.md; docs/protocol/requirements/yolo-1.md.
 */
import { planKey, taskKey } from "../tasks/work-ids.ts";

const plain = /^\d{1,9}-\d{1,9}$/;

/** The id of a task's escalation. The plan stands as its sender wrote it, where that is two numbers. */
export function escalationIdOf(taskId: string, planId: string | null): string {
  const key = taskKey(taskId, planId);
  const parts = /^(.*)-(T\d+)$/.exec(key);
  if (parts === null) return `ESC-${planId === null ? "" : `${planPart(planId)}-`}${taskId}`;
  const written = planId !== null && planKey(planId) === parts[1] ? planId : (parts[1] ?? "");
  return `ESC-${planPart(written)}-${parts[2]}`;
}

function planPart(planId: string): string {
  return plain.test(planId) ? planId : planKey(planId);
}

/** The form by which ids are compared: without the zeros that numbers may be filled up with. */
export function escalationKey(id: string): string {
  return id.replaceAll(/[0-9]+/g, (digits) => digits.replace(/^0+/, "") || "0");
}
