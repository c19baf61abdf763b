import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { canonical, sha256 } from "../../base/canonical.ts";
import type { FactBodies } from "../../messages/fact-bodies.ts";
import { given } from "../../testing/given.ts";
import { checkFiles } from "../state/contract-files.ts";
import type { Contracts, WideningPermit } from "../state/contract-terms.ts";
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

function permit(paths: readonly string[] = [], name = "dev-1/ask-1"): ContractCommand {
  return { command: "permit-widening", plan: "1-1", permit: name, paths };
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

test("the content of an earlier revision is a change, and has to narrow", () => {
  const narrowed = after(issue(), issue({ allowedPaths: ["src/"] }, 2));
  given(contracts, narrowed).when(issue({}, 3)).thenRefused("contract-widened");
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
  test(`a revision with ${what} ${wider ? "widens and needs a permit" : "narrows and passes"}`, () => {
    const start = given(contracts, after(issue())).when(issue(changes, 2));
    if (wider) assert.match(start.thenRefused("contract-widened")[0]?.hint ?? "", /scope_change/);
    else start.thenEvents(after(issue(), issue(changes, 2)).slice(1));
  });
}

test("a permit lets exactly one revision widen", () => {
  const wide = issue({ allowedPaths: ["src/", "docs/"] }, 3);
  const permitted = after(issue(), permit());
  const used = after(issue(), permit(), wide);
  const { state } = given(contracts, permitted).when(wide).thenEvents(used.slice(2));
  assert.equal(contractOf(state, "1-1")?.revisions[1]?.permit, "dev-1/ask-1");
  const spent: WideningPermit = { permit: "dev-1/ask-1", paths: [], usedBy: 2 };
  assert.deepEqual(state.permits.get("1-1"), [spent]);
  given(contracts, used)
    .when(issue({ allowedPaths: ["src/", "docs/", "lib/"] }, 4))
    .thenRefused("contract-widened");
});

test("a narrowing revision does not use the permit up", () => {
  const events = after(issue(), permit(), issue({ allowedPaths: ["src/"] }, 3));
  const wide = issue({ allowedPaths: ["src/", "docs/"] }, 4);
  const decided = contracts.decide(wide, events.reduce(contracts.evolve, contracts.initial()));
  assert.ok(decided.ok && decided.value.events.length === 1);
});

test("a permit that lists paths lets in those and no others, forbidden ones too", () => {
  const permitted = after(issue(), permit(["docs/", "src/secrets/"]));
  const fine: Partial<Body> = { allowedPaths: ["src/", "docs/guide.md"], forbiddenPaths: [] };
  given(contracts, permitted)
    .when(issue(fine, 3))
    .thenEvents(after(issue(), permit(["docs/", "src/secrets/"]), issue(fine, 3)).slice(2));
  const [problem] = given(contracts, permitted)
    .when(issue({ allowedPaths: ["src/", "lib/"] }, 3))
    .thenRefused("contract-widened");
  assert.equal(problem?.received, "lib/");
  assert.match(problem?.expected ?? "", /docs\/, src\/secrets\//);
});

test("the note of a permit lists no path that no contract can allow", () => {
  const noteOf = (paths: readonly string[]) => {
    const decided = contracts.decide(permit(paths), after(issue()).reduce(contracts.evolve, contracts.initial()));
    assert.ok(decided.ok);
    assert.deepEqual(decided.value.events, [
      { event: "widening-permitted", plan: "1-1", permit: "dev-1/ask-1", paths },
    ]);
    return decided.value.notes[0]?.message ?? "";
  };
  assert.match(noteOf(["docs/"]), /One later revision .* may add only these paths: docs\/\.$/);
  const mixed = noteOf(["docs/", "../x", "/etc/**", ".git/**"]);
  assert.match(mixed, /only these paths: docs\/\. Not permitted, .*: \.\.\/x, \/etc\/\*\*/);
  assert.match(noteOf(["../x"]), /^This approval permits no path of plan 1-1\. Not permitted/);
});

test("the note of a permit says what is true: where a plan has no contract, the first one needs none", () => {
  const noteAfter = (...commands: readonly ContractCommand[]) => {
    const decided = contracts.decide(permit([]), after(...commands).reduce(contracts.evolve, contracts.initial()));
    return decided.ok ? decided.value.notes[0]?.message : undefined;
  };
  assert.equal(
    noteAfter(),
    "Plan 1-1 has no contract yet, and its first one needs no permit. One revision after it may add any paths that a contract can allow.",
  );
  assert.equal(
    noteAfter(issue()),
    "One later revision of the contract of plan 1-1 may add any paths that a contract can allow.",
  );
});

test("of several permits the one that fits is used; a permit of another plan is none", () => {
  const two = after(issue(), permit(["lib/"], "dev-1/a"), permit(["docs/"], "dev-1/b"));
  const wide = issue({ allowedPaths: ["src/", "docs/"] }, 4);
  const decided = contracts.decide(wide, two.reduce(contracts.evolve, contracts.initial()));
  assert.ok(decided.ok);
  const [event] = decided.value.events;
  assert.ok(event?.event === "contract-issued");
  assert.equal(event.revision.permit, "dev-1/b");
  const elsewhere = after(issue(), { command: "permit-widening", plan: "1-2", permit: "dev-1/a", paths: [] });
  given(contracts, elsewhere).when(wide).thenRefused("contract-widened");
});

test("the same approval permits once; an approval that points to no plan permits nothing and says so", () => {
  given(contracts, after(permit())).when(permit()).thenNothing("permit-unchanged");
  given(contracts, [])
    .when({ command: "permit-widening", plan: null, permit: "dev-1/ask-1", paths: [] })
    .thenNothing("permit-without-plan");
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

function mayTouch(state: Contracts, file: string): boolean {
  return checkFiles(state, { planId: "1-1", taskId: null, files: [file], reads: "paths", place: "$" }).ok;
}

test(`a revision that passes without a permit never allows a file that was not allowed before (seed ${seed})`, () => {
  const part = fc.constantFrom("a", "b", "*", "?", "**", "ab", "a*");
  const glob = fc
    .tuple(fc.array(part, { minLength: 1, maxLength: 3 }), fc.boolean())
    .map(([parts, below]) => parts.join("/") + (below ? "/" : ""));
  const globs = fc.array(glob, { maxLength: 4 });
  const file = fc
    .array(fc.constantFrom("a", "b", "ab", "aa", "B"), { minLength: 1, maxLength: 4 })
    .map((parts) => parts.join("/"));
  let passed = 0;
  fc.assert(
    fc.property(
      globs,
      globs,
      globs,
      globs,
      fc.array(file, { minLength: 1, maxLength: 8 }),
      (allowed, forbidden, allowedNext, forbiddenNext, touched) => {
        const start = after(issue({ allowedPaths: allowed, forbiddenPaths: forbidden }));
        const before = start.reduce(contracts.evolve, contracts.initial());
        const decided = contracts.decide(
          issue({ allowedPaths: allowedNext, forbiddenPaths: forbiddenNext }, 2),
          before,
        );
        if (!decided.ok) return;
        passed += 1;
        const later = [...start, ...decided.value.events].reduce(contracts.evolve, contracts.initial());
        for (const each of touched) {
          if (mayTouch(later, each)) assert.ok(mayTouch(before, each), each);
        }
      },
    ),
    { seed, numRuns: 2_000 },
  );
  assert.ok(passed > 100, `only ${passed} revisions passed; the property saw too little`);
});
