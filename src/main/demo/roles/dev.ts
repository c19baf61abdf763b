/**
 * A developer: claims each task of a contract that it can do, commits it, reports it, and looks what git made of the
 * report. It follows what Baton answers: a hint repairs a misspelt report, files of another are waited for, a file
 * outside the contract is asked for, and what was disputed is claimed again and done. Nothing of this needs a memory of
 * its own: what was committed stands in git, and what was claimed or sent may be so again under the same id.
 */
import { textOf, textsOf } from "../agent-door.ts";
import { cast } from "../cast.ts";
import type { Desk } from "../desk.ts";
import type { Commit } from "../repository.ts";
import { claimId, messageIds } from "../story.ts";
import { type BoardLine, waitingHelps } from "../task-answers.ts";
import { answerShutdown } from "./farewell.ts";
import { askForScope, type Job, reportWork } from "./report.ts";
import { type MakeRole, payloadOf } from "./role.ts";

export const devRole: MakeRole = (desk) => {
  // Of this life; another one may have reported them too, which is no harm.
  const reported = new Set<string>();
  return {
    react: async (letter) => {
      if (letter.type === "shutdown_request") return await answerShutdown(desk, letter);
      if (letter.type !== "plan_contract") return "read-on";
      const contract = payloadOf(letter);
      for (const task of textsOf(contract.tasks)) {
        const work = desk.order.changes[task];
        if (work === undefined || reported.has(task)) continue;
        if (await doTask(desk, { planId: textOf(contract.plan_id) ?? "", task, work, letter })) reported.add(task);
      }
      return "read-on";
    },
  };
};

/** How often a report may be disputed before the developer leaves it so. */
const attemptsMax = 2;

/** Claims, commits and reports one task, once more where git disputes it; true when its last report was accepted. */
async function doTask(desk: Desk, job: Job): Promise<boolean> {
  const { task } = job;
  await desk.reach("read", task);
  for (let attempt = 1; ; attempt++) {
    if (!(await claimTask(desk, job, attempt))) return false;
    await desk.reach("claimed", task);
    const lie = attempt === 1 ? await commitOf(desk, job.work.liesWith) : null;
    const commit = lie ?? (await desk.commit({ ...job.work, occasion: task }));
    await desk.reach("committed", task);
    const isAccepted = await reportWork(desk, job, { commit, attempt, isLie: lie !== null });
    await desk.reach("sent", task);
    if (!isAccepted) return false;
    const [line] = await desk.boardWhen([task], ({ state }) => state !== "reported");
    if (line?.state !== "disputed" || attempt === attemptsMax) return true;
    await admit(desk, line);
  }
}

/** True when it may be worked on: granted, or done already by an earlier life. False: the contract must be wider first. */
async function claimTask(desk: Desk, job: Job, attempt: number): Promise<boolean> {
  const { task } = job;
  for (;;) {
    const answer = await desk.claim(task, claimId(task, attempt));
    if (answer.outcome === "granted") return true;
    if (answer.outcome === "failed") throw new Error(`${task} could not be claimed: ${answer.said}`);
    if (answer.reason === "done") return true;
    if (!waitingHelps.has(answer.reason)) {
      const outside = answer.faults.find(({ code }) => code === "outside-contract");
      if (outside === undefined) throw new Error(`the claim of ${task} is denied: ${answer.reason}`);
      await askForScope(desk, job, outside);
      return false;
    }
    await desk.untilAvailable(task);
  }
}

/** The first commit of an author, which is not the agent's own work; null where none is meant. */
async function commitOf(desk: Desk, author: string | undefined): Promise<Commit | null> {
  if (author === undefined) return null;
  const commits = await desk.repository.log();
  if (!commits.ok) throw new Error(commits.error.message);
  return commits.value.findLast((commit) => commit.author === author) ?? null;
}

/** Says what the board says, and that it will be done. */
async function admit(desk: Desk, line: BoardLine): Promise<void> {
  desk.report({ step: "looked", line });
  await desk.say({
    id: messageIds.correction,
    text: `My report of ${line.task} named a commit that is not its work. I claim it again and do it.`,
    to: [cast.lead.agent, cast.qa.agent],
  });
}
