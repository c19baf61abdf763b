/** What `task complete` adds where nobody judged the report at once, as through a hub. */
import { visible } from "../../../base/text.ts";
import type { CompleteTask } from "../../../operations/generated/calls.ts";
import type { Reply } from "../../../operations/reply.ts";
import type { Team } from "../../../runtime/team/team.ts";
import type { Call } from "../kernel/command.ts";
import { nextCommand } from "../kernel/next-command.ts";

/** What the board says of the report, and where the verdict will be; empty: it was judged, or nothing is to come. */
export async function verdictToCome(
  call: Call,
  team: Team,
  reply: Reply,
  { task: id, status = "complete" }: CompleteTask,
): Promise<string> {
  if (status !== "complete" || reply.outcome !== "accepted" || reply.verdicts !== undefined) return "";
  const found = await team.tasks();
  const task = found.ok ? found.value.find(({ report }) => report === reply.receipt.seq) : undefined;
  if (task === undefined) return "";
  const look = nextCommand(call, ["task", "list", id]) ?? "baton task list";
  const name = visible(task.task);
  if (task.verdict === "verified") return `\nVerified: the repository confirms ${name}.`;
  if (task.verdict === "disputed" || task.verdict === "stale")
    return `\nDisputed: the repository contradicts the report. ${look} says why.`;
  if (task.verdict !== "awaited") return "";
  return `\nNot verified yet: the hub checks it now. ${look} shows the verdict; if it is disputed, ${visible(task.reporter ?? "")} gets a message.`;
}
