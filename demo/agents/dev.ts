/**
 * A developer: claims each task of a contract that it can do, commits it, reports it, and looks what git made of the
 * report. It follows what Baton answers: a hint repairs a misspelt report, files of another are waited for, a file
 * outside the contract is asked for, a disputed task is claimed again and done, and what was granted to another since
 * is left to that one. None of this needs memory: what was committed is in git, and what was claimed or sent may be so
 * again under the same id.
 */

import { isJsonObject, type JsonObject } from "../../src/base/json.ts";
import type { Commit } from "../story/repository.ts";
import { type Changes, cast, claimId, messageIds, plan, updateId, type Work } from "../story/story.ts";
import {
  type BoardLine,
  fencedCode,
  type Letter,
  type ReportedProblem,
  textOf,
  textsOf,
  waitingHelps,
} from "./agent-door.ts";
import { type AgentTools, answerShutdown, type Draft, type MakeRole, payloadOf } from "./agent-tools.ts";

export const devRole: MakeRole = (tools) => {
  // Of this life; another one may have reported them too, which is no harm.
  const settled = new Set<string>();
  return {
    react: async (letter) => {
      if (letter.type === "shutdown_request") return await answerShutdown(tools, letter);
      for (const job of jobsIn(tools, letter)) {
        if (!settled.has(job.task) && (await doTask(tools, job))) settled.add(job.task);
      }
      return "read-on";
    },
  };
};

/** What a letter gives this agent to do: tasks of a contract, or of another whose place the lead asks it to take. */
function jobsIn(tools: AgentTools, letter: Letter): readonly Job[] {
  const { changes, standsIn } = tools.order;
  const jobsOf = (planId: string, tasks: readonly string[], works: Changes) =>
    tasks.flatMap((task) => {
      const work = works[task];
      return work === undefined ? [] : [{ planId, task, work, letter }];
    });
  if (letter.type === "plan_contract") {
    const { plan_id: planId, tasks } = payloadOf(letter);
    return jobsOf(textOf(planId) ?? "", textsOf(tasks), changes);
  }
  if (letter.type !== null || letter.sender !== cast.lead.agent) return [];
  const words = textOf(letter.message) ?? "";
  const named = Object.keys(standsIn).filter((task) => words.includes(task));
  return jobsOf(plan.planId, named, standsIn);
}

/** How often a report may be disputed before the developer leaves it so. */
const attemptsMax = 2;

/**
 * Claims, commits and reports one task, once more where git disputes it; true when there is nothing left to do: its last
 * report was accepted, or it is another's by now.
 */
async function doTask(tools: AgentTools, job: Job): Promise<boolean> {
  const { task } = job;
  await tools.reach("read", task);
  for (let attempt = 1; ; attempt++) {
    const claim = await claimTask(tools, job, attempt);
    if (claim === null) return false;
    await tools.reach("claimed", task);
    const lie = attempt === 1 ? await commitOf(tools, job.work.liesWith) : null;
    const commit = lie ?? (await tools.commit({ ...job.work, occasion: task }));
    await tools.reach("committed", task);
    const reported = await reportWork(tools, job, { ...claim, commit, attempt, isLie: lie !== null });
    await tools.reach("sent", task);
    if (reported !== "accepted") return reported === "fenced";
    const [line] = await tools.boardWhen([task], ({ state }) => state !== "reported");
    if (line?.state !== "disputed" || attempt === attemptsMax) return true;
    await admit(tools, line);
  }
}

/**
 * The claim under which it may be worked on: its token, or none where an earlier life has done it already. Null: the
 * contract must be wider first.
 */
async function claimTask(tools: AgentTools, job: Job, attempt: number): Promise<Pick<Done, "token"> | null> {
  const { task } = job;
  for (;;) {
    const answer = await tools.claim(task, claimId(task, attempt));
    if (answer.outcome === "granted") return { token: answer.token };
    if (answer.outcome === "failed") throw new Error(`${task} could not be claimed: ${answer.said}`);
    if (answer.reason === "done") return { token: null };
    if (!waitingHelps.has(answer.reason)) {
      const outside = answer.problems.find(({ code }) => code === "outside-contract");
      if (outside === undefined) throw new Error(`the claim of ${task} is denied: ${answer.reason}`);
      await askForScope(tools, job, outside);
      return null;
    }
    await tools.untilAvailable(task);
  }
}

/** The first commit of an author, which is not the agent's own work; null where none is meant. */
async function commitOf(tools: AgentTools, author: string | undefined): Promise<Commit | null> {
  if (author === undefined) return null;
  const commits = await tools.repository.log();
  if (!commits.ok) throw new Error(commits.error.message);
  return commits.value.findLast((commit) => commit.author === author) ?? null;
}

/** Says what the board says, and that it will be done. */
async function admit(tools: AgentTools, line: BoardLine): Promise<void> {
  tools.report({ step: "looked", line });
  await tools.say({
    id: messageIds.correction,
    text: `My report of ${line.task} named a commit that is not its work. I claim it again and do it.`,
    to: [cast.lead.agent, cast.qa.agent],
  });
}

/* What a developer says about its work: that it is done, and that it needs a file more than the contract allows. */

/** A task to do. */
interface Job {
  readonly planId: string;
  readonly task: string;
  readonly work: Work;
  /** The contract by which it is done, or the request to take it over. */
  readonly letter: Letter;
}

/** What to report. */
interface Done {
  readonly commit: Commit;
  readonly attempt: number;
  /** The fencing token of the claim under which it was done; null: the claim told none. */
  readonly token: number | null;
  /** The commit is not the task's work; the files are those that it would have. */
  readonly isLie: boolean;
}

/** What became of a report. `fenced`: the task was granted to another since, so there is nothing left to say. */
export type Reported = "accepted" | "refused" | "fenced";

/** Reports a task as done, a second time where a hint says what is wrong with the first. */
async function reportWork(tools: AgentTools, { planId, task, work }: Job, done: Done): Promise<Reported> {
  const { commit, attempt, isLie, token } = done;
  const changed = await tools.repository.filesOf(commit.hash);
  if (!changed.ok) throw new Error(changed.error.message);
  const files = isLie ? Object.keys(work.files) : changed.value;
  const report: Draft = {
    id: updateId(task, attempt),
    type: "execution_update",
    task,
    timestamp: commit.at,
    payload: {
      plan_id: planId,
      task_id: task,
      status: "complete",
      commit: commit.hash,
      files_modified: files,
      evidence: work.evidence,
      ...(token === null ? {} : { token }),
    },
    gist: `${task} is done, commit ${commit.hash.slice(0, 7)}`,
  };
  const slips = work.misspells === true && tools.order.livesBefore === 0;
  const written = slips ? { ...report, payload: { ...report.payload, status: "compelte" } } : report;
  const answer = await tools.send(written);
  const [problem] = answer.outcome === "refused" ? answer.problems : [];
  if (problem === undefined) return answer.outcome === "accepted" ? "accepted" : "refused";
  if (problem.code === fencedCode) return "fenced";
  const again = await tools.send({ ...repaired(written, problem), gist: "the same, repaired as the hint says" });
  return again.outcome === "accepted" ? "accepted" : "refused";
}

/** The draft with the hint's value at the error's place. */
function repaired(draft: Draft, problem: ReportedProblem): Draft {
  const word = /"([^"]+)"/.exec(problem.hint ?? "")?.[1];
  const field = /^\$\.payload\.([a-z_]+)$/.exec(problem.path)?.[1];
  if (word === undefined || field === undefined || !isJsonObject(draft.payload)) return draft;
  const payload: JsonObject = { ...draft.payload, [field]: word };
  return { ...draft, payload };
}

/** Asks for the files that a denied claim names. */
async function askForScope(tools: AgentTools, { task, letter }: Job, problem: ReportedProblem): Promise<void> {
  const wanted = problem.received ?? "more files";
  await tools.send({
    id: `ask-${task}`,
    type: "approval_request",
    task,
    timestamp: letter.recordedAt,
    payload: { subject: `${task} needs ${wanted}`, request_type: "scope_change", evidence: problem.message },
    gist: `may it touch ${wanted}?`,
  });
}
