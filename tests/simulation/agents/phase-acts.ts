/** What agents bring for the steps of a phase, what departments and the owner say of it, and what the person does. */
import type { JsonObject } from "../../../src/base/json.ts";
import type { Role } from "../../../src/messages/role.ts";
import type { Asked } from "./act.ts";
import type { Acting, Choice } from "./agent.ts";

const departments = ["backend", "frontend", "uiux"];

/** A message of yolo/1 in its own words; null: the team has no such messages. */
function tell({ agent, id }: Acting, type: string, fields: JsonObject): Asked | null {
  if (!agent.dialects.includes("yolo/1")) return null;
  return { do: "send", text: JSON.stringify({ type, ...fields }), id };
}

function somePlan({ models, chance }: Acting): string | null {
  const plans = [...models.work.tasks.values()].flatMap(({ plan }) => plan ?? []);
  return plans.length === 0 ? null : chance.pick(plans);
}

/** What a role brings for its step, again and again by chance. */
const bringing: { readonly [role in Role]?: (acting: Acting) => Asked | null } = {
  critic: (acting) =>
    tell(acting, "critique_result", { phase: "1", findings: 1, critical: 0, major: 0, minor: 1, categories: ["gap"] }),
  scout: (acting) => {
    const found = { query: "How?", finding: `So, ${acting.chance.below(9)}`, confidence: "high" };
    return tell(acting, "scout_findings", { phase: "1", domain: "quality", findings: [found] });
  },
  architect: (acting) => {
    const decision = { decision: `So, ${acting.chance.below(9)}`, rationale: "It is simulated", alternatives: [] };
    return tell(acting, "architecture_design", { phase: "1", decisions: [decision] });
  },
  senior: (acting) => {
    const plan = somePlan(acting);
    return plan === null ? null : tell(acting, "senior_spec", { plan_id: plan, tasks_enriched: 3 });
  },
  tester: (acting) => {
    const plan = somePlan(acting);
    const isRed = acting.chance.happens(0.8);
    const tests = { tasks_tested: 3, tasks_skipped: 0, total_tests: acting.chance.below(9) + 1, all_red: isRed };
    return plan === null ? null : tell(acting, "test_plan_result", { plan_id: plan, ...tests });
  },
  "qa-lead": (acting) => {
    const result = acting.chance.pick(["PASS", "PASS", "FAIL", "PARTIAL"]);
    return tell(acting, "qa_result", { tier: "standard", result, checks: { passed: 1, failed: 0, total: 1 } });
  },
  security: (acting) => {
    const result = acting.chance.pick(["PASS", "WARN", "FAIL", "FAIL"]);
    return tell(acting, "security_audit", {
      result,
      findings: acting.chance.below(9),
      critical: 0,
      categories: ["deps"],
    });
  },
};

/** Choices of those who bring something for a step. */
export function bringingChoices(role: Role): readonly Choice[] {
  const bring = bringing[role];
  return bring === undefined ? [] : [[4, bring]];
}

/** Choices of a lead. */
export const phaseLeadChoices: readonly Choice[] = [
  [14, reportDepartment],
  [3, skipStep],
  [3, endPhase],
  [3, liftStop],
];

/** Choices of an agent that has the owner's role. */
export const phaseOwnerChoices: readonly Choice[] = [
  [6, reviewPhase],
  [10, signOff],
];

/** Choices of the person. */
export const phasePersonChoices: readonly Choice[] = [
  ...phaseOwnerChoices,
  [1, excludeDepartment],
  [2, liftStop],
  [4, skipStep],
  [4, endPhase],
];

/** What only the person may do, tried by others. */
export const phaseLies: readonly Choice[] = [
  [2, excludeDepartment],
  [2, liftStop],
  [2, skipStep],
  [1, endPhase],
  [2, signOff],
];

function reportDepartment(acting: Acting): Asked | null {
  const { agent, chance } = acting;
  if (agent.department === undefined) return null;
  const department = chance.happens(0.9) ? agent.department : chance.pick(departments);
  return tell(acting, "department_result", {
    department,
    phase: "1",
    result: chance.pick(["PASS", "PASS", "PASS", "PARTIAL", "FAIL"]),
    plans_completed: 1,
    plans_total: 1,
    qa_result: "PASS",
    security_result: chance.pick(["PASS", "WARN", "PASS", "FAIL"]),
    tdd_coverage: "red_green",
  });
}

function reviewPhase(acting: Acting): Asked | null {
  const needed = departments.filter(() => acting.chance.happens(0.5));
  if (needed.length === 0) return null;
  return tell(acting, "owner_review", {
    phase: "1",
    departments_needed: needed,
    dispatch_order: needed,
    priorities: [`First, ${acting.chance.below(9)}`],
  });
}

function signOff(acting: Acting): Asked | null {
  const { chance } = acting;
  const approved = chance.happens(0.8) ? departments : departments.filter(() => chance.happens(0.6));
  return tell(acting, "owner_signoff", {
    phase: "1",
    decision: chance.happens(0.8) ? "SHIP" : "HOLD",
    departments_approved: approved,
    integration_qa: chance.happens(0.8) ? "PASS" : "FAIL",
    notes: `Decided, ${chance.below(9)}`,
  });
}

function excludeDepartment({ chance }: Acting): Asked {
  return { do: "exclude-department", department: chance.pick(departments), reason: "It is simulated" };
}

function liftStop({ chance, models }: Acting): Asked | null {
  const stops = [...models.phases.stops.keys()];
  return stops.length === 0 ? null : { do: "lift-stop", stop: chance.pick(stops), reason: "It is simulated" };
}

const skippable = "critique research architecture design_review test_authoring implementation code_review qa security";

/** Leaves out a step of a phase of which something was said; seldom one that is left out already. */
function skipStep({ chance, models }: Acting): Asked | null {
  const known = models.phases.phases.get("1");
  if (models.contracts.plans.size === 0 && known === undefined) return null;
  const open = skippable.split(" ").filter((step) => known?.skipped.has(`${step} `) !== true);
  const steps = open.length > 0 && chance.happens(0.95) ? open : ["qa"];
  return { do: "skip-step", step: chance.pick(steps), reason: "It is simulated" };
}

function endPhase({ models }: Acting): Asked | null {
  const known = models.phases.phases.get("1");
  return known === undefined || known.skipped.size < 3 ? null : { do: "end-phase" };
}
