/**
 * A plan's summary as it is shown: what was computed, with what its contract and its tasks add to it.
 * Source: docs/protocol/verdicts.md; docs/protocol/tasks.md, section 8.
 */

import { holding } from "../artifacts/artifact-state.ts";
import { type Contracts, contractOf } from "../contracts/contracts.ts";
import { isSummarised, planSummary } from "./plan-summary.ts";
import { planKey } from "./work-ids.ts";
import { isDone, isUnverified, type PlanSummary, refutedAmong, type Task, type Work } from "./work-state.ts";

/** A plan's summary, with what people want to know beside it. */
export interface PlanSummaryView extends PlanSummary {
  /** What the contract says the plan is for; null: it has none. */
  readonly objective: string | null;
  /** What was built: titles of the tasks that are done, ids where they have none. */
  readonly built: readonly string[];
  /** What the reports say shows that it works, each once. */
  readonly evidence: readonly string[];
  /** Must-haves of the contract for which no report names evidence. */
  readonly unproven: readonly string[];
  /** Tasks that are reported as complete and that the repository has not confirmed, or cannot. */
  readonly unverified: readonly string[];
  /** Tasks that the repository does not bear out; they hold the plan. */
  readonly disputed: readonly string[];
  /** Tasks that were verified, and whose work is not there any more; they hold it too. */
  readonly stale: readonly string[];
  /** Artifacts, as messages name them, that the repository does not bear out; they hold it as well. */
  readonly disputedArtifacts: readonly string[];
  /** Seq of the entry that recorded it; null: not all tasks are done, or something changed since. */
  readonly seq: number | null;
}

/** The summary of a plan as it stands, however its id is spelled; null: it has no tasks. */
export function summaryViewOf(
  state: { readonly work: Work; readonly contracts: Contracts },
  planId: string,
): PlanSummaryView | null {
  const { work } = state;
  const summary = planSummary(work, planId);
  const plan = work.plans.get(planKey(planId));
  if (summary === null || plan === undefined) return null;
  const tasks = [...plan.tasks.keys()].flatMap((key) => work.tasks.get(key) ?? []);
  const done = tasks.filter(isDone);
  const evidence = evidenceOf(done);
  const terms = contractOf(state.contracts, planId)?.terms;
  return {
    ...summary,
    objective: terms?.objective ?? null,
    built: done.map(({ title, task }) => title ?? task),
    evidence,
    unproven: withoutEvidence(terms?.mustHaves ?? [], evidence),
    unverified: tasks.filter(isUnverified).map(({ task }) => task),
    ...refutedAmong(tasks),
    disputedArtifacts: holding(work.artifacts, plan.key).flatMap(({ artifacts }) => artifacts),
    seq: isSummarised(work, plan) ? (plan.recorded?.seq ?? null) : null,
  };
}

/**
 * The must-haves that evidence does not cover. Any evidence covers all of them, unless it names some: then those that it
 * does not name are left.
 */
export function withoutEvidence(mustHaves: readonly string[], evidence: readonly string[]): readonly string[] {
  const said = evidence.map((each) => each.toLowerCase()).filter((each) => each.trim() !== "");
  if (said.length === 0) return mustHaves;
  const isNamed = (mustHave: string) => said.some((each) => each.includes(mustHave.trim().toLowerCase()));
  const unnamed = mustHaves.filter((mustHave) => !isNamed(mustHave));
  return unnamed.length === mustHaves.length ? [] : unnamed;
}

function evidenceOf(tasks: readonly Task[]): readonly string[] {
  const said = tasks
    .flatMap(({ report }) => report ?? [])
    .toSorted((a, b) => a.seq - b.seq)
    .flatMap(({ evidence }) => (evidence === null || evidence.trim() === "" ? [] : [evidence]));
  return [...new Set(said)];
}
