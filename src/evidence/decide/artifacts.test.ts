import assert from "node:assert/strict";
import { test } from "node:test";
import {
  add,
  after,
  judge,
  type Orders,
  report,
  stateAfter,
  type WorkCommand,
  work,
} from "../../../tests/work/orders.ts";
import { makeProblem } from "../../base/problem.ts";
import type { FactKind, Json } from "../../messages/facts.ts";
import { isSummarised } from "../../tasks/state/plan-summary.ts";
import { checkLaws, given } from "../../testing/given.ts";
import { holding } from "../state.ts";
import { artifactViews, type NameArtifacts } from "./artifact-disputes.ts";

const wrong = [makeProblem("counts-differ", "$.body.findings", "The message says 2; a.jsonl shows 3.")];

/** A message of `qa-1` that names artifacts. */
function name(seq: number, body: { readonly [field: string]: Json }, more: Partial<NameArtifacts> = {}) {
  const head = { phase: null, task: null, authorRole: null, timestamp: null, confidence: null };
  const kind: FactKind = "test-plan";
  return {
    command: "name-artifacts",
    fact: { kind, head, body: { artifact: "a.jsonl", ...body } },
    type: "test_plan_result",
    sender: "qa-1",
    seq,
    ...more,
  } satisfies Orders["name-artifacts"];
}

function find(message: number, state: "verified" | "disputed", seq: number): Orders["record-artifacts"] {
  return { command: "record-artifacts", message, state, problems: state === "disputed" ? wrong : [], seq };
}

const planned = name(10, { planId: "01-01" });
/** Plan 1-1 with its only task done. */
const done: readonly WorkCommand[] = [add("1-1-T1", { planId: "1-1" }), report("1-1-T1", "dev-1")];

test("a message that names artifacts is kept as the last word on them", () => {
  given(work, [])
    .when(planned)
    .repeatable("each message is a fact of its own")
    .thenEvents([
      {
        event: "artifacts-named",
        seq: 10,
        type: "test_plan_result",
        kind: "test-plan",
        sender: "qa-1",
        plan: "1-1",
        phase: null,
        subject: '["test-plan","qa-1","1-1",null,null,null,null,null]',
        artifacts: ["a.jsonl"],
        keys: ["test-plan a.jsonl"],
      },
    ]);
  assert.deepEqual(work.decide(name(10, { artifact: 7 }), work.initial()), {
    ok: true,
    value: { events: [], notes: [] },
  });
});

const last: readonly (readonly [what: string, later: Orders["name-artifacts"], seqs: readonly number[]])[] = [
  [
    "the same artifact, however its path is written, by anybody",
    name(11, { artifact: "./a.jsonl" }, { sender: "b" }),
    [11],
  ],
  ["the same subject, with another artifact", name(11, { planId: "1-1", artifact: "b.jsonl" }), [11]],
  ["another plan's artifact", name(11, { planId: "1-2", artifact: "b.jsonl" }), [10, 11]],
  [
    "another artifact of the plan, by another",
    name(11, { planId: "1-1", artifact: "b.jsonl" }, { sender: "b" }),
    [10, 11],
  ],
];

for (const [what, later, seqs] of last) {
  test(`what comes after ${what}`, () => {
    const { records, byKey, bySubject } = stateAfter(planned, later).artifacts;
    assert.deepEqual([...records.keys()], seqs.map(String));
    for (const index of [byKey, bySubject]) for (const seq of index.values()) assert.ok(records.has(seq));
  });
}

test("a finding is valid until another comes; one about overtaken work changes nothing", () => {
  const { state } = given(work, after(planned))
    .when(find(10, "disputed", 12))
    .thenEvents([{ event: "artifacts-disputed", message: 10, artifacts: ["a.jsonl"], problems: wrong, seq: 12 }]);
  assert.deepEqual(
    artifactViews(state).map(({ state: said, problems }) => [said, problems]),
    [["disputed", wrong]],
  );
  const notes = (command: Orders["record-artifacts"]) => {
    const decided = work.decide(command, state);
    return decided.ok && [decided.value.events.length, decided.value.notes[0]?.code];
  };
  assert.deepEqual(notes(find(10, "disputed", 13)), [0, "already-so"]);
  assert.deepEqual(notes(find(9, "disputed", 13)), [0, "verdict-outdated"]);
});

/** What ends a dispute about `planned`, and so gives plan 1-1 its summary. */
const endings: readonly (readonly [string, WorkCommand])[] = [
  ["a corrected artifact", find(10, "verified", 30)],
  ["a corrected message", name(30, { planId: "1-1", artifact: "b.jsonl" })],
];

for (const [what, ending] of endings) {
  test(`a dispute holds up the plan's summary until ${what} comes`, () => {
    const held = after(planned, find(10, "disputed", 12), ...done);
    assert.deepEqual(
      held.filter(({ event }) => event === "plan-summarised"),
      [],
    );
    const state = stateAfter(planned, find(10, "disputed", 12), ...done);
    assert.equal(isSummarised(state, state.plans.get("1-1")), false);
    const all = after(planned, find(10, "disputed", 12), ...done, ending);
    checkLaws(work, held, ending, { repeatable: ending.command === "name-artifacts" ? "a fact of its own" : null });
    assert.deepEqual(
      all.slice(held.length).map(({ event }) => event),
      [ending.command === "name-artifacts" ? "artifacts-named" : "artifacts-verified", "plan-summarised"],
    );
  });
}

test("a dispute after the summary takes it back, and its end brings it back as it was", () => {
  const commands = [...done, judge("1-1-T1", "verified"), planned, find(10, "disputed", 40)];
  const disputed = stateAfter(...commands);
  assert.equal(isSummarised(disputed, disputed.plans.get("1-1")), false);
  const ended = stateAfter(...commands, find(10, "verified", 41));
  assert.equal(isSummarised(ended, ended.plans.get("1-1")), true);
});

test("a message about a phase alone holds up the plans of that phase, one about neither holds up none", () => {
  const held = (body: { readonly [field: string]: Json }) => {
    const { artifacts } = stateAfter(name(10, body), find(10, "disputed", 12));
    return ["1-1", "1-2", "2-1", "other"].filter((plan) => holding(artifacts, plan).length > 0);
  };
  assert.deepEqual(held({ phase: "01" }), ["1-1", "1-2"]);
  assert.deepEqual(held({ phase: 2 }), ["2-1"]);
  assert.deepEqual(held({}), []);
  assert.deepEqual(held({ planId: "other" }), ["other"]);
});
