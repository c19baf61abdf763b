/** What a developer says about its work: that it is done, and that it needs a file more than the contract allows. */
import { isJsonObject, type JsonObject } from "../../src/base/json.ts";
import type { Work } from "../changes.ts";
import type { Desk, Draft } from "../desk.ts";
import { type Fault, fencedCode, type Letter } from "../doors/agent-door.ts";
import type { Commit } from "../repository.ts";
import { updateId } from "../story.ts";

/** A task to do. */
export interface Job {
  readonly planId: string;
  readonly task: string;
  readonly work: Work;
  /** The contract by which it is done, or the request to take it over. */
  readonly letter: Letter;
}

/** What is to be reported. */
export interface Done {
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
export async function reportWork(desk: Desk, { planId, task, work }: Job, done: Done): Promise<Reported> {
  const { commit, attempt, isLie, token } = done;
  const changed = await desk.repository.filesOf(commit.hash);
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
  const slips = work.misspells === true && desk.order.livesBefore === 0;
  const written = slips ? { ...report, payload: { ...report.payload, status: "compelte" } } : report;
  const answer = await desk.send(written);
  const [fault] = answer.outcome === "refused" ? answer.faults : [];
  if (fault === undefined) return answer.outcome === "accepted" ? "accepted" : "refused";
  if (fault.code === fencedCode) return "fenced";
  const again = await desk.send({ ...repaired(written, fault), gist: "the same, repaired as the hint says" });
  return again.outcome === "accepted" ? "accepted" : "refused";
}

/** The draft with the word that the hint names, at the place that the fault names. */
function repaired(draft: Draft, fault: Fault): Draft {
  const word = /"([^"]+)"/.exec(fault.hint ?? "")?.[1];
  const field = /^\$\.payload\.([a-z_]+)$/.exec(fault.path)?.[1];
  if (word === undefined || field === undefined || !isJsonObject(draft.payload)) return draft;
  const payload: JsonObject = { ...draft.payload, [field]: word };
  return { ...draft, payload };
}

/** Asks for the files that a denied claim names. */
export async function askForScope(desk: Desk, { task, letter }: Job, fault: Fault): Promise<void> {
  const wanted = fault.received ?? "more files";
  await desk.send({
    id: `ask-${task}`,
    type: "approval_request",
    task,
    timestamp: letter.recordedAt,
    payload: { subject: `${task} needs ${wanted}`, request_type: "scope_change", evidence: fault.message },
    gist: `may it touch ${wanted}?`,
  });
}
