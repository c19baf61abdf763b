/** Whether a claim that was denied for a reason was denied rightly: the reason must be in the entries before it. */
import type { Act } from "../agents/act.ts";
import type { Models } from "./models.ts";
import type { Seen, Wrong } from "./seen.ts";

/**
 * Compares a denied claim through a door with the current state. Messages that claim are judged by their effect alone.
 */
export function checkDenial(
  { work }: Pick<Models, "work">,
  { entry, content }: Seen,
  actOf: (agent: string, id: string) => Act | null,
  wrong: Wrong,
): void {
  const code = content.problems?.[0]?.code;
  if (entry.kind !== "refusal" || code === undefined || entry.id === null) return;
  const { agent } = entry.principal;
  const asked = actOf(agent, entry.id)?.asked;
  if (asked?.do !== "claim") return;
  const { task: taskId, plan = null, files } = asked.task;
  const task = work.find(taskId, plan);
  if (task === undefined) return;
  const isOthers = task.claim !== null && task.claim.holder !== agent;
  const denied = (reason: string) => wrong(`${agent} is denied ${taskId} (${code}), and ${reason}`);
  if (code === "task-held" && !isOthers) denied("nobody else holds it");
  if (code === "task-done" && task.doneBy === null) denied("it is not done");
  if (code === "task-blocked" && !work.isBlocked(task)) denied("nothing is before it");
  if (code === "claim-overlap" && work.meeting(files ?? task.files, agent).length === 0)
    denied("nobody holds its files");
}
