/**
 * What is found wrong with a phase after it was shipped, until the person is notified: each failed security audit, and
 * the first disputed work of a phase that had none. Reported once, in a separate entry. Rules:
 * docs/protocol/verdicts.md, section 3.
 */
import { ok } from "../../base/result.ts";
import { holdingPhase } from "../../evidence/state.ts";
import { phaseKey } from "../../messages/task-ids.ts";
import type { Decider } from "../../perform/decider.ts";
import type { WorkEvent } from "../../tasks/state/task-events.ts";
import type { DepartmentEvent } from "../decide/departments.ts";
import type { PhaseEvent } from "../decide/phase.ts";
import { type PhaseSources, plansOf } from "../decide/phase-facts.ts";
import type { QualityEvent } from "../decide/quality.ts";
import type { ReviewEvent } from "../state/review-state.ts";

/** One finding. */
export interface ShippedFinding {
  /** The phases that were shipped and that it is about, as first written. */
  readonly phases: readonly string[];
  /** In words. */
  readonly what: string;
  /** The entry that it was found in. */
  readonly seq: number;
}

export interface ShippedFindings {
  /** Those that were not reported to the person yet, by the entry that found each. */
  readonly untold: Map<string, ShippedFinding>;
}

/** Orders about findings. */
export type FindingCommand =
  | { readonly command: "note-finding"; readonly finding: ShippedFinding }
  | { readonly command: "tell-finding" };

/** What can happen to them. */
export type FindingEvent =
  | { readonly event: "shipped-finding-noted"; readonly finding: ShippedFinding }
  | { readonly event: "shipped-finding-told"; readonly seq: number };

/** Refuses nothing. Each finding is reported once, the oldest first. */
export const findings: Decider<ShippedFindings, FindingCommand, FindingEvent> = {
  name: "findings",
  initial: () => ({ untold: new Map() }),
  decide(command, state) {
    if (command.command === "note-finding") {
      const { finding } = command;
      const isKnown = state.untold.has(String(finding.seq));
      return ok({ events: isKnown ? [] : [{ event: "shipped-finding-noted", finding }], notes: [] });
    }
    const [finding] = state.untold.values();
    return ok({
      events: finding === undefined ? [] : [{ event: "shipped-finding-told", seq: finding.seq }],
      notes: [],
    });
  },
  evolve(state, event) {
    if (event.event === "shipped-finding-noted") state.untold.set(String(event.finding.seq), event.finding);
    else state.untold.delete(String(event.seq));
    return state;
  },
};

/** Whether the person has to be notified of a finding. */
export function isFindingUntold({ untold }: ShippedFindings): boolean {
  return untold.size > 0;
}

/** The finding that these events of the entry `seq` bring; none: no shipped phase is worse by them than it was. */
export function foundBy(sources: PhaseSources, events: readonly Event[], seq: number): readonly FindingEvent[] {
  const found = events.flatMap((event) => findingIn(sources, event) ?? []);
  const [first] = found;
  if (first === undefined) return [];
  const finding = {
    phases: [...new Set(found.flatMap(({ phases }) => phases))],
    what: found.map(({ what }) => what).join("; "),
    seq,
  };
  return [{ event: "shipped-finding-noted", finding }];
}

type Event = QualityEvent | WorkEvent | PhaseEvent | ReviewEvent | DepartmentEvent;

function findingIn(sources: PhaseSources, event: Event): Pick<ShippedFinding, "phases" | "what"> | null {
  if (event.event === "security-stopped") {
    const { part, by, seq } = event.stop;
    const keys = part === null ? [...sources.departments.phases.keys()] : [part.phase];
    return aboutShipped(sources, keys, `the security audit of entry ${seq} by ${by} failed`);
  }
  if (event.event === "task-reported" && event.withdraws !== undefined) {
    const phase = event.plan === null ? null : (sources.phases.plans.get(event.plan)?.phase ?? null);
    return ifClean(sources, phase, `${event.reporter} took its report of ${event.task} back`);
  }
  if (event.event === "task-disputed" || event.event === "task-gone" || event.event === "task-stale") {
    const task = sources.work.tasks.get(event.key);
    const plan = task?.plan ?? null;
    const phase = plan === null ? null : (sources.phases.plans.get(plan)?.phase ?? null);
    const how = event.event !== "task-disputed" ? "is gone" : "is disputed";
    return ifClean(sources, phase, `${task?.task ?? event.key} ${how}`);
  }
  if (event.event !== "artifacts-disputed") return null;
  const record = sources.work.artifacts.records.get(String(event.message));
  if (record === undefined) return null;
  const phase = record.plan === null ? phaseKey(record.phase) : sources.phases.plans.get(record.plan)?.phase;
  return ifClean(sources, phase ?? null, `${record.type} of entry ${record.seq} is disputed`);
}

/** Disputed work counts where the phase had none: what comes while the person knows of it is in the phase. */
function ifClean(
  sources: PhaseSources,
  phase: string | null,
  what: string,
): Pick<ShippedFinding, "phases" | "what"> | null {
  if (phase === null) return null;
  const found = aboutShipped(sources, [phase], what);
  if (found === null || holdingPhase(sources.work.artifacts, phase).length > 0) return null;
  const plans = plansOf(sources, { phase, department: null }, { active: [] });
  return plans.every(({ disputed }) => disputed.length === 0) ? found : null;
}

function aboutShipped(
  { departments, phases }: PhaseSources,
  keys: readonly string[],
  what: string,
): Pick<ShippedFinding, "phases" | "what"> | null {
  const shipped = keys.filter((key) => departments.phases.get(key)?.signoff?.decision === "SHIP");
  return shipped.length === 0 ? null : { phases: shipped.map((key) => phases.names.get(key) ?? key), what };
}
