/**
 * Whether what a decision is about is still as it was when the caller looked: the thing itself, and what is shown next to
 * it, which are the contract of its plan and the claim, the report and the verdict of its task. Pure.
 * Source: docs/protocol/asking.md, section 4.
 */

import type { ApprovalState } from "../../approvals/state.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import type { Escalation } from "../../escalations/state.ts";
import type { CoordinationState } from "../../perform/coordination-state.ts";
import type { SecurityStop } from "../../phases/state/review-state.ts";
import { contractOf } from "../../tasks/decide/contracts.ts";
import { findTask, type Task } from "../../tasks/state/task-state.ts";

/** A change, by the entry that made it. */
export interface Change {
  readonly seq: number;
  readonly says: string;
}

/** What was changed of a request, and of what its decision rests on. */
export function changesOfRequest(state: CoordinationState, request: ApprovalState): readonly Change[] {
  const { seq, requester, task, plan, answer } = request;
  return [
    { seq, says: `${requester} asked` },
    ...(answer === null ? [] : [{ seq: answer.seq, says: `${answer.decidedBy} answered` }]),
    ...changesOfPlan(state, plan),
    ...changesOfTask(task === null ? null : findTask(state.work, task, plan)),
  ];
}

/** What was changed of an escalation, and of what its decision rests on. */
export function changesOfEscalation(state: CoordinationState, escalation: Escalation): readonly Change[] {
  const { steps, decision, task, plan } = escalation;
  return [
    ...steps.map(({ seq, level, by }) => ({ seq, says: `${by} brought it to the ${level}` })),
    ...(decision === null ? [] : [{ seq: decision.seq, says: `${decision.decidedBy} decided it` }]),
    ...changesOfTask(task === null ? null : findTask(state.work, task, plan)),
  ];
}

/** What was changed of a failed audit, and the later failed audits of the same part. */
export function changesOfStop(
  { quality: { stops } }: Pick<CoordinationState, "quality">,
  { stop, part, seq, lifted }: SecurityStop,
): readonly Change[] {
  const isSamePart = (other: SecurityStop["part"]) =>
    other?.phase === part?.phase && other?.department === part?.department;
  const later = [...stops.values()].filter((each) => each.stop !== stop && each.seq > seq && isSamePart(each.part));
  return [
    { seq, says: `the audit of entry ${seq} failed` },
    ...(lifted === null ? [] : [{ seq: lifted.seq, says: `${lifted.by} lifted it` }]),
    ...later.map((each) => ({ seq: each.seq, says: `another audit failed, by ${each.by}` })),
  ];
}

/** What was changed of a task. */
export function changesOfTask(task: Task | null): readonly Change[] {
  if (task === null) return [];
  const { task: id, claim, report, verdict } = task;
  return [
    ...(claim === null ? [] : [{ seq: claim.token, says: `${claim.holder} claimed ${id}` }]),
    ...(report === null ? [] : [{ seq: report.seq, says: `${report.reporter} reported ${id} as ${report.status}` }]),
    ...(verdict === null ? [] : [{ seq: verdict.seq, says: `${id} was found ${verdict.state}` }]),
  ];
}

function changesOfPlan({ contracts }: CoordinationState, plan: string | null): readonly Change[] {
  const contract = plan === null ? null : contractOf(contracts, plan);
  // A yes to another request only adds paths, so it takes nothing from what was shown of this one.
  const last = contract?.revisions.findLast(({ permit }) => permit === null);
  if (contract === null || last === undefined) return [];
  return [{ seq: last.seq, says: `contract ${contract.terms.planId} became revision ${last.revision}` }];
}

/** The entry that last changed something; 0: nothing is known. */
export function lastOf(changes: readonly Change[]): number {
  return Math.max(0, ...changes.map(({ seq }) => seq));
}

/** `changed-meanwhile`, with what was changed after the entry `ifSeq`; null: nothing was, or nobody asks (undefined). */
export function changedMeanwhile(changes: readonly Change[], ifSeq: number | undefined, path: string): Problem | null {
  const later = ifSeq === undefined ? [] : changes.filter(({ seq }) => seq > ifSeq).toSorted((a, b) => a.seq - b.seq);
  if (later.length === 0) return null;
  const said = later.map(({ seq, says }) => `${says} (entry ${seq})`).join("; ");
  return makeProblem("changed-meanwhile", path, `It is not as it was at entry ${ifSeq}: ${said}.`, {
    expected: `nothing after entry ${ifSeq}`,
    received: `entry ${lastOf(later)}`,
    hint: "Look at it again, and decide anew.",
  });
}
