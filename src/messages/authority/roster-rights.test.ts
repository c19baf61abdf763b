/** Which places a lead gives and takes; of all roles, by operation: tests/authority/operations.test.ts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { rosterProblem, type TeamPlace } from "./roster-rights.ts";

const backendLead = { agent: "lead-1", role: "lead", department: "backend", via: "launcher" } as const;
const lead = { agent: "lead-1", role: "lead", via: "launcher" } as const;

const cases: readonly (readonly [
  name: string,
  by: typeof lead | typeof backendLead,
  places: readonly TeamPlace[],
  isAllowed: boolean,
])[] = [
  ["its own department", backendLead, [{ role: "dev", department: "backend" }], true],
  ["another department", backendLead, [{ role: "dev", department: "frontend" }], false],
  ["no department, which no wall keeps apart", backendLead, [{ role: "dev" }], false],
  ["an adviser that all departments share", backendLead, [{ role: "critic", department: "shared" }], false],
  ["a team without departments", lead, [{ role: "dev" }], true],
  ["an agent of a department, by a lead of none", lead, [{ role: "dev", department: "backend" }], false],
  ["a name that was an architect before", lead, [{ role: "dev" }, { role: "architect" }], false],
  [
    "a name that was another department's before",
    backendLead,
    [
      { role: "dev", department: "backend" },
      { role: "dev", department: "uiux" },
    ],
    false,
  ],
];
for (const [name, by, places, isAllowed] of cases) {
  test(`${isAllowed ? "a lead registers" : "a lead does not register"}: ${name}`, () => {
    assert.equal(rosterProblem(by, "new-1", places) === null, isAllowed);
  });
}
