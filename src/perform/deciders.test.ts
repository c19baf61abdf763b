import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { decodeState, encodeState } from "../base/state-codec.ts";
import { type FactKind, factKinds, type Json } from "../messages/facts.ts";
import type { Role } from "../messages/role.ts";
import { pathsOfModifications } from "../tasks/state/contract-files.ts";
import { findTask } from "../tasks/state/task-state.ts";
import { breakerLimitsOf } from "../team/state/definition.ts";
import { given } from "../testing/given.ts";
import * as known from "./coordination-state.ts";
import type { Decider } from "./decider.ts";
import {
  type CoordinationEvent,
  type CoordinationState,
  decideFact,
  decideOwnerAnswer,
  evolveCoordination,
  type FactCommand,
  initialCoordination,
} from "./deciders.ts";
import { decideDue, isDue } from "./expired-deadlines.ts";

const { allApprovals, allContracts, approvalOf, askerOf, openApprovals, repeatedResolution } = known;

/** All deciders as one, so that the laws are checked on them together. */
const all: Decider<CoordinationState, FactCommand, CoordinationEvent> = {
  name: "all",
  initial: initialCoordination,
  decide: (command, state) => decideFact(state, command),
  evolve: evolveCoordination,
};

const bodies: { readonly [kind in FactKind]?: { readonly [field: string]: Json } } = {
  contract: {
    planId: "1-1",
    phaseId: "phase-1",
    objective: "Greet",
    tasks: ["1-1-T1"],
    allowedPaths: ["src/"],
    mustHaves: ["It greets"],
  },
  completion: { planId: "1-1", taskId: "1-1-T1", status: "complete", commit: "abc1234", filesModified: ["src/a"] },
  claim: { planId: "1-1", taskId: "1-1-T1", files: ["src/a"], claimedAt: "2026-02-12T10:00:00Z" },
  progress: { planId: "1-1", taskId: "1-1-T1", status: "partial", commit: "", filesModified: ["src/a"] },
  "approval-request": { subject: "Docs?", requestType: "scope_change", evidence: "There" },
  "approval-response": { requestId: "ask-1", approved: true, reason: "Yes" },
  "shutdown-request": { reason: "phase_complete" },
  blocker: { planId: "1-1", taskId: "1-1-T1", blocker: "No names", needs: "Names" },
  escalation: {
    from: "dev",
    to: "senior",
    issue: "No names",
    evidence: [],
    recommendation: "Wait",
    severity: "blocking",
  },
  "review-changes": { planId: "1-1", cycle: 1, changes: [], mustFix: [], rerunTests: true },
  critique: { findings: 1, critical: 0, major: 0, minor: 1, categories: ["gap"], artifact: "a", committed: false },
  findings: { domain: "quality", documents: [] },
  research: { domain: "quality", findings: [], artifact: "a", committed: true },
  design: { artifact: "a", decisions: [], committed: true },
  specification: { planId: "1-1", tasksEnriched: 1, committed: true },
  "test-plan": { planId: "1-1", tasksTested: 1, tasksSkipped: 0, totalTests: 2, allRed: true, artifact: "a" },
  "review-result": { planId: "1-1", result: "approve", cycle: 1, findingsCount: 0, critical: 0 },
  verdict: { tier: "quick", result: "PASS", checks: { passed: 1, failed: 0, total: 1 } },
  "code-verdict": {
    result: "PASS",
    tests: { passed: 1, failed: 0, skipped: 0 },
    lint: { errors: 0, warnings: 0 },
    findingsCount: 0,
    critical: 0,
  },
  "security-audit": { result: "FAIL", findings: 1, critical: 1, categories: ["secrets"] },
  "phase-progress": { department: "backend", step: "qa", plansComplete: 1, plansTotal: 2, percentComplete: 50 },
  "design-handoff": { artifacts: {}, readyComponents: ["Form"], acceptanceCriteria: [], status: "complete" },
  "api-contract": {
    direction: "frontend_to_backend",
    endpoints: [{ method: "POST", path: "/codes", request: {}, response: {} }],
    status: "proposed",
  },
  "department-result": {
    department: "backend",
    result: "PASS",
    plansCompleted: 1,
    plansTotal: 1,
    qaResult: "PASS",
    securityResult: "PASS",
    tddCoverage: "red_green",
  },
  "owner-review": { departmentsNeeded: ["backend"], dispatchOrder: ["backend"], priorities: [] },
  "owner-signoff": { decision: "HOLD", departmentsApproved: [], integrationQa: "FAIL" },
  "shutdown-response": { requestId: "ask-1", approved: true, finalStatus: "complete" },
  resolution: {
    originalEscalation: "ESC-01-01-T1",
    decision: "Go on",
    rationale: "It is late",
    actionItems: [],
    resolvedBy: "owner",
  },
  handoff: {
    metadata: {
      id: "h-1",
      source_agent: "dev-1",
      target_agent: "dev-2",
      timestamp: "2026-02-12T10:00:00Z",
      workflow_id: "greeting",
    },
    context: {},
    instructions: { primary: "Go on" },
    dependencies: {},
  },
};

function say(
  kind: FactKind,
  agent: string,
  role: Role | null,
  body: { readonly [field: string]: Json } = {},
  seq = 1,
): FactCommand {
  const head = { phase: 1, task: "1-1-T1", authorRole: role, timestamp: "2026-02-12T10:00:00Z", confidence: "high" };
  return {
    fact: { kind, head, body: { ...bodies[kind], ...body } },
    type: kind,
    wireId: "ask-1",
    principal: { agent, role, via: "launcher" },
    session: 1,
    leaseMs: 300_000,
    completes: true,
    receivers: ["lead-1"],
    answererRoles: ["lead", "architect"],
    seq,
    atMs: 1_000 + seq,
    levelSilentMs: 300_000,
  };
}

function due(atMs: number) {
  return { atMs, silentMs: 310_000, unseenMs: 100_000, listeningSinceMs: 0, levelSilentMs: 300_000 };
}

function moment(atMs: number) {
  const breakerLimits = breakerLimitsOf(null);
  return { ...due(atMs), breakerLimits, seq: 9, signOf: () => null, sessionOf: () => ({ session: 1, scope: null }) };
}

function after(...commands: readonly FactCommand[]): readonly CoordinationEvent[] {
  const events: CoordinationEvent[] = [];
  let state = initialCoordination();
  for (const command of commands) {
    const decided = decideFact(state, command);
    assert.ok(decided.ok, JSON.stringify(decided));
    for (const event of decided.value.events) state = evolveCoordination(state, structuredClone(event));
    events.push(...decided.value.events);
  }
  return events;
}

function stateAfter(...commands: readonly FactCommand[]): CoordinationState {
  return after(...commands).reduce(evolveCoordination, initialCoordination());
}

const contract = say("contract", "lead-1", "lead", {}, 1);
const ask = say("approval-request", "dev-1", "dev", {}, 2);
const yes = say("approval-response", "lead-1", "lead", {}, 3);
const wide = say("contract", "lead-1", "lead", { allowedPaths: ["src/", "docs/"] }, 4);

const allowedIn = (state: CoordinationState) => allContracts(state)[0]?.terms.allowedPaths;
const asking = (paths: readonly string[]) => say("approval-request", "dev-1", "dev", { paths }, 2);

test("lead and architect revise a contract as they like, without asking anybody", () => {
  assert.deepEqual(allowedIn(stateAfter(contract, wide)), ["src/", "docs/"]);
});

test("a yes to a scope change is the next revision, by the paths that were asked for, in the name of who decides", () => {
  const state = stateAfter(contract, asking(["docs/guide.md"]), yes);
  assert.deepEqual(allowedIn(state), ["src/", "docs/guide.md"]);
  const { seq, issuedBy, permit } = allContracts(state)[0]?.revisions[1] ?? {};
  assert.deepEqual({ seq, issuedBy, permit }, { seq: 3, issuedBy: "lead-1", permit: "dev-1/ask-1" });
});

const narrow = say("contract", "architect-1", "architect", { allowedPaths: ["src/a"] }, 3);
const unwidened: readonly (readonly [string, ...FactCommand[]])[] = [
  ["a no", asking(["docs/"]), say("approval-response", "lead-1", "lead", { approved: false }, 3)],
  [
    "a yes to a plan",
    say("approval-request", "dev-1", "dev", { requestType: "plan_approval", paths: ["docs/"] }, 2),
    yes,
  ],
  ["a yes where no path is named but in prose", ask, yes],
  ["a yes where everything is asked for, and not said again", asking(["**", "./**", "*"]), yes],
  [
    "a yes by a modification in prose",
    asking(["docs/"]),
    say("approval-response", "lead-1", "lead", { modifications: ["Only docs/a.md"] }, 3),
  ],
  [
    "a yes by what is no path",
    asking(["docs/"]),
    say("approval-response", "lead-1", "lead", { modifications: ["../docs"] }, 3),
  ],
];

for (const [what, ...commands] of unwidened) {
  test(`${what} leaves the contract as it is`, () => {
    assert.deepEqual(allowedIn(stateAfter(contract, ...commands)), ["src/"]);
  });
}

test("the answer's own paths count instead of those that were asked for, everything too", () => {
  const only = say("approval-response", "lead-1", "lead", { modifications: ["docs/a.md"] }, 3);
  assert.deepEqual(allowedIn(stateAfter(contract, asking(["docs/"]), only)), ["src/", "docs/a.md"]);
  const all = say("approval-response", "lead-1", "lead", { modifications: ["**"] }, 3);
  assert.deepEqual(allowedIn(stateAfter(contract, asking(["docs/"]), all)), ["src/", "**"]);
});

test("a yes lets the asker's claim cover what is allowed, with a contract or without", () => {
  const claim = say("claim", "dev-1", "dev", {}, 1);
  for (const before of [[contract, claim], [claim]]) {
    const state = stateAfter(...before, asking(["docs/a.md", "src/a"]));
    const decided = decideFact(state, yes);
    assert.ok(decided.ok);
    assert.doesNotMatch(JSON.stringify(decided.value.notes), /no-contract|nothing-widened/);
    const { work } = decided.value.events.reduce(evolveCoordination, state);
    assert.deepEqual(findTask(work, "1-1-T1", null)?.claim?.files, ["src/a", "docs/a.md"]);
  }
});

test("what was revised meanwhile stays: the paths are added to the newest revision", () => {
  assert.deepEqual(allowedIn(stateAfter(contract, asking(["docs/"]), narrow, yes)), ["src/a", "docs/"]);
});

test("a scope change for another plan changes nothing here", () => {
  const elsewhere: FactCommand = {
    ...asking(["docs/"]),
    fact: { ...ask.fact, head: { ...ask.fact.head, task: "1-2-T1" } },
  };
  assert.deepEqual(allowedIn(stateAfter(contract, elsewhere, yes)), ["src/"]);
});

test("an approval that points to no plan counts, and says that no contract widens by it", () => {
  const nowhere: FactCommand = { ...ask, fact: { ...ask.fact, head: { ...ask.fact.head, task: "debug-hyp-1" } } };
  const decided = decideFact(stateAfter(contract, nowhere), yes);
  assert.ok(decided.ok);
  assert.deepEqual(
    decided.value.events.map(({ event }) => event),
    ["approval-answered"],
  );
  assert.equal(decided.value.notes[0]?.code, "nothing-widened");
});

const modifications: readonly (readonly [Json, readonly string[]])[] = [
  ["docs/guide.md", ["docs/guide.md"]],
  ["README", ["README"]],
  ["my docs/guide.md", []],
  [{ path: "my docs/guide.md" }, ["my docs/guide.md"]],
  ["Be quick about it", []],
  ["", []],
  ["../x", ["../x"]],
  [{ path: "docs/" }, ["docs/"]],
  [{ allowed_paths: ["a", "b"], why: "c" }, ["a", "b"]],
  [{ files: ["a", 7] }, ["a"]],
  ["README.md and *.json, please.", []],
  ["Keep it short. Then go on", []],
  ["Only .env.example", []],
  [{ add: ["docs/"], why: "it is described there" }, []],
  [{ why: "because" }, []],
  [[["docs/guide.md"]], []],
  [7, []],
  [null, []],
  [["a"], []],
];

for (const [entry, paths] of modifications) {
  test(`the modification ${JSON.stringify(entry)} lists ${paths.length === 0 ? "no path" : paths.join(", ")}`, () => {
    assert.deepEqual(pathsOfModifications([entry]), paths);
  });
}

test("the conditions of a yes are criteria of its task, after those that it has, and a report answers them", () => {
  const details = { task_details: { "1-1-T1": { criteria: ["It is tested"] } } };
  const described = { ...contract, fact: { ...contract.fact, extra: { payload: details } } } as FactCommand;
  const bound = say(
    "approval-response",
    "lead-1",
    "lead",
    { conditions: ["Keep the\ninterface", " ", "It is tested"] },
    3,
  );
  const state = stateAfter(described, asking(["docs/"]), bound);
  const criteria = ["It is tested", "Keep the interface"];
  assert.deepEqual(findTask(state.work, "1-1-T1", null)?.text?.criteria, criteria);
  const report = say("progress", "dev-1", "dev", { status: "complete", commit: "abc1234", evidence: "1: npm test" }, 4);
  const decided = decideFact(state, report);
  assert.ok(decided.ok);
  assert.match(JSON.stringify(decided.value.notes), /no evidence for: 2\. Keep the interface/);
  const bare = stateAfter(contract, ask, {
    ...bound,
    fact: { ...bound.fact, body: { ...bound.fact.body, approved: false } },
  });
  assert.equal(findTask(bare.work, "1-1-T1", null)?.text, undefined, "a no binds nobody");
});

test("a plan whose lead asks for it waits for a yes, whoever claims, and a no leaves a way out", () => {
  const leads = {
    ...say("approval-request", "lead-1", "lead", { requestType: "plan_approval" }, 2),
    receivers: ["architect-1"],
  };
  const answer = (approved: boolean, seq = 3) =>
    say("approval-response", "architect-1", "architect", { approved, reason: "Too wide" }, seq);
  const claim = say("claim", "dev-1", "dev", {}, 5);
  const refusal = (...commands: readonly FactCommand[]) => {
    const decided = decideFact(stateAfter(contract, ...commands), claim);
    return decided.ok ? null : decided.error.map(({ code, message }) => `${code}: ${message}`).join();
  };
  assert.match(refusal(leads) ?? "", /^task-blocked: .* waits for plan-approval\. .*ask-1.* nobody has said yes\.$/);
  assert.equal(refusal(leads, answer(true)), null);
  assert.match(refusal(leads, answer(false)) ?? "", /architect-1 said no: Too wide\. .*`baton approve ask-1`\.$/);
  const again = { ...leads, wireId: "ask-2", seq: 4 };
  const yesToIt = {
    ...answer(true),
    fact: { ...answer(true).fact, body: { ...answer(true).fact.body, requestId: "ask-2" } },
  };
  assert.equal(refusal(leads, answer(false), again, yesToIt), null);
  assert.equal(
    refusal(say("approval-request", "dev-1", "dev", { requestType: "plan_approval" }, 2)),
    null,
    "a dev's own",
  );
  const owners = { requestId: "ask-1", approved: true, reason: "Go on", seq: 6, atMs: 9 };
  const denied = stateAfter(contract, leads, answer(false));
  const anyway = decideOwnerAnswer(denied, owners);
  assert.ok(anyway.ok);
  assert.deepEqual(anyway.value.events, [{ event: "plan-released", plan: "1-1", by: "owner", seq: 6 }]);
  assert.ok(decideFact(anyway.value.events.reduce(evolveCoordination, denied), claim).ok);
  assert.ok(!decideOwnerAnswer(anyway.value.events.reduce(evolveCoordination, denied), owners).ok, "once");
});

test("the owner's answer at a door decides as a message would, gates included, and names the paths or is refused", () => {
  const fine = { requestId: "ask-1", approved: true, reason: "Fine", seq: 5, atMs: 9 };
  const decided = decideOwnerAnswer(stateAfter(contract, asking(["docs/"])), fine);
  assert.ok(decided.ok);
  assert.deepEqual(
    decided.value.events.map((each) => (each.event === "approval-answered" ? each.answer.modifications : each.event)),
    [["docs/"], "contract-issued"],
  );
  const inProse = say("approval-request", "dev-1", "dev", { subject: "May I change docs/guide.md?" }, 2);
  const unnamed = decideOwnerAnswer(stateAfter(contract, inProse), fine);
  assert.ok(!unnamed.ok);
  assert.equal(unnamed.error[0]?.code, "missing-field");
  assert.match(unnamed.error[0]?.hint ?? "", /--paths docs\/guide\.md/);
  assert.ok(decideOwnerAnswer(stateAfter(contract, inProse), { ...fine, modifications: ["docs/"] }).ok);
  assert.ok(!decideOwnerAnswer(stateAfter(contract, asking(["docs/"])), { ...fine, modifications: [] }).ok);
  assert.ok(decideOwnerAnswer(stateAfter(inProse), fine).ok, "without a contract nothing keeps a path out");
  assert.ok(decideOwnerAnswer(stateAfter(contract, ask), fine).ok, "it speaks of no path");
  const gate = say("approval-request", "dev-1", "dev", { requestType: "gate_override" }, 2);
  given(all, after(gate)).when(yes).thenRefused("human-required");
  assert.ok(
    decideOwnerAnswer(stateAfter(gate), { requestId: "ask-1", approved: false, reason: "No", seq: 5, atMs: 9 }).ok,
  );
});

test("progress is checked against its plan's contract; without files there is nothing to check", () => {
  given(all, after(contract))
    .when(say("progress", "dev-1", "dev"))
    .thenEvents(after(contract, say("progress", "dev-1", "dev")).slice(2));
  given(all, after(contract))
    .when(say("progress", "dev-1", "dev", { filesModified: ["docs/a"] }))
    .thenRefused("outside-contract");
  const { filesModified: _, ...rest } = bodies.progress ?? {};
  const bare = say("progress", "dev-1", "dev");
  given(all, [])
    .when({ ...bare, fact: { ...bare.fact, body: rest } })
    .thenNothing(null);
});

test("a contract brings its tasks, a claim takes one, inside the contract of its plan", () => {
  const claim = say("claim", "dev-1", "dev", {}, 2);
  given(all, after(contract)).when(claim).thenEvents(after(contract, claim).slice(2));
  given(all, after(contract))
    .when(say("claim", "dev-1", "dev", { files: ["docs/a"] }, 2))
    .thenRefused("outside-contract");
  given(all, after(contract))
    .when(say("claim", "dev-1", "dev", { taskId: "1-1-T9" }, 2))
    .thenRefused("unknown-task");
  const fewer = say("contract", "lead-1", "lead", { tasks: [] }, 3);
  const { state } = given(all, after(contract)).when(fewer).thenEvents(after(contract, fewer).slice(2));
  assert.equal(state.work.tasks.size, 0);
});

test("a completion completes, progress too, unless a separate completion follows", () => {
  for (const kind of ["completion", "progress"] as const) {
    const done = say(kind, "dev-1", "dev", { status: "complete", commit: "abc1234" }, 2);
    const { state } = given(all, after(contract)).when(done).thenEvents(after(contract, done).slice(2));
    assert.equal(state.work.plans.get("1-1")?.recorded?.summary.status, "complete");
    if (kind === "completion") continue;
    given(all, after(contract))
      .when({ ...done, completes: false })
      .thenNothing(null);
  }
});

test("the report that ends a plan lists the must-haves that no report shows evidence for", () => {
  const notesOf = (evidence: string, awaitsVerdict = false) => {
    const done = { status: "complete", commit: "abc1234", ...(evidence && { evidence }) };
    const decided = decideFact(stateAfter(contract), { ...say("progress", "dev-1", "dev", done, 2), awaitsVerdict });
    assert.ok(decided.ok);
    return decided.value.notes.map(({ code, message }) => `${code}: ${message.split(",")[0]}`);
  };
  assert.deepEqual(notesOf(""), ["no-evidence: The plan is done"]);
  assert.deepEqual(notesOf("", true), ["no-evidence: Every task of the plan is reported"]);
  assert.deepEqual(notesOf("14 tests pass"), []);
});

test("the fencing token may be next to a message's own fields", () => {
  const claim = say("claim", "dev-1", "dev", {}, 2);
  const done = say("completion", "dev-1", "dev", {}, 3);
  const withToken = (token: Json) => ({ ...done, fact: { ...done.fact, extra: { payload: { token } } } });
  given(all, after(contract, claim)).when(withToken(1)).thenRefused("fenced-claim");
  given(all, after(contract, claim))
    .when(withToken(2))
    .thenEvents(after(contract, claim, done).slice(3));
});

test("a handoff that comes as a message is issued to those who get it", () => {
  const handoff = { ...say("handoff", "dev-1", "dev"), receivers: ["dev-2"] };
  const [issued] = after(handoff);
  assert.deepEqual(
    issued?.event === "handoff-issued" && [issued.handoff.id, issued.handoff.issuer, issued.handoff.receivers],
    ["h-1", "dev-1", ["dev-2"]],
  );
  given(all, after(handoff)).when(handoff).thenNothing("already-so");
  given(all, after(handoff))
    .when({ ...handoff, principal: { agent: "dev-3", role: "dev", via: "launcher" } })
    .thenRefused("id-taken");
});

for (const kind of factKinds.filter((each) => bodies[each] === undefined)) {
  test(`${kind} advances no state yet`, () => {
    given(all, after(contract))
      .when(say(kind, "dev-1", "dev"))
      .thenNothing(null);
  });
}

test("an answer's asker is found by the id that it names alone", () => {
  const state = stateAfter(ask);
  assert.equal(askerOf(state, yes.fact, "lead-1"), "dev-1");
  assert.equal(askerOf(state, say("approval-response", "lead-1", "lead", { requestId: "x" }).fact, "lead-1"), null);
  assert.equal(askerOf(state, contract.fact, "lead-1"), null);
});

test("an answer to a request to stop is for the one who asked, also where it names no request", () => {
  const asked = [{ agent: "dev-1", session: 1, addressed: true }];
  const stop = { ...say("shutdown-request", "lead-2", "lead", {}, 2), asked };
  const { requestId: _, ...unnamed } = bodies["shutdown-response"] ?? {};
  const { fact } = say("shutdown-response", "dev-1", "dev");
  assert.equal(askerOf(stateAfter(stop), fact, "dev-1"), "lead-2");
  assert.equal(askerOf(stateAfter(stop), { ...fact, body: unnamed }, "dev-1"), "lead-2");
  assert.equal(askerOf(stateAfter(stop), fact, "dev-2"), null);
});

test("a resolution that is recorded is known again, another is not", () => {
  const resolved = say("resolution", "owner", "owner", {}, 2);
  const state = stateAfter(resolved);
  assert.equal(repeatedResolution(state, say("resolution", "lead-1", "lead").fact)?.sender, "owner");
  assert.equal(repeatedResolution(state, say("resolution", "lead-1", "lead", { decision: "Stop" }).fact), null);
  assert.equal(repeatedResolution(state, contract.fact), null);
});

test("deadlines are due by the accepting clock, and once", () => {
  const timed = say("approval-request", "dev-1", "dev", { deadline: "2026-02-12T10:00:01Z" }, 2);
  const state = stateAfter(timed);
  assert.equal(isDue(state, due(2_001)), false);
  assert.deepEqual(decideDue(state, moment(2_001)).events, []);
  assert.equal(isDue(state, due(2_002)), true);
  const { events } = decideDue(state, moment(2_002));
  assert.equal(events.length, 1);
  const later = events.reduce(evolveCoordination, state);
  assert.equal(isDue(later, due(9_999)), false);
  assert.equal(approvalOf(later, "ask-1")?.status, "expired");
  assert.deepEqual(openApprovals(later), []);
  assert.equal(allApprovals(later).length, 1);
});

const seed = 40_111;

test(`any run of facts keeps the laws, and its indexes equal what the requests say (seed ${seed})`, () => {
  const agents = fc.constantFrom<readonly [string, Role | null]>(
    ["dev-1", "dev"],
    ["dev-2", "dev"],
    ["lead-1", "lead"],
    ["architect-1", "architect"],
    ["owner", null],
  );
  const fact = fc.record({
    kind: fc.constantFrom(...(Object.keys(bodies) as FactKind[])),
    agent: agents,
    id: fc.constantFrom("a", "b", "constructor", "wrong"),
    approved: fc.boolean(),
    type: fc.constantFrom("scope_change", "plan_approval", "gate_override"),
    paths: fc.subarray(["src/", "docs/", "lib/**"], { minLength: 1 }),
    receivers: fc.subarray(["lead-1", "architect-1", "dev-1"], { minLength: 1 }),
  });
  let recorded = 0;
  fc.assert(
    fc.property(fc.array(fact, { maxLength: 14 }), (facts) => {
      const events: CoordinationEvent[] = [];
      let state = initialCoordination();
      for (const [
        index,
        {
          kind,
          agent: [agent, role],
          id,
          approved,
          type,
          paths,
          receivers,
        },
      ] of facts.entries()) {
        const body = { requestId: id, approved, requestType: type, allowedPaths: paths, filesModified: paths };
        const picked = Object.fromEntries(Object.entries(body).filter(([key]) => key in (bodies[kind] ?? {})));
        const decided = decideFact(state, { ...say(kind, agent, role, picked, index + 1), wireId: id, receivers });
        if (!decided.ok) continue;
        for (const event of decided.value.events) state = evolveCoordination(state, structuredClone(event));
        events.push(...decided.value.events);
      }
      recorded += events.length;
      const requests = allApprovals(state);
      const waiting = requests.filter(({ status }) => status === "open");
      assert.deepEqual(openApprovals(state), waiting);
      assert.equal(new Set(waiting.map(({ requestId }) => requestId)).size, waiting.length, "one open request an id");
      for (const { status, answer: given1, requester, requestType } of requests) {
        assert.equal(given1 !== null, status === "approved" || status === "denied");
        assert.notEqual(given1?.decidedBy, requester);
        if (given1 !== null && requestType === "gate_override") assert.equal(given1.decidedBy, "owner");
      }
      assert.deepStrictEqual(events.reduce(evolveCoordination, initialCoordination()), state);
      assert.deepStrictEqual(decodeState(encodeState(state)), state);
    }),
    { seed, numRuns: 300 },
  );
  assert.ok(recorded > 500, `only ${recorded} events; the property saw too little`);
});
