/**
 * A verdict on reported work for a terminal, the exit code of a command that reported the work, and what `task
 * complete` adds where nobody judged the report at once, as through a hub; and what the gate found, for build servers.
 */

import { shortList, visible } from "../../base/text.ts";
import type { Call } from "../../doors/cli/kernel/command.ts";
import { nextCommand } from "../../doors/cli/kernel/next-command.ts";
import { type ExitCode, exitCodes } from "../../doors/cli/terminal/exit-codes.ts";
import type { Paint } from "../../doors/cli/terminal/output.ts";
import type { CompleteTask } from "../../perform/operations/generated/calls.ts";
import type { Reply, TaskVerdict } from "../../perform/operations/reply.ts";
import type { Team } from "../../perform/team.ts";
import { furtherText, isContradicted, isUpheld } from "../../tasks/state/report-status.ts";
import type { GateAnswer } from "../services/gate.ts";

/** One sentence on the report of a task. The problems behind it are printed by themselves. */
export function verdictLine({ task, state, commit, commits, place, notes }: TaskVerdict, paint: Paint): string {
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
      return `${paint.good("Verified")}: the repository confirms ${name}${at}${place === undefined ? "" : `, ${placeText(place)}`}.`;
    case "disputed":
      if (isUpheld(notes)) return `${paint.bad("Disputed")}: ${furtherText(name)}`;
      return `${paint.bad("Disputed")}: the repository contradicts the report. ${name} is not done, and can be claimed again.`;
    case "gone":
      if (place?.at === "reverted")
        return `${paint.bad("Reverted")}: the work of ${name} had landed and was taken back${at}. The task is not done, and can be claimed again.`;
      return `${paint.bad("Gone")}: the work of ${name} was there and is not any more${at}. It stays done until a lead or the owner says otherwise.`;
    case "reported":
      return `${paint.warn("Undecided")}: the repository could not answer. ${name} stays reported, and does not count as done.`;
    default:
      // A newer hub's word.
      return `${visible(String(state))}: ${name}${at}.`;
  }
}

/** Where verified work is, in words. */
export function placeText({ at, branch, isChanged }: NonNullable<TaskVerdict["place"]>): string {
  const later = isChanged ? ", changed there since" : "";
  if (at === "settled") return "settled by a person";
  if (at === "gone") return "gone";
  if (at === "reverted") return `reverted on ${visible(branch ?? "")}`;
  if (at === "landed") return `landed on ${visible(branch ?? "")}${later}`;
  return `on ${branch === null ? "no branch yet: a working tree has it" : visible(branch)}, to be merged${later}`;
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

/** 0: everything is verified. 2: something is disputed or gone. 5: something could not be decided. */
export function verdictCode(verdicts: readonly TaskVerdict[]): ExitCode {
  if (verdicts.some(({ state }) => isContradicted(state))) return exitCodes.refused;
  return verdicts.some(({ state }) => state === "reported") ? exitCodes.undecided : exitCodes.done;
}

/** A command cannot know whether the hub has a clone, so it promises nothing. */
const toBeChecked = "Not verified yet: a hub with a clone checks it within a second.";
const uncheckable = "Not verified: the hub has no clone to check it in. Start it in a clone of the team's repository.";

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
  // What was recorded before the report is about an earlier one.
  const isJudged = task.seq > reply.receipt.seq;
  if (isJudged && isUpheld(task.notes)) return `\nDisputed: ${furtherText(name)} ${look} says why.`;
  if (isJudged && task.verdict === "verified") return `\nVerified: the repository confirms ${name}.`;
  if (task.verdict === "disputed") return `\nDisputed: the repository contradicts the report. ${look} says why.`;
  if (task.verdict === "unavailable") return `\n${uncheckable}`;
  if (isJudged && task.verdict !== "awaited") return "";
  if (task.verdict === "unneeded") return "";
  return `\n${toBeChecked} ${look} shows the verdict; if it is disputed, ${visible(task.reporter ?? "")} gets a message.`;
}

/** What was judged, for people: a commit's id and who answers for it. */
export function gateSubject({ commit, agent }: GateAnswer): string {
  return `${commit === null ? "what is staged" : commit.slice(0, 12)} (${agent ?? "nobody of the team"})`;
}
