/** `baton task complete`: reports what became of a task. */
import { visible } from "../../../base/text.ts";
import type { Reply } from "../../../operations/reply.ts";
import type { Team } from "../../../runtime/team.ts";
import { choiceIfGiven } from "../choice.ts";
import { claimOptions, listOf } from "../claim-options.ts";
import type { Call, Command } from "../command.ts";
import { fencingToken } from "../fencing-token.ts";
import { nextCommand } from "../next-command.ts";
import { answer, isUnchanged, withTeam } from "../session.ts";

const statuses = ["complete", "partial", "failed"] as const;

export const command: Command = {
  description:
    "Reports a task of the agent. Complete (the default) needs a commit, unless the task needs no files, and frees the task's\n" +
    "files. Where a repository is, Baton checks the report: at once without a hub (exit 2: disputed, 5: undecided), else the\n" +
    "hub does soon. Only verified work is done. Partial and failed keep the claim. Refused for who does not hold the claim, and for the\n" +
    "token of an older one; a task that nobody holds is claimed and completed at once.",
  positionals: [{ name: "TASK", required: true, summary: "the task's id, however it is spelled" }],
  options: [
    {
      name: "commit",
      kind: "text",
      value: "HASHES",
      repeatable: true,
      summary: "the commit with the work, or several with commas between",
    },
    {
      name: "finished-before",
      kind: "flag",
      summary: "the work is older than the task; for leads and architects",
    },
    fencingToken,
    { name: "status", kind: "text", value: "STATUS", choices: statuses, summary: "default complete" },
    { name: "plan", kind: "text", value: "PLAN", summary: "the plan, where the task's id does not name it" },
    {
      name: "files",
      kind: "text",
      value: "PATHS",
      repeatable: true,
      summary: "what was changed, with commas between; it is compared with the commit",
    },
    {
      name: "deviation",
      kind: "text",
      value: "TEXT",
      repeatable: true,
      summary: "where the work departs from the plan",
    },
    {
      name: "evidence",
      kind: "text",
      value: "TEXT",
      summary: "what shows that the work does what it should; name the must-haves that it is for",
    },
    { name: "id", kind: "text", value: "ID", summary: "names this act for retries" },
  ],
  examples: [
    {
      line: "baton task complete 1-1-T1 --as dev-1 --token 42 --commit abc1234 --evidence 'npm test: 12 passed'",
      meaning: "the work stands in that commit, and what shows it",
    },
    {
      line: "baton task complete 1-1-T1 --as dev-1 --status partial --deviation 'no names yet'",
      meaning: "not done yet; the claim stays",
    },
  ],
  next: "baton task list shows what became of it; baton summary PLAN sums the plan up once all its tasks are done.",
  run: (call) =>
    withTeam(call, async (team) => {
      const { given } = call;
      const task = given.word("TASK") ?? "";
      const { token, ...options } = claimOptions(given);
      const plan = given.text("plan");
      const commit = listOf(given.texts("commit"));
      const status = choiceIfGiven(given.text("status"), statuses);
      const files = listOf(given.texts("files"));
      const deviations = given.texts("deviation");
      const evidence = given.text("evidence");
      const reply = await team.complete(
        {
          task,
          ...(token === undefined ? {} : { token }),
          ...(plan === undefined ? {} : { plan }),
          ...(commit === undefined ? {} : { commit: oneOrSeveral(commit) }),
          ...(given.flag("finished-before") ? { finishedBefore: true } : {}),
          ...(status === undefined ? {} : { status }),
          ...(files === undefined ? {} : { files }),
          ...(deviations.length === 0 ? {} : { deviations }),
          ...(evidence === undefined ? {} : { evidence }),
        },
        options,
      );
      const isComplete = status === undefined || status === "complete";
      const said = isComplete ? "Reported complete" : `Reported ${status}`;
      const verdict = isComplete ? await verdictToCome(call, team, reply, task) : "";
      return answer(
        call,
        reply,
        (receipt) =>
          `${isUnchanged(reply) ? "Already reported" : said}: ${visible(task)} (entry ${receipt.seq}).${verdict}`,
      );
    }),
};

/** Where nobody judged here, as through a hub: what the board says of the report, and where the verdict will be. */
async function verdictToCome(call: Call, team: Team, reply: Reply, id: string): Promise<string> {
  if (reply.outcome !== "accepted" || reply.verdicts !== undefined) return "";
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

/** A list with one entry counts as its entry. */
function oneOrSeveral(commits: readonly string[]): string | readonly string[] {
  const [only, ...others] = commits;
  return only !== undefined && others.length === 0 ? only : commits;
}
