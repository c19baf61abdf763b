/**
 * Reports that need the person: those that the repository contradicts or no longer confirms, and those about which verifiers
 * differ until they agree or the owner decides. Pure.
 * Source: docs/protocol/asking.md, sections 11 and 12; docs/protocol/verdicts.md, section 9.
 */
import { judgingOf, wordsOfFindings } from "../../tasks/decide/findings.ts";
import { isRefuted, refutedReporter } from "../../tasks/state/report-status.ts";
import type { Task } from "../../tasks/state/task-state.ts";
import { judgingView, waitsForSettling } from "../../tasks/view/task-view.ts";
import { dueOf, type Known, waitingFor } from "./need-context.ts";
import { type FoundNeed, needDefaults } from "./need-ranking.ts";

/** Tasks whose report the repository contradicts, does not confirm any more, or about which verifiers differ. */
export function disputes(known: Known): readonly FoundNeed[] {
  const found: FoundNeed[] = [];
  for (const task of known.state.work.tasks.values()) {
    if (isRefuted(task)) found.push(ofDispute(known, task));
    else if (waitsForSettling({ ...judgingView(task), holder: task.claim?.holder ?? null }))
      found.push(ofDifference(known, task));
  }
  return found;
}

/** Verifiers differ, and none of them refutes the report: it waits until they agree or the owner decides. */
function ofDifference(known: Known, task: Task): FoundNeed {
  const { key, plan, report } = task;
  const { findings } = judgingOf(task);
  return {
    ...needDefaults,
    id: `dispute:${key}`,
    kind: "dispute",
    class: "dispute",
    subject: `The verifiers of ${task.task} differ: ${wordsOfFindings(findings)}.`,
    why: findings.flatMap(({ problems }) => problems)[0]?.message ?? null,
    agent: report?.reporter ?? null,
    task: task.task,
    plan,
    target: task.task,
    blocks: waitingFor(known, task),
    ...dueOf(known, task),
    // The last finding is what made them differ.
    seq: Math.max(report?.seq ?? task.seq, ...findings.map(({ seq }) => seq)),
    cause: `differing/${plan ?? ""}`,
    about: report?.reporter ?? null,
  };
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
