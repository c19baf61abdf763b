/** Phases of a hub's team: the calls, and how their answers must look for the client to take them. */
import { ok } from "../../base/result.ts";
import type {
  ApiStep,
  DepartmentResult,
  DesignHandoff,
  OwnerReview,
  Signoff,
} from "../../coordination/department-state.ts";
import { type Condition, type StepView, stepStates } from "../../coordination/phase-conditions.ts";
import type { Part } from "../../coordination/phase-ids.ts";
import { type PhasePartView, type PhasePlan, partStandings } from "../../coordination/phase-part-view.ts";
import type { Critique, ToldProgress } from "../../coordination/phase-state.ts";
import { phaseSteps } from "../../coordination/phase-steps.ts";
import type { ExcludedDepartment, PhaseApi, PhaseGlance, PhaseView } from "../../coordination/phase-view.ts";
import {
  type Audit,
  type CodeVerdict,
  type SecurityStop,
  tiers,
  type Verdict,
} from "../../coordination/quality-state.ts";
import type { MustFix } from "../../coordination/review-state.ts";
import { workDepartments } from "../../message/role.ts";
import type { Team } from "../../runtime/team.ts";
import { count, flag, list, nullable, object, oneOf, optional, recordOfAll, type Shape, text } from "./client-shape.ts";
import type { Calls } from "./client-shutdowns.ts";

const department = oneOf(workDepartments);
const result = oneOf(["PASS", "FAIL", "PARTIAL"]);
const audited = oneOf(["PASS", "FAIL", "WARN"]);
const said = { by: text, seq: count };
const numbers = {
  plansComplete: count,
  plansTotal: count,
  percentComplete: count,
  unverified: count,
  eta: nullable(text),
};
const percent: Shape<number> = (value): value is number => typeof value === "number";

const condition = object<Condition>({ condition: text, met: flag, says: text });
const step = object<StepView>({
  step: oneOf(phaseSteps),
  state: oneOf(stepStates),
  reason: nullable(text),
  skippedBy: nullable(text),
  entry: list(condition),
  exit: list(condition),
});
const mustFix = object<MustFix>({
  at: text,
  file: text,
  line: count,
  issue: nullable(text),
  reviewed: nullable(text),
  cycle: count,
  seq: count,
  state: oneOf(["open", "reported", "touched", "untouched"]),
  commit: nullable(text),
  askedBy: optional(text),
  claimedBy: optional(text),
  claimedAt: optional(count),
  untouchedAt: optional(count),
});
const plan = object<PhasePlan>({
  plan: text,
  tasksDone: count,
  tasksTotal: count,
  isComplete: flag,
  isSpecified: flag,
  allRed: nullable(flag),
  reviewCycle: count,
  review: nullable(oneOf(["changes-requested", "fix-reported", "approved"])),
  mustFix: list(mustFix),
  unverified: list(text),
  disputed: list(text),
  stale: list(text),
});
const critique = object<Critique>({
  ...said,
  findings: count,
  critical: count,
  major: count,
  minor: count,
  categories: list(text),
  artifact: nullable(text),
  committed: flag,
});
const verdict = object<Verdict>({
  ...said,
  tier: oneOf(tiers),
  result,
  passed: count,
  failed: count,
  total: count,
  failures: list(text),
});
const codeVerdict = object<CodeVerdict>({
  ...said,
  result,
  passed: count,
  failed: count,
  skipped: count,
  lintErrors: count,
  critical: count,
});
const audit = object<Audit>({ ...said, result: audited, findings: count, critical: count, categories: list(text) });
const stop = object<SecurityStop>({
  ...said,
  stop: text,
  part: nullable(object<Part>({ phase: text, name: text, department: nullable(department) })),
  findings: count,
  critical: count,
  lifted: nullable(object<NonNullable<SecurityStop["lifted"]>>({ ...said, reason: text })),
});
const departmentResult = object<DepartmentResult>({
  ...said,
  result,
  plansCompleted: count,
  plansTotal: count,
  qaResult: result,
  securityResult: audited,
  tddCoverage: text,
});
const told = object<ToldProgress>({
  ...said,
  step: text,
  plansComplete: count,
  plansTotal: count,
  percentComplete: percent,
  blockers: list(text),
  eta: text,
});
const part = object<PhasePartView>({
  department: nullable(department),
  standing: oneOf(partStandings),
  step: nullable(oneOf(phaseSteps)),
  ...numbers,
  steps: list(step),
  blockers: list(text),
  plans: list(plan),
  critique: nullable(critique),
  verdict: nullable(verdict),
  codeVerdict: nullable(codeVerdict),
  remediation: count,
  audit: nullable(audit),
  stops: list(stop),
  result: nullable(departmentResult),
  told: nullable(told),
  differences: list(text),
});
const review = object<OwnerReview>({
  ...said,
  needed: list(department),
  order: list(department),
  priorities: list(text),
  risks: list(text),
});
const handoff = object<DesignHandoff>({
  ...said,
  status: oneOf(["complete", "partial", "failed"]),
  ready: list(text),
  deferred: list(text),
  acceptanceCriteria: list(text),
  artifacts: recordOfAll(text),
});
const apiStep = object<ApiStep>({
  ...said,
  department,
  word: oneOf(["proposed", "counter-proposed", "agreed", "implemented"]),
  hash: text,
  differences: list(text),
});
const api = object<PhaseApi>({
  standing: oneOf(["proposed", "agreed", "implemented", "disputed"]),
  proposer: department,
  hash: text,
  endpoints: list(text),
  counters: count,
  steps: list(apiStep),
});
const signoff = object<Signoff>({
  ...said,
  decision: oneOf(["SHIP", "HOLD"]),
  approved: list(department),
  integrationQa: result,
  notes: text,
});

const excluded = object<ExcludedDepartment>({ ...said, department, reason: text, result: nullable(result) });

const phases = object<{ phases: readonly PhaseView[] }>({
  phases: list(
    object<PhaseView>({
      phase: text,
      ...numbers,
      departments: list(part),
      review: nullable(review),
      waves: list(list(department)),
      handoff: nullable(handoff),
      api: nullable(api),
      signoff: nullable(signoff),
      excluded: list(excluded),
      missing: nullable(list(text)),
      unconfirmed: list(text),
    }),
  ),
});

export const phaseGlance = object<PhaseGlance>({
  phase: text,
  department: nullable(department),
  standing: oneOf(partStandings),
  step: nullable(oneOf(phaseSteps)),
  ...numbers,
  blockers: list(text),
});

/** Phases and the acts on them, by these calls. */
export function remotePhases({
  at,
  act,
  read,
}: Calls): Pick<Team, "phases" | "skipStep" | "endPhase" | "excludeDepartment" | "liftStop"> {
  return {
    async phases({ phase } = {}) {
      const query = phase === undefined ? {} : { phase };
      const found = await read({ method: "GET", path: at("phase"), query, shape: phases });
      return found.ok ? ok(found.value.phases) : found;
    },
    skipStep: (skipped, options = {}) => act(at("phase", "skip"), skipped, options.id),
    endPhase: (asked, options = {}) => act(at("phase", "end"), asked, options.id),
    excludeDepartment: (excluded, options = {}) => act(at("phase", "exclude"), excluded, options.id),
    liftStop: (lifted, options = {}) => act(at("phase", "lift"), lifted, options.id),
  };
}
