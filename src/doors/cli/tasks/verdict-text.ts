/**
 * A verdict on reported work for a terminal, the exit code of a command that reported the work, and what `task
 * complete` adds where nobody judged the report at once, as through a hub.
 */
import { shortList, visible } from "../../../base/text.ts";
import type { CompleteTask } from "../../../operations/generated/calls.ts";
import type { Reply, TaskVerdict } from "../../../operations/reply.ts";
import type { Team } from "../../../runtime/team/team.ts";
import type { Call } from "../kernel/command.ts";
import { type ExitCode, exitCodes } from "../kernel/exit-codes.ts";
import { nextCommand } from "../kernel/next-command.ts";
import type { Paint } from "../terminal/output.ts";

/** One sentence on the report of a task. The problems behind it are printed by themselves. */
export function verdictLine({ task, state, commit, commits }: TaskVerdict, paint: Paint): string {
  const name = visible(task);
  const at =
    commit === null
      ? ""
      : commits.length < 2
        ? ` (commit ${shortCommit(commit)})`
        : ` (commits ${commitList(commits)})`;
  switch (state) {
    case "verified":
    case "complete":
      return `${paint.good("Verified")}: the repository confirms ${name}${at}.`;
    case "disputed":
      return `${paint.bad("Disputed")}: the repository contradicts the report. ${name} is not done, and can be claimed again.`;
    case "stale":
      return `${paint.bad("Stale")}: the work of ${name} was there and is not any more${at}. It is not done.`;
    case "reported":
      return `${paint.warn("Undecided")}: the repository could not answer. ${name} stays reported, and does not count as done.`;
    default:
      // A newer hub's word.
      return `${visible(String(state))}: ${name}${at}.`;
  }
}

/** One sentence on another task's report, which was disputed until this one came. */
export function settledLine({ task }: TaskVerdict, paint: Paint): string {
  return `Also ${paint.good("verified")} now: ${visible(task)}, which was disputed; its report names the same commit.`;
}

/** As much of a commit as people compare; the whole of it is in `--json`. */
const shownCommitMax = 12;

function shortCommit(commit: string): string {
  return visible(commit.slice(0, shownCommitMax));
}

/** Commits as people compare them: `abc1234, def5678`; of many only the first; of none nothing. */
export function commitList(commits: readonly string[]): string {
  return commits.length === 0 ? "" : shortList(commits.map(shortCommit));
}

/** 0: everything is verified. 2: something is disputed or stale. 5: something could not be decided. */
export function verdictCode(verdicts: readonly TaskVerdict[]): ExitCode {
  if (verdicts.some(({ state }) => state === "disputed" || state === "stale")) return exitCodes.refused;
  return verdicts.some(({ state }) => state === "reported") ? exitCodes.undecided : exitCodes.done;
}

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
