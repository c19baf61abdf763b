import assert from "node:assert/strict";
import { test } from "node:test";
import type { WorkDepartment } from "../../messages/role.ts";
import { initialCoordination } from "../../perform/deciders.ts";
import { factsOf, type PartFacts } from "../decide/phase-facts.ts";
import { departmentsOf } from "../state/phase-state.ts";
import { reviewOf } from "../state/review-state.ts";
import { partView } from "./phase-part-view.ts";
import { phaseViewOf } from "./phase-view.ts";

const setting = { kinds: [], roles: [], active: [] };
const facts = factsOf(initialCoordination(), { phase: "1", name: "01", department: null }, setting);
const signoff = { decision: "SHIP", approved: [], integrationQa: "PASS", notes: "", by: "owner-1", seq: 9 } as const;
const shipped: PartFacts = { ...facts, company: { ...facts.company, signoff } };
const plan = {
  plan: "1-1",
  phase: "1",
  department: null,
  workers: ["dev-1"],
  startedAtMs: 0,
  finishedAtMs: null,
  key: "1-1",
  isSummarised: true,
  tasksDone: 1,
  unverified: [],
  tasksTotal: 1,
  lastReport: 5,
  gone: [],
  disputed: [],
  withdrawn: [],
  isFromFolder: false,
  review: reviewOf(initialCoordination().reviews, "1-1"),
};
const stop = { stop: "12", part: null, by: "security-1", seq: 12, findings: 1, critical: 1, lifted: null };

test("what is found after a phase was ended is shown with it", () => {
  const ended: PartFacts = { ...facts, part: { ...facts.part, ended: { by: "lead-1", seq: 9 } } };
  assert.equal(partView(ended, setting, 0).hasFindings, false);
  for (const [what, says] of [
    ["disputed", "1-1-T1 is disputed"],
    ["gone", "1-1-T1 is gone"],
    ["withdrawn", "the report of 1-1-T1 was taken back"],
  ] as const) {
    const view = partView({ ...ended, plans: [{ ...plan, [what]: ["1-1-T1"] }] }, setting, 0);
    assert.deepEqual([view.status, view.hasFindings, view.blockers], ["ended", true, [says]]);
    assert.equal(
      partView({ ...shipped, plans: [{ ...plan, [what]: ["1-1-T1"] }] }, setting, 0).status,
      "shipped-with-findings",
    );
  }
});

test("what is found after a phase was shipped is shown with it", () => {
  assert.equal(partView(shipped, setting, 0).status, "shipped");
  const found = partView({ ...shipped, stops: [stop] }, setting, 0);
  assert.equal(found.status, "shipped-with-findings");
  assert.match(found.blockers.join(), /security audit of entry 12 failed/);
});

test("when a phase may be done is not told from plans that came finished from a folder", () => {
  const finished = { ...plan, finishedAtMs: 1_000 };
  const open = { ...plan, key: "1-2", isSummarised: false, startedAtMs: null };
  const etaFrom = (isFromFolder: boolean) =>
    partView({ ...facts, plans: [{ ...finished, isFromFolder }, open] }, setting, 5_000).eta;
  assert.deepEqual([etaFrom(false), etaFrom(true)], ["1970-01-01T00:00:06.000Z", null]);
});

/** Phase 1 with a plan of each of these, after an owner's review that needs frontend alone. */
function reviewed(planned: readonly (WorkDepartment | null)[]) {
  const state = initialCoordination();
  state.phases.names.set("1", "01");
  const keys = planned.map((department, index) => [`1-${index + 1}`, department] as const);
  for (const [key, department] of keys) {
    const { startedAtMs, finishedAtMs, workers } = plan;
    state.phases.plans.set(key, { plan: key, phase: "1", department, workers, startedAtMs, finishedAtMs });
  }
  state.phases.plansIn.set("1", new Map(keys.map(([key]) => [key, true])));
  const review = {
    needed: ["frontend"],
    order: ["frontend"],
    priorities: [],
    risks: [],
    by: "owner-1",
    seq: 3,
  } as const;
  state.departments.phases.set("1", { ...departmentsOf(state.departments, "1"), review });
  return state;
}

test("no plan vanishes from a phase: each is shown once, regardless of what the owner needs and of who is at work", () => {
  for (const active of [[], ["frontend", "uiux"], ["frontend", "backend"]] as const) {
    const view = phaseViewOf(
      reviewed(["backend", "frontend", null]),
      { ...setting, active },
      { phase: "1", name: "01" },
      0,
    );
    assert.deepEqual(
      view.departments.map(({ department, plans }) => [department, plans.map(({ plan }) => plan)]),
      [
        ["frontend", ["1-2"]],
        ["backend", ["1-1"]],
        [null, ["1-3"]],
      ],
      active.join(),
    );
    assert.equal(view.plansTotal, 3);
    assert.deepEqual(view.waves, [["frontend"]], "what is not needed starts in no wave");
  }
});
