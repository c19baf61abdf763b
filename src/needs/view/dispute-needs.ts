/**
 * Reports that need the person: those that the repository contradicts or does not decide, and those whose work is gone. Pure.
 * Source: docs/protocol/asking.md, sections 11 and 12.
 */
import { isGone, isRefuted, isUndecided, refutedReporter } from "../../tasks/state/report-status.ts";
import type { Task } from "../../tasks/state/task-state.ts";
import { dueOf, type Known, waitingFor } from "./need-context.ts";
import { type FoundNeed, needDefaults } from "./need-ranking.ts";

/** Tasks whose report is disputed or undecided, or whose work is gone. */
export function disputes(known: Known): readonly FoundNeed[] {
  const tasks = [...known.state.work.tasks.values()].filter(({ ended }) => ended === undefined);
  return tasks.flatMap((task) => {
    if (isRefuted(task)) return ofDispute(known, task, "dispute");
    if (isGone(task)) return ofDispute(known, task, "gone");
    return isUndecided(task) ? ofDispute(known, task, "undecided") : [];
  });
}

type Way = "dispute" | "gone" | "undecided";

/** What each way is called, from the task and who reported it. */
const subjects: Readonly<Record<Way, (task: string, reporter: string) => string>> = {
  dispute: (task, reporter) => `${reporter} reported ${task} as done; the repository does not confirm it.`,
  gone: (task) =>
    `${task} was verified, and its work is not in the repository any more. It stays done until you say otherwise.`,
  undecided: (task, reporter) => `${reporter} reported ${task} as done; the repository does not decide it.`,
};

function ofDispute(known: Known, task: Task, way: Way): FoundNeed {
  const { key, verdict, plan, report, unseen } = task;
  const reporter = way === "dispute" ? refutedReporter(task) : (report?.reporter ?? null);
  const found = [...(known.state.work.disputes.get(key)?.values() ?? [])].findLast(({ repair }) => repair === null);
  const [first] = (way === "undecided" ? unseen?.problems : verdict?.problems) ?? [];
  const since = way === "undecided" ? unseen?.seq : (found?.seq ?? verdict?.seq);
  return {
    ...needDefaults,
    id: `${way}:${key}`,
    kind: "dispute",
    class: "dispute",
    subject: subjects[way](task.task, reporter ?? "Somebody"),
    why: first?.message ?? null,
    agent: reporter,
    task: task.task,
    plan,
    target: task.task,
    blocks: waitingFor(known, task),
    ...dueOf(known, task),
    // Since the first verdict against the report: a check that finds it again begins nothing.
    seq: since ?? report?.seq ?? task.seq,
    changedSeq: verdict?.seq ?? null,
    cause: `${verdict?.state ?? way}/${first?.code ?? ""}/${plan ?? ""}`,
    about: reporter,
  };
}
