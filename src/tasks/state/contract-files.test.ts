import assert from "node:assert/strict";
import { test } from "node:test";
import type { ProblemCode } from "../../base/problem.ts";
import { contracts } from "../decide/contracts.ts";
import { checkFiles, type PlanFiles } from "./contract-files.ts";
import type { Contracts } from "./contract-terms.ts";

interface Terms {
  readonly planId?: string;
  readonly allowedPaths?: readonly string[];
  readonly forbiddenPaths?: readonly string[];
}

/** The state with one contract for each of these. */
function issued(...all: readonly Terms[]): Contracts {
  let state = contracts.initial();
  for (const [seq, terms] of all.entries()) {
    const body = {
      planId: "1-1",
      phaseId: "phase-1",
      objective: "Greet",
      tasks: [],
      allowedPaths: ["src/", "tests/greet.test.js"],
      forbiddenPaths: ["src/secrets/"],
      mustHaves: [],
      ...terms,
    };
    const decided = contracts.decide({ command: "issue-contract", body, issuedBy: "lead-1", seq }, state);
    assert.ok(decided.ok);
    for (const event of decided.value.events) state = contracts.evolve(state, event);
  }
  return state;
}

function check(state: Contracts, files: readonly string[], changes: Partial<PlanFiles> = {}) {
  return checkFiles(state, { planId: "1-1", taskId: "1-1-T1", files, reads: "paths", place: "$.files", ...changes });
}

function refused(state: Contracts, files: readonly string[], changes: Partial<PlanFiles> = {}) {
  const checked = check(state, files, changes);
  assert.ok(!checked.ok, `${files.slice(0, 3).join()} passed`);
  return checked.error;
}

function noted(state: Contracts, files: readonly string[], changes: Partial<PlanFiles> = {}) {
  const checked = check(state, files, changes);
  assert.ok(checked.ok, JSON.stringify(checked));
  return checked.value.map(({ code }) => code);
}

const paths: readonly (readonly [file: string, refusal: ProblemCode | ""])[] = [
  ["src/greet.js", ""],
  ["src/deep/er.js", ""],
  ["./src//greet.js", ""],
  ["tests/greet.test.js", ""],
  ["tests/greet.test.js/below", ""],
  ["tests/other.js", "outside-contract"],
  ["src/secrets/key", "outside-contract"],
  ["src/SECRETS/key", "outside-contract"],
  ["SRC/greet.js", "outside-contract"],
  ["srcs/greet.js", "outside-contract"],
  ["../src/greet.js", "invalid-path"],
  ["src/../../x", "invalid-path"],
  ["/src/greet.js", "invalid-path"],
  ["src\\greet.js", "invalid-path"],
  ["src/.git/config", "invalid-path"],
];

for (const [file, refusal] of paths) {
  test(`the changed file ${JSON.stringify(file)} is ${refusal === "" ? "inside the contract" : `refused as ${refusal}`}`, () => {
    const checked = check(issued({}), [file]);
    assert.equal(checked.ok ? "" : checked.error[0]?.code, refusal);
  });
}

const globs: Terms = { allowedPaths: ["src/", "tests/*.js", "docs/**"], forbiddenPaths: ["src/Secrets/"] };
const entries: readonly (readonly [entry: string, refusal: ProblemCode | ""])[] = [
  ["src/greet.js", ""],
  ["src", ""],
  ["src/", ""],
  ["src/a/**/*.js", ""],
  ["src/**", ""],
  ["docs", ""],
  ["docs/", ""],
  ["docs/guide/", ""],
  ["tests/greet.js", ""],
  ["tests/g*.js", ""],
  // A folder is claimed with all that is below it.
  ["tests/", "outside-contract"],
  ["tests", "outside-contract"],
  ["tests/*", "outside-contract"],
  ["**", "outside-contract"],
  ["*/greet.js", "outside-contract"],
  ["SRC/", "outside-contract"],
  // What is forbidden within it stays forbidden; what is nothing else is refused.
  ["src/secrets", "outside-contract"],
  ["src/SECRETS/", "outside-contract"],
  ["src/secrets/*.key", "outside-contract"],
  ["src/sECRETS/**", "outside-contract"],
  ["src/s*/key", ""],
  ["../src/", "invalid-glob"],
  ["/src/", "invalid-glob"],
  [".git/hooks/*", "invalid-glob"],
  ["src\\a", "invalid-glob"],
  ["", "invalid-glob"],
];

for (const [entry, refusal] of entries) {
  test(`the claimed entry ${JSON.stringify(entry)} is ${refusal === "" ? "inside the contract" : `refused as ${refusal}`}`, () => {
    const checked = check(issued(globs), [entry], { reads: "entries" });
    assert.equal(checked.ok ? "" : checked.error[0]?.code, refusal);
  });
}

test("one problem names all files outside, the plan and the allowed paths, in its place", () => {
  const problems = refused(issued({}), ["src/a", "docs/a", "src/secrets/b"]);
  assert.equal(problems.length, 1);
  assert.equal(problems[0]?.path, "$.files");
  assert.equal(problems[0].received, "docs/a, src/secrets/b");
  assert.match(problems[0].message, /plan 1-1 \(revision 1\)/);
  assert.equal(problems[0].expected, "files inside src/, tests/greet.test.js, none of src/secrets/");
});

test("files are judged by their plan's contract, however its id is spelled", () => {
  const two = issued({}, { planId: "1-2", allowedPaths: ["docs/"] });
  assert.deepEqual(noted(two, ["docs/a"], { planId: "01-02", taskId: "1-2-T1" }), []);
  assert.equal(refused(two, ["docs/a"], { planId: "phase-1-plan-1" })[0]?.code, "outside-contract");
});

test("a task's id that names another plan is noted", () => {
  assert.deepEqual(noted(issued({}), ["src/a"], { taskId: "2-1-T1" }), ["plan-mismatch"]);
});

test("without a contract files are unchecked and that is noted, but a malformed path is refused", () => {
  assert.deepEqual(noted(issued(), ["anything/at-all"]), ["no-contract"]);
  assert.deepEqual(noted(issued(), ["any/**"], { reads: "entries" }), ["no-contract"]);
  assert.deepEqual(noted(issued(), []), []);
  assert.equal(refused(issued(), ["../x"])[0]?.code, "invalid-path");
  assert.equal(refused(issued(), ["../x"], { reads: "entries" })[0]?.code, "invalid-glob");
});

test("an empty list of allowed paths allows nothing", () => {
  assert.equal(refused(issued({ allowedPaths: [] }), ["src/a"])[0]?.code, "outside-contract");
  assert.equal(refused(issued({ allowedPaths: [] }), ["src/"], { reads: "entries" })[0]?.code, "outside-contract");
});

test("a flood of errors is cut", () => {
  const many = Array.from({ length: 3_000 }, (_, index) => `docs/${index}`);
  const [problem, ...others] = refused(issued({}), many);
  assert.equal(others.length, 0);
  assert.match(problem?.received ?? "", /and 2980 more$/);
  const bad = Array.from({ length: 3_000 }, () => "..");
  assert.equal(refused(issued({}), bad).length, 20);
});
