/**
 * The developer: commits each task of a contract and reports it. It follows what Baton answers: a hint repairs a
 * misspelt report, and a file outside the contract is asked for. Nothing of this needs a memory of its own: what was
 * committed stands in git, and what was sent may be sent again under the same id.
 */
import { isJsonObject, type JsonObject } from "../../../base/json.ts";
import { type Fault, textOf, textsOf } from "../agent-door.ts";
import type { Desk, Draft } from "../desk.ts";
import type { Commit } from "../repository.ts";
import { answerShutdown } from "./farewell.ts";
import { type MakeRole, payloadOf } from "./role.ts";

export const devRole: MakeRole = (desk) => {
  // Of this life; another one may have reported them too, which is no harm.
  const reported = new Set<string>();
  // As models do, it misspells a word once, in its first life.
  let slips = desk.order.livesBefore === 0 ? 1 : 0;
  return {
    react: async (letter) => {
      if (letter.type === "shutdown_request") return await answerShutdown(desk, letter);
      if (letter.type !== "plan_contract") return "read-on";
      const contract = payloadOf(letter);
      for (const task of textsOf(contract.tasks)) {
        if (reported.has(task)) continue;
        const work = { planId: textOf(contract.plan_id) ?? "", task, slips: slips > 0 };
        if (await doTask(desk, work)) reported.add(task);
        slips = 0;
      }
      return "read-on";
    },
  };
};

interface Work {
  readonly planId: string;
  readonly task: string;
  readonly slips: boolean;
}

/** Commits and reports one task; true when its report was accepted. */
async function doTask(desk: Desk, { planId, task, slips }: Work): Promise<boolean> {
  const change = desk.order.changes[task];
  if (change === undefined) return false;
  await desk.reach("read", task);
  const commit = await desk.commit({ ...change, occasion: task });
  await desk.reach("committed", task);
  const files = await desk.repository.filesOf(commit.hash);
  if (!files.ok) throw new Error(files.error.message);
  const update = updateOf(planId, task, commit, files.value);
  const written = slips ? { ...update, payload: { ...update.payload, status: "compelte" } } : update;
  let answer = await desk.send(written);
  const [fault] = answer.outcome === "refused" ? answer.faults : [];
  if (fault !== undefined && fault.code !== "outside-contract") {
    answer = await desk.send({ ...repaired(written, fault), gist: "the same, repaired as the hint says" });
  }
  await desk.reach("sent", task);
  if (answer.outcome === "refused") {
    const outside = answer.faults.find(({ code }) => code === "outside-contract");
    if (outside !== undefined) await askForScope(desk, task, commit, outside);
  }
  return answer.outcome === "accepted";
}

function updateOf(planId: string, task: string, commit: Commit, files: readonly string[]): Draft {
  return {
    id: `update-${task}`,
    type: "execution_update",
    task,
    timestamp: commit.at,
    payload: { plan_id: planId, task_id: task, status: "complete", commit: commit.hash, files_modified: files },
    gist: `${task} is done, commit ${commit.hash.slice(0, 7)}`,
  };
}

/** The draft with the word that the hint names, at the place that the fault names. */
function repaired(draft: Draft, fault: Fault): Draft {
  const word = /"([^"]+)"/.exec(fault.hint ?? "")?.[1];
  const field = /^\$\.payload\.([a-z_]+)$/.exec(fault.path)?.[1];
  if (word === undefined || field === undefined || !isJsonObject(draft.payload)) return draft;
  const payload: JsonObject = { ...draft.payload, [field]: word };
  return { ...draft, payload };
}

async function askForScope(desk: Desk, task: string, commit: Commit, fault: Fault): Promise<void> {
  await desk.send({
    id: `ask-${task}`,
    type: "approval_request",
    task,
    timestamp: commit.at,
    payload: {
      subject: `${task} needs ${fault.received ?? "more files"}`,
      request_type: "scope_change",
      evidence: fault.message,
    },
    gist: `may it touch ${fault.received ?? "more files"}?`,
  });
}
