/**
 * How far a part of a phase is, in numbers: plans, percent, and when it may be done by the median time of its finished
 * plans; and where a lead tells something else.
 * Source: docs/protocol/phases.md.
 */
import { timestampOf } from "../../base/clock.ts";
import type { PlanFacts } from "../decide/phase-facts.ts";
import type { ReportedProgress } from "../state/phase-state.ts";

/** Numbers of a part. */
export interface PartProgress {
  readonly plansComplete: number;
  readonly plansTotal: number;
  /** Whole percent, rounded down. */
  readonly percentComplete: number;
  /** Tasks that are reported as complete and that the repository has not confirmed, or cannot. */
  readonly unverified: number;
  /** When its plans may be done, RFC 3339; null: no plan is finished yet, or all are. */
  readonly eta: string | null;
}

/** The numbers of these plans at a time. */
export function progressOf(plans: readonly PlanFacts[], nowMs: number): PartProgress {
  const plansComplete = plans.filter(({ isSummarised }) => isSummarised).length;
  const plansTotal = plans.length;
  const etaMs = etaOf(plans, nowMs);
  return {
    plansComplete,
    plansTotal,
    percentComplete: plansTotal === 0 ? 0 : Math.floor((100 * plansComplete) / plansTotal),
    unverified: plans.reduce((sum, { unverified }) => sum + unverified.length, 0),
    eta: etaMs === null ? null : timestampOf(etaMs),
  };
}

/**
 * Plans under way end a median after they began, late ones now; those that wait follow them, as many at a time as are under
 * way.
 */
function etaOf(plans: readonly PlanFacts[], nowMs: number): number | null {
  const median = medianOf(plans.flatMap((plan) => timeOf(plan) ?? []));
  const left = plans.filter(({ isSummarised }) => !isSummarised);
  if (median === null || left.length === 0) return null;
  const running = left.flatMap(({ startedAtMs }) => startedAtMs ?? []);
  const ends = Math.max(nowMs, ...running.map((startedAtMs) => startedAtMs + median));
  const rounds = Math.ceil((left.length - running.length) / Math.max(1, running.length));
  return ends + rounds * median;
}

/** How long a finished plan took; null: that is not known. */
function timeOf({ isSummarised, isFromFolder, startedAtMs, finishedAtMs }: PlanFacts): number | null {
  if (!isSummarised || isFromFolder || startedAtMs === null || finishedAtMs === null) return null;
  return Math.max(0, finishedAtMs - startedAtMs);
}

function medianOf(times: readonly number[]): number | null {
  const sorted = times.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [low, high] = [sorted[sorted.length % 2 === 1 ? middle : middle - 1], sorted[middle]];
  return low === undefined || high === undefined ? null : Math.round((low + high) / 2);
}

/** Where what a lead told differs from what is computed, a line each. */
export function progressDifferences(
  told: ReportedProgress,
  { plansComplete, plansTotal, percentComplete }: PartProgress,
  computed: { readonly step: string; readonly blockers: number },
): readonly string[] {
  const differs = (name: string, said: number | string, is: number | string) =>
    said === is ? [] : [`${name} ${said} is reported, ${is} is computed`];
  return [
    ...differs("step", told.step, computed.step),
    ...differs("plans complete", told.plansComplete, plansComplete),
    ...differs("plans in all", told.plansTotal, plansTotal),
    ...differs("percent", told.percentComplete, percentComplete),
    ...differs("blockers", told.blockers.length, computed.blockers),
  ];
}
