/**
 * Reports that need the person: those that the repository contradicts or no longer confirms. Pure.
 * Source: docs/protocol/asking.md, sections 11 and 12.
 */
import { isRefuted, refutedReporter } from "../../tasks/state/report-status.ts";
import type { Task } from "../../tasks/state/task-state.ts";
import { dueOf, type Known, waitingFor } from "./need-context.ts";
import { type FoundNeed, needDefaults } from "./need-ranking.ts";

/** Tasks whose report the repository contradicts, or does not confirm any more. */
export function disputes(known: Known): readonly FoundNeed[] {
  const refuted = [...known.state.work.tasks.values()].filter(isRefuted);
  return refuted.map((task) => ofDispute(known, task));
}

function ofDispute(known: Known, task: Task): FoundNeed {
  const { key, verdict, plan, report } = task;
  const reporter = refutedReporter(task);
  const found = [...(known.state.work.disputes.get(key)?.values() ?? [])].findLast(({ repair }) => repair === null);
  const isStale = verdict?.state === "stale";
  const subject = isStale
    ? `${task.task} was verified, and its work is not in the repository any more.`
    : `${reporter ?? "Somebody"} reported ${task.task} as done; the repository does not confirm it.`;
  return {
    ...needDefaults,
    id: `dispute:${key}`,
    kind: "dispute",
    class: "dispute",
    subject,
    why: verdict?.problems[0]?.message ?? null,
    agent: reporter,
    task: task.task,
    plan,
    target: task.task,
    blocks: waitingFor(known, task),
    ...dueOf(known, task),
    // Since the first verdict against the report: a check that finds it again begins nothing.
    seq: found?.seq ?? verdict?.seq ?? report?.seq ?? task.seq,
    changedSeq: verdict?.seq ?? null,
    cause: `${verdict?.state ?? ""}/${verdict?.problems[0]?.code ?? ""}/${plan ?? ""}`,
    about: reporter,
  };
}
