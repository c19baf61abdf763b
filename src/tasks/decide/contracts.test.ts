import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { canonical, sha256 } from "../../base/canonical.ts";
import type { FactBodies } from "../../messages/fact-bodies.ts";
import { given } from "../../testing/given.ts";
import type { Contracts } from "../state/contract-terms.ts";
import { type ContractCommand, type ContractEvent, type ContractTerms, contractOf, contracts } from "./contracts.ts";

type Body = FactBodies["contract"];

function issue(changes: Partial<Body> = {}, seq = 1): ContractCommand {
  const body: Body = {
    planId: "1-1",
    phaseId: "phase-1",
    objective: "Greet people by name",
    tasks: ["1-1-T1"],
    allowedPaths: ["src/", "tests/greet.test.js"],
    mustHaves: ["It greets"],
    forbiddenPaths: ["src/secrets/"],
    ...changes,
  };
  return { command: "issue-contract", body, issuedBy: "lead-1", seq };
}

function stateAfter(...commands: readonly ContractCommand[]): Contracts {
  return after(...commands).reduce(contracts.evolve, contracts.initial());
}

/** The events that these commands bring about, one after the other; none may be refused. */
function after(...commands: readonly ContractCommand[]): readonly ContractEvent[] {
  const events: ContractEvent[] = [];
  let state = contracts.initial();
  for (const command of commands) {
    const decided = contracts.decide(command, state);
    assert.ok(decided.ok, JSON.stringify(decided));
    for (const event of decided.value.events) state = contracts.evolve(state, structuredClone(event));
    events.push(...decided.value.events);
  }
  return events;
}

function widen(paths: readonly string[], plan = "1-1"): ContractCommand {
  return { command: "widen-contract", plan, permit: "dev-1/ask-1", paths, issuedBy: "owner", seq: 9 };
}

function termsOf(body: Body): ContractTerms {
  return {
    forbiddenPaths: [],
    dependsOn: [],
    verificationChecks: [],
    tokenBudget: null,
    ...body,
  };
}

test("a plan's first contract is revision 1, with the SHA-256 of its terms as canonical JSON", () => {
  const command = issue({ tokenBudget: 50_000 });
  assert.ok(command.command === "issue-contract");
  const terms = termsOf(command.body);
  const hash = sha256(canonical({ ...terms }));
  const revision = { revision: 1, hash, previousHash: null, seq: 1, issuedBy: "lead-1", permit: null };
  const { state } = given(contracts, [])
    .when(command)
    .thenEvents([{ event: "contract-issued", plan: "1-1", terms, revision }]);
  assert.equal(contractOf(state, "phase-1-plan-1")?.terms.tokenBudget, 50_000);
  assert.equal(contractOf(state, "2-1"), null);
});

test("the same plan again, however its id is spelled, is the next revision and keeps both hashes", () => {
  const before = after(issue());
  const command = issue({ planId: "phase-01-plan-01", objective: "Greet people politely" }, 2);
  const decided = contracts.decide(command, before.reduce(contracts.evolve, contracts.initial()));
  assert.ok(decided.ok);
  const { state } = given(contracts, before).when(command).thenEvents(decided.value.events);
  const contract = contractOf(state, "1-1");
  assert.equal(contract?.revision, 2);
  assert.equal(contract.revisions.length, 2);
  assert.equal(contract.revisions[1]?.previousHash, contract.revisions[0]?.hash);
  assert.notEqual(contract.hash, contract.revisions[0]?.hash);
  assert.equal(contract.terms.planId, "1-1", "the id stays as first written");
});

test("the same content again changes nothing, in another spelling of the plan's id too", () => {
  given(contracts, after(issue())).when(issue({}, 2)).thenNothing("contract-unchanged");
  given(contracts, after(issue()))
    .when(issue({ planId: "01-01" }, 2))
    .thenNothing("contract-unchanged");
});

const revisions: readonly (readonly [what: string, changes: Partial<Body>, wider: boolean])[] = [
  ["other words", { objective: "Greet", mustHaves: [], tasks: [], tokenBudget: 9 }, false],
  ["less allowed", { allowedPaths: ["src/"] }, false],
  ["a part of what was allowed", { allowedPaths: ["src/greet/", "src/*.js"] }, false],
  ["nothing allowed", { allowedPaths: [] }, false],
  ["more forbidden", { forbiddenPaths: ["src/secrets/", "src/keys/"] }, false],
  ["a wider forbidden path", { forbiddenPaths: ["src/s*/"] }, false],
  ["no longer forbidden, and not allowed either", { allowedPaths: ["tests/greet.test.js"], forbiddenPaths: [] }, false],
  ["one path more", { allowedPaths: ["src/", "tests/greet.test.js", "docs/"] }, true],
  ["a folder instead of a file", { allowedPaths: ["src/", "tests/"] }, true],
  ["everything", { allowedPaths: ["**"] }, true],
  ["other case", { allowedPaths: ["SRC/"] }, true],
  ["no longer forbidden", { forbiddenPaths: [] }, true],
  ["a part of what was forbidden", { forbiddenPaths: ["src/secrets/a"] }, true],
];

for (const [what, changes, wider] of revisions) {
  test(`a revision with ${what} passes, ${wider ? "and says that it widens" : "without a note"}`, () => {
    const decided = contracts.decide(issue(changes, 2), stateAfter(issue()));
    assert.ok(decided.ok);
    assert.equal(decided.value.events.length, 1);
    const codes = decided.value.notes.map(({ code }) => code);
    assert.deepEqual(codes, wider ? ["contract-widened"] : []);
  });
}

test("paths that are allowed by an approval are the next revision, after the newest, and name the request", () => {
  const state = stateAfter(issue(), issue({ allowedPaths: ["src/"] }, 2), widen(["docs/", "src/a", "lib/*.js"]));
  const contract = contractOf(state, "1-1");
  assert.deepEqual(contract?.terms.allowedPaths, ["src/", "docs/", "lib/*.js"], "what is allowed is not added again");
  const { previousHash, hash, ...revision } = contract.revisions[2] ?? {};
  assert.deepEqual(revision, { revision: 3, seq: 9, issuedBy: "owner", permit: "dev-1/ask-1" });
  assert.equal(previousHash, contract.revisions[1]?.hash);
  assert.equal(hash, sha256(canonical({ ...contract.terms })));
});

const widenings: readonly (readonly [paths: readonly string[], says: string])[] = [
  [["docs/"], "The contract of plan 1-1 allows docs/ (revision 2)."],
  [["src/a"], "The contract of plan 1-1 stays as it is."],
  [
    ["docs/", "src/secrets/key"],
    "The contract of plan 1-1 allows docs/ (revision 2). It still forbids src/secrets/key.",
  ],
  [["src/secrets/"], "The contract of plan 1-1 stays as it is. It still forbids src/secrets/."],
  [["docs/", "../x"], "The contract of plan 1-1 allows docs/ (revision 2). No contract can allow ../x."],
  [[".baton/team.yaml"], "The contract of plan 1-1 stays as it is. No contract can allow .baton/team.yaml."],
];

for (const [paths, says] of widenings) {
  test(`allowing ${paths.join(" and ")}: ${says}`, () => {
    const decided = contracts.decide(widen(paths), stateAfter(issue()));
    assert.ok(decided.ok);
    assert.deepEqual(
      decided.value.notes.map(({ message }) => message),
      [says],
    );
    assert.equal(decided.value.events.length, says.includes("allows") ? 1 : 0);
  });
}

test("a plan without a contract keeps nothing out, so nothing is widened", () => {
  given(contracts, after(issue()))
    .when(widen(["docs/"], "1-2"))
    .thenNothing("no-contract");
});

test("entries that cannot be globs are refused with their place", () => {
  const problems = given(contracts, [])
    .when(issue({ allowedPaths: ["src/", "../x", "/etc"], forbiddenPaths: [".git/"] }))
    .thenRefused("invalid-glob");
  assert.deepEqual(
    problems.map(({ path }) => path),
    ["$.body.allowedPaths[1]", "$.body.allowedPaths[2]", "$.body.forbiddenPaths[0]"],
  );
});

const seed = 31_007;

test(`plans named like an object's own members are plans like others (seed ${seed})`, () => {
  const names = fc.constantFrom("constructor", "__proto__", "toString", "hasOwnProperty", "$map", "1-1");
  fc.assert(
    fc.property(fc.array(names, { minLength: 1, maxLength: 6 }), (plans) => {
      const events = after(...plans.map((planId, index) => issue({ planId }, index)));
      const state = events.reduce(contracts.evolve, contracts.initial());
      assert.deepEqual([...state.plans.keys()], [...new Set(plans)]);
      given(contracts, events)
        .when(issue({ planId: plans[0]! }, 99))
        .thenNothing("contract-unchanged");
    }),
    { seed, numRuns: 50 },
  );
});
