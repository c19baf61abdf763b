import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Fact, Json } from "../../messages/facts.ts";
import { given } from "../../testing/given.ts";
import { tokensIn } from "../state/contract-terms.ts";
import { type ContractCommand, type ContractEvent, contracts, contractView, plansOverBudget } from "./contracts.ts";

function issue(tokenBudget: number | undefined, seq = 1): ContractCommand {
  const body = { planId: "1-1", phaseId: "1", objective: "Greet", tasks: [], allowedPaths: ["src/"], mustHaves: [] };
  const bounded = tokenBudget === undefined ? body : { ...body, tokenBudget };
  return { command: "issue-contract", body: bounded, issuedBy: "lead-1", seq };
}

function report(tokens: number, taskId = "T1", reporter = "dev-1", planId = "1-1"): ContractCommand {
  return { command: "report-tokens", planId, taskId, reporter, tokens };
}

function after(...commands: readonly ContractCommand[]) {
  const events: ContractEvent[] = [];
  const codes: string[] = [];
  let state = contracts.initial();
  for (const command of commands) {
    const decided = contracts.decide(command, state);
    assert.ok(decided.ok, JSON.stringify(decided));
    for (const event of decided.value.events) state = contracts.evolve(state, structuredClone(event));
    events.push(...decided.value.events);
    codes.push(...decided.value.notes.map(({ code }) => code));
  }
  return { events, state, codes };
}

test("what each agent says of each task is counted once, however often and however its ids are spelled", () => {
  const { events, state } = after(
    issue(1_000),
    report(100),
    report(250),
    report(200),
    report(250, "1-1/T1"),
    report(50, "T2", "dev-1", "phase-1-plan-1"),
    report(30, "T1", "dev-2"),
  );
  assert.equal(contractView(state, state.plans.get("1-1")!).tokensUsed, 330);
  given(contracts, events).when(report(250)).thenNothing(null);
});

test("what an earlier version counted in transcripts still counts, where it is more than the agent reports", () => {
  const counted = (tokens: number): ContractEvent => ({
    event: "tokens-counted",
    plan: "1-1",
    counted: "c dev-1",
    tokens,
  });
  const used = (...events: readonly ContractEvent[]) => {
    const state = events.reduce((before, event) => contracts.evolve(before, event), after(issue(100)).state);
    return contractView(state, state.plans.get("1-1")!).tokensUsed;
  };
  const { events } = after(report(40));
  assert.deepEqual([used(counted(30)), used(counted(30), ...events), used(...events, counted(70))], [30, 40, 70]);
});

test("only the report that crosses the budget is noted, and the plan is over it from then on", () => {
  const within = after(issue(100), report(100));
  assert.deepEqual([within.codes, plansOverBudget(within.state)], [[], []]);
  const { notes, state } = given(contracts, within.events)
    .when(report(101))
    .thenEvents([{ event: "tokens-reported", plan: "1-1", report: "1-1-T1 dev-1", tokens: 101 }]);
  assert.deepEqual(
    notes.map(({ code, message }) => [code, message]),
    [["over-budget", "Plan 1-1 has used 101 tokens of a budget of 100."]],
  );
  assert.deepEqual(plansOverBudget(state), ["1-1"]);
  assert.deepEqual(after(issue(100), report(101), report(500), report(9, "T2")).codes, ["over-budget"]);
});

test("tokens reported before the contract count, and a budget set below them is noted once", () => {
  assert.deepEqual(after(report(500), issue(400)).codes, ["over-budget"]);
  assert.deepEqual(after(issue(undefined), report(500), issue(400, 2), issue(300, 3)).codes, ["over-budget"]);
  assert.deepEqual(after(issue(undefined), report(500)).codes, []);
  assert.deepEqual(after(issue(0), report(1)).codes, ["over-budget"], "a budget of nothing is one");
});

function saying(value: Json, kind: Fact["kind"] = "progress", place: "payload" | "envelope" = "payload"): Fact {
  const head = { phase: 1, task: "1-1-T1", authorRole: "dev", timestamp: null, confidence: null };
  return { kind, head, body: { planId: "1-1", taskId: "T1" }, extra: { [place]: { tokens_used: value } } };
}

test("tokens are read from reports, next to their own fields, and anything but a count is reported", () => {
  const read = { planId: "1-1", taskId: "T1", tokens: 7 };
  for (const kind of ["progress", "completion", "blocker"] as const) assert.deepEqual(tokensIn(saying(7, kind)), read);
  assert.deepEqual(tokensIn(saying(7, "progress", "envelope")), read);
  assert.equal(tokensIn(saying(7, "verdict")), null);
  for (const value of [-1, 1.5, "7", null, [7], 2 ** 53]) {
    const note = tokensIn(saying(value));
    assert.ok(note !== null && "code" in note, JSON.stringify(value));
    assert.equal(note.code, "tokens-unread");
  }
});

const seed = 85_003;

test(`whatever order reports come in, a plan has used the most that each said (seed ${seed})`, () => {
  const one = fc.tuple(fc.nat(1_000), fc.constantFrom("T1", "T2", "1-1/T2"), fc.constantFrom("dev-1", "dev-2"));
  fc.assert(
    fc.property(fc.array(one, { maxLength: 12 }), (reports) => {
      const { state } = after(issue(500), ...reports.map(([tokens, task, agent]) => report(tokens, task, agent)));
      const most = new Map<string, number>();
      for (const [tokens, task, agent] of reports) {
        const key = `${task.slice(-2)} ${agent}`;
        most.set(key, Math.max(most.get(key) ?? 0, tokens));
      }
      const total = [...most.values()].reduce((sum, each) => sum + each, 0);
      assert.equal(contractView(state, state.plans.get("1-1")!).tokensUsed, total);
      assert.deepEqual(plansOverBudget(state), total > 500 ? ["1-1"] : []);
    }),
    { seed, numRuns: 300 },
  );
});
