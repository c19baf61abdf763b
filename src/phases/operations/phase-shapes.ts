/** What the operations on phases show. */
import { z } from "zod";
import { workDepartments } from "../../messages/role.ts";
import { shapeOf } from "../../perform/operations/define.ts";
import { phaseSteps } from "../state/phase-state.ts";
import { tiers } from "../state/review-state.ts";
import { stepStates } from "../view/phase-conditions.ts";
import { partStatuses } from "../view/phase-part-view.ts";
import type { PhaseGlance, PhaseView } from "../view/phase-view.ts";

const seq = z.int().min(0);
const count = z.int().min(0);
const texts = z.array(z.string());
const text = z.string();
const department = z.enum(workDepartments);
const said = { by: text.describe("the agent that said it"), seq };
const result = z.enum(["PASS", "FAIL", "PARTIAL"]);
const audited = z.enum(["PASS", "FAIL", "WARN"]);

const numbers = {
  plansComplete: count,
  plansTotal: count,
  percentComplete: z.int().min(0).max(100).describe("rounded down"),
  unverified: count.describe("tasks that are reported and not, or not yet, confirmed by the repository"),
  eta: text.nullable().describe("by the median time of finished plans, RFC 3339; null: none is finished, or all are"),
};

const condition = z.object({ condition: text, met: z.boolean(), says: text });

const step = z.object({
  step: z.enum(phaseSteps),
  state: z.enum(stepStates),
  reason: text.nullable().describe("why it is skipped"),
  skippedBy: text.nullable(),
  entry: z.array(condition),
  exit: z.array(condition),
});

const mustFix = z.object({
  at: text,
  file: text,
  line: count,
  issue: text.nullable(),
  reviewed: text.nullable().describe("the commit by which its lines are counted"),
  cycle: count,
  seq,
  state: z.enum(["open", "reported", "touched", "untouched"]),
  commit: text.nullable(),
  askedBy: text.optional(),
  claimedBy: text.optional().describe("who reported it as fixed last"),
  claimedAt: seq.optional(),
  untouchedAt: seq.optional().describe("the entry that found it untouched, and told both"),
});

const plan = z.object({
  plan: text,
  tasksDone: count,
  tasksTotal: count,
  isComplete: z.boolean(),
  isSpecified: z.boolean(),
  allRed: z.boolean().nullable().describe("whether all its tests failed before its code; null: nobody said"),
  reviewCycle: count,
  review: z.enum(["changes-requested", "fix-reported", "approved"]).nullable(),
  mustFix: z.array(mustFix),
  unverified: texts.describe("tasks that are reported and not, or not yet, confirmed by the repository"),
  disputed: texts,
  gone: texts.describe("tasks that were verified, and whose work is not there any more"),
});

const critique = z.object({
  ...said,
  findings: count,
  critical: count,
  major: count,
  minor: count,
  categories: texts,
  artifact: text.nullable(),
  committed: z.boolean().describe("false: it is the lead's to commit"),
});

const verdict = z.object({
  ...said,
  task: text.optional().describe("absent: the whole part"),
  tier: z.enum(tiers),
  result,
  passed: count,
  failed: count,
  total: count,
  failures: texts,
});

const codeVerdict = z.object({
  ...said,
  result,
  passed: count,
  failed: count,
  skipped: count,
  lintErrors: count,
  critical: count,
});

const stop = z.object({
  ...said,
  stop: text,
  part: z.object({ phase: text, name: text, department: department.nullable() }).nullable(),
  findings: count,
  critical: count,
  lifted: z.object({ ...said, reason: text }).nullable(),
});

const departmentResult = z.object({
  ...said,
  result,
  plansCompleted: count,
  plansTotal: count,
  qaResult: result,
  securityResult: z.enum([...audited.options, "NOT_RUN"]),
  tddCoverage: text,
});

const told = z.object({
  ...said,
  step: text,
  plansComplete: count,
  plansTotal: count,
  percentComplete: z.number(),
  blockers: texts,
  eta: text,
});

const part = z.object({
  department: department.nullable().describe("null: the team has no departments at work"),
  status: z.enum(partStatuses),
  hasFindings: z.boolean().describe("something was found wrong, and the phase was shipped or ended before"),
  step: z.enum(phaseSteps).nullable().describe("the first that is neither done nor skipped"),
  ...numbers,
  steps: z.array(step),
  blockers: texts,
  plans: z.array(plan),
  critique: critique.nullable(),
  verdict: verdict.nullable(),
  codeVerdict: codeVerdict.nullable(),
  remediation: count,
  audit: z.object({ ...said, result: audited, findings: count, critical: count, categories: texts }).nullable(),
  stops: z.array(stop).describe("open failed security audits"),
  result: departmentResult.nullable(),
  told: told.nullable().describe("what its lead last told"),
  differences: texts.describe("where that differs from what is computed"),
});

const apiStep = z.object({
  ...said,
  department,
  word: z.enum(["proposed", "counter-proposed", "agreed", "implemented"]),
  hash: text,
  differences: texts,
});

const api = z.object({
  status: z.enum(["proposed", "agreed", "implemented", "disputed"]),
  proposer: department,
  hash: text,
  endpoints: texts,
  counters: count,
  steps: z.array(apiStep),
});

export const phaseShape = shapeOf<PhaseView>()(
  z
    .object({
      phase: text,
      ...numbers,
      departments: z.array(part),
      review: z
        .object({ ...said, needed: z.array(department), order: z.array(department), priorities: texts, risks: texts })
        .nullable(),
      waves: z.array(z.array(department)).describe("departments that start together"),
      handoff: z
        .object({
          ...said,
          status: z.enum(["complete", "partial", "failed"]),
          ready: texts,
          deferred: texts,
          acceptanceCriteria: texts,
          artifacts: z.record(z.string(), text),
        })
        .nullable(),
      api: api.nullable().describe("the contract of the newest word"),
      apis: z.array(api),
      signoff: z
        .object({
          ...said,
          decision: z.enum(["SHIP", "HOLD"]),
          approved: z.array(department),
          integrationQa: z.enum([...result.options, "NOT_RUN"]),
          notes: text,
        })
        .nullable(),
      excluded: z
        .array(
          z.object({ ...said, department, reason: text, result: result.nullable().describe("what it had reported") }),
        )
        .describe("departments that the person left out"),
      unconfirmed: texts.describe("what departments say of it and the record does not confirm"),
      missing: texts
        .nullable()
        .describe("what a SHIP would be refused for; null: the phase is not the owner's to ship"),
    })
    .meta({ id: "Phase" }),
);

export const phaseGlanceShape = shapeOf<PhaseGlance>()(
  z.object({
    phase: text,
    department: department.nullable(),
    status: z.enum(partStatuses),
    hasFindings: z.boolean(),
    step: z.enum(phaseSteps).nullable(),
    steps: z.array(z.object({ step: z.enum(phaseSteps), state: z.enum(stepStates) })),
    ...numbers,
    blockers: texts,
  }),
);
