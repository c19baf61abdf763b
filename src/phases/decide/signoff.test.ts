import assert from "node:assert/strict";
import { test } from "node:test";
import { type WorkDepartment, workDepartments } from "../../messages/role.ts";
import { given } from "../../testing/given.ts";
import type { DepartmentResult } from "../state/phase-state.ts";
import { type DepartmentCommand, type DepartmentEvent, departments, missingForSignoff } from "./departments.ts";

const outcomes = [null, "PASS", "PARTIAL", "FAIL"] as const;
const audits = ["PASS", "WARN", "FAIL"] as const;
const integrations = ["PASS", "PARTIAL", "FAIL"] as const;
const both = [true, false] as const;

function reported(
  department: WorkDepartment,
  result: "PASS" | "PARTIAL" | "FAIL",
  securityResult: (typeof audits)[number],
): DepartmentEvent {
  const kept: DepartmentResult = {
    by: `${department}-lead`,
    seq: 2,
    result,
    plansCompleted: 1,
    plansTotal: 1,
    qaResult: "PASS",
    securityResult,
    tddCoverage: "red_green",
  };
  return { event: "department-reported", phase: "1", department, result: kept };
}

interface Case {
  readonly decision: "SHIP" | "HOLD";
  readonly results: readonly (typeof outcomes)[number][];
  readonly audit: (typeof audits)[number];
  readonly approved: readonly WorkDepartment[];
  readonly integration: (typeof integrations)[number];
  readonly isStopped: boolean;
  readonly isDisputed: boolean;
}

function commandOf(
  { decision, approved, integration, isStopped, isDisputed }: Case,
  needed: readonly WorkDepartment[],
): DepartmentCommand {
  return {
    command: "sign-off",
    phase: "1",
    name: "01",
    signoff: { by: "owner-1", seq: 9, decision, approved, integrationQa: integration, notes: "" },
    readiness: {
      needed,
      stops: isStopped ? ["the security audit of entry 5 failed"] : [],
      disputed: isDisputed ? ["1-1-T1"] : [],
      gone: [],
      withdrawn: [],
    },
  };
}

function eventsOf({ results, audit }: Case): readonly DepartmentEvent[] {
  return workDepartments.flatMap((department, index) => {
    const result = results[index] ?? null;
    // One department's audit is enough to hold the whole.
    return result === null ? [] : [reported(department, result, index === 0 ? audit : "PASS")];
  });
}

/** The rule once more, in other words: nothing may be missing of what docs/protocol/phases.md, section 9, names. */
function mayShip({ results, audit, approved, integration, isStopped, isDisputed }: Case): boolean {
  if (results.some((result) => result !== "PASS")) return false;
  if (workDepartments.some((department) => !approved.includes(department))) return false;
  return integration === "PASS" && audit !== "FAIL" && !isStopped && !isDisputed;
}

function* cases(): Generator<Case> {
  const subsets = workDepartments.reduce<readonly (readonly WorkDepartment[])[]>(
    (found, department) => found.flatMap((each) => [each, [...each, department]]),
    [[]],
  );
  for (const decision of ["SHIP", "HOLD"] as const)
    for (const one of outcomes)
      for (const two of outcomes)
        for (const three of outcomes)
          for (const audit of audits)
            for (const approved of subsets)
              for (const integration of integrations)
                for (const isStopped of both)
                  for (const isDisputed of both)
                    yield { decision, results: [one, two, three], audit, approved, integration, isStopped, isDisputed };
}

test("SHIP is refused in every combination in which one of its preconditions is missing, and HOLD in none", () => {
  let [shipped, refused, held] = [0, 0, 0];
  for (const each of cases()) {
    let state = departments.initial();
    for (const event of eventsOf(each)) state = departments.evolve(state, event);
    const decided = departments.decide(commandOf(each, workDepartments), state);
    const isAllowed = each.decision === "HOLD" || mayShip(each);
    assert.equal(decided.ok, isAllowed, JSON.stringify(each));
    if (!decided.ok) {
      assert.ok(decided.error.every(({ code }) => code === "not-ready"));
      refused++;
    } else if (each.decision === "HOLD") held++;
    else shipped++;
  }
  // Of 64 results, 3 audits, 8 approvals, 3 integrations, stopped and disputed or not, two audits accept it.
  assert.deepEqual([shipped, refused, held], [2, 64 * 3 * 8 * 3 * 4 - 2, 64 * 3 * 8 * 3 * 4]);
});

const ready: Case = {
  decision: "SHIP",
  results: ["PASS", "PASS", "PASS"],
  audit: "WARN",
  approved: workDepartments,
  integration: "PASS",
  isStopped: false,
  isDisputed: false,
};

test("what is missing is named, each by itself", () => {
  const worst: Case = {
    ...ready,
    results: [null, "FAIL", "PASS"],
    approved: ["uiux"],
    integration: "FAIL",
    isStopped: true,
    isDisputed: true,
  };
  const problems = given(departments, eventsOf(worst)).when(commandOf(worst, workDepartments)).thenRefused("not-ready");
  assert.deepEqual(
    problems.map(({ message }) => message.replace("Phase 01 cannot ship: ", "")),
    [
      "backend has not reported.",
      "frontend did not pass.",
      "backend is not approved.",
      "frontend is not approved.",
      "the departments' work together did not pass.",
      "the security audit of entry 5 failed.",
      "1-1-T1 is disputed.",
    ],
  );
});

test("a department that the phase does not need holds nothing, and a phase that needs none does not ship", () => {
  const two: Case = { ...ready, results: ["PASS", null, "PASS"], approved: ["backend", "uiux"] };
  given(departments, eventsOf(two))
    .when(commandOf(two, ["backend", "uiux"]))
    .thenEvents([
      {
        event: "phase-signed-off",
        phase: "1",
        signoff: {
          by: "owner-1",
          seq: 9,
          decision: "SHIP",
          approved: ["backend", "uiux"],
          integrationQa: "PASS",
          notes: "",
        },
      },
    ]);
  given(departments, [])
    .when(commandOf({ ...ready, results: [] }, []))
    .thenRefused("not-ready");
});

test("what was shipped may be held again, and the same decision twice changes nothing", () => {
  const shipped = departments.decide(commandOf(ready, workDepartments), stateOf(eventsOf(ready)));
  assert.ok(shipped.ok);
  const before = [...eventsOf(ready), ...shipped.value.events];
  given(departments, before).when(commandOf(ready, workDepartments)).thenNothing("already-so");
  const hold = commandOf({ ...ready, decision: "HOLD", approved: [] }, workDepartments);
  given(departments, before)
    .when(hold)
    .thenEvents([
      {
        event: "phase-signed-off",
        phase: "1",
        signoff: { by: "owner-1", seq: 9, decision: "HOLD", approved: [], integrationQa: "PASS", notes: "" },
      },
    ]);
});

function stateOf(events: readonly DepartmentEvent[]) {
  return events.reduce((state, event) => departments.evolve(state, event), departments.initial());
}

test("a stop of the whole phase that is active in several departments is reported once", () => {
  const stop = "the security audit of entry 5 failed";
  const missing = missingForSignoff(
    { decision: "SHIP", approved: [], integrationQa: "PASS" },
    {
      phase: "1",
      needed: [],
      results: {},
      stops: [stop, stop],
      disputed: [],
      gone: ["1-1-T2"],
      withdrawn: ["1-1-T3"],
    },
  );
  assert.equal(missing.filter(({ message }) => message.includes(stop)).length, 1);
  assert.ok(missing.some(({ message }) => message.includes("1-1-T2 is gone")));
  assert.ok(missing.some(({ message }) => message.includes("the report of 1-1-T3 was taken back")));
});
