import assert from "node:assert/strict";
import { test } from "node:test";
import { given } from "../../testing/given.ts";
import { departmentsOf, endpointDifferences, endpointsOf, hashOfEndpoints } from "../state/phase-state.ts";
import { type DepartmentCommand, type DepartmentEvent, departments } from "./departments.ts";

const post = (response: { readonly [field: string]: string }) => [
  { method: "post", path: "/codes", request: { email: "string" }, response },
];

function say(
  from: "frontend" | "backend",
  status: "proposed" | "agreed" | "implemented",
  response: { readonly [field: string]: string },
  seq: number,
): DepartmentCommand {
  const direction = from === "frontend" ? "frontend_to_backend" : "backend_to_frontend";
  return {
    command: "negotiate-api",
    phase: "1",
    body: { direction, endpoints: post(response), status },
    said: { by: `${from}-lead`, seq },
  };
}

function after(...commands: readonly DepartmentCommand[]): readonly DepartmentEvent[] {
  const events: DepartmentEvent[] = [];
  let state = departments.initial();
  for (const command of commands) {
    const decided = departments.decide(command, state);
    assert.ok(decided.ok, JSON.stringify(decided));
    for (const event of decided.value.events) state = departments.evolve(state, structuredClone(event));
    events.push(...decided.value.events);
  }
  return events;
}

function status(...commands: readonly DepartmentCommand[]) {
  const state = after(...commands).reduce((known, event) => departments.evolve(known, event), departments.initial());
  return departmentsOf(state, "1").apis[0]?.status ?? null;
}

const [a, b, c, d] = [{ id: "string" }, { sent: "boolean" }, { id: "string", sent: "boolean" }, { at: "string" }];

test("either side proposes, the other agrees to the same endpoints, backend builds them", () => {
  for (const [first, second] of [
    ["frontend", "backend"],
    ["backend", "frontend"],
  ] as const) {
    assert.equal(status(say(first, "proposed", a, 1)), "proposed");
    assert.equal(status(say(first, "proposed", a, 1), say(second, "agreed", a, 2)), "agreed");
    const built = [say(first, "proposed", a, 1), say(second, "agreed", a, 2), say("backend", "implemented", a, 3)];
    assert.equal(status(...built), "implemented");
  }
});

test("a review that changes the order in which departments begin says so to all who read it", () => {
  const review = (seq: number, ...order: readonly ("uiux" | "frontend")[]): DepartmentCommand => ({
    command: "review-phase",
    phase: "1",
    review: { by: "owner-1", seq, needed: ["uiux", "frontend"], order, priorities: [], risks: [] },
  });
  const [first, other] = [review(1, "uiux", "frontend"), review(2, "frontend", "uiux")];
  assert.deepEqual(given(departments, []).when(first).thenEvents(after(first)).notes, []);
  const { notes } = given(departments, after(first)).when(other).thenEvents(after(first, other).slice(1));
  assert.match(notes[0]?.message ?? "", /is frontend, uiux now; by entry 1 it was uiux, frontend/);
});

test("what is out of step is noted and changes nothing", () => {
  const proposed = after(say("frontend", "proposed", a, 1));
  const agreed = after(say("frontend", "proposed", a, 1), say("backend", "agreed", a, 2));
  given(departments, [])
    .when(say("backend", "agreed", a, 2))
    .thenNothing("api-unproposed");
  given(departments, proposed)
    .when(say("frontend", "agreed", a, 2))
    .thenNothing("api-own-proposal");
  given(departments, proposed)
    .when(say("backend", "agreed", b, 2))
    .thenNothing("api-differs");
  given(departments, proposed)
    .when(say("backend", "implemented", a, 2))
    .thenNothing("api-unagreed");
  given(departments, agreed)
    .when(say("frontend", "implemented", a, 3))
    .thenNothing("api-not-backend");
  given(departments, agreed)
    .when(say("backend", "implemented", b, 3))
    .thenNothing("api-differs");
  given(departments, agreed)
    .when(say("frontend", "agreed", a, 3))
    .thenNothing("already-so");
});

test("the third counter-proposal goes to the owner; agreement settles it, and a new proposal restarts the count", () => {
  const two = [say("frontend", "proposed", a, 1), say("backend", "proposed", b, 2), say("frontend", "proposed", c, 3)];
  assert.equal(status(...two), "proposed");
  const three = [...two, say("backend", "proposed", d, 4)];
  assert.equal(status(...three), "disputed");
  const last = after(...three).at(-1);
  assert.ok(last?.event === "api-negotiated" && last.isAtLimit);
  assert.deepEqual(last.contract.steps.at(-1)?.differences, [
    '~ POST /codes response {"id":"string","sent":"boolean"} -> {"at":"string"}',
  ]);
  assert.equal(status(...three, say("frontend", "agreed", d, 5)), "agreed");
  const anew = after(...three, say("frontend", "agreed", d, 5), say("backend", "proposed", a, 6)).at(-1);
  assert.ok(anew?.event === "api-negotiated" && anew.contract.counters === 0 && !anew.isAtLimit);
});

test("a phase holds several contracts by their endpoints, and one word may be about several", () => {
  const paths = (command: DepartmentCommand, ...names: readonly string[]): DepartmentCommand => {
    assert.ok(command.command === "negotiate-api");
    const endpoints = names.map((path) => ({ method: "GET", path, request: {}, response: {} }));
    return { ...command, body: { ...command.body, endpoints } };
  };
  const apis = (...commands: readonly DepartmentCommand[]) => {
    const state = after(...commands).reduce((known, event) => departments.evolve(known, event), departments.initial());
    return departmentsOf(state, "1").apis.map((api) => [api.status, ...api.endpoints.map(({ path }) => path)]);
  };
  const agreed = [paths(say("frontend", "proposed", a, 1), "/a"), paths(say("backend", "agreed", a, 2), "/a")];
  const two = [...agreed, paths(say("backend", "proposed", a, 3), "/b", "/c")];
  assert.deepEqual(apis(...two), [
    ["agreed", "/a"],
    ["proposed", "/b", "/c"],
  ]);
  const both = [
    ...two,
    paths(say("frontend", "agreed", a, 4), "/b", "/c"),
    paths(say("backend", "implemented", a, 5), "/a"),
  ];
  assert.deepEqual(apis(...both), [
    ["agreed", "/b", "/c"],
    ["implemented", "/a"],
  ]);
  const third = [...two, paths(say("frontend", "proposed", a, 4), "/b"), paths(say("backend", "proposed", a, 5), "/d")];
  assert.deepEqual(apis(...third), [
    ["agreed", "/a"],
    ["proposed", "/b"],
    ["proposed", "/d"],
  ]);
  assert.deepEqual(apis(...third, paths(say("backend", "agreed", a, 6), "/a", "/b")), [
    ["proposed", "/d"],
    ["agreed", "/a", "/b"],
  ]);
});

test("a side that thinks again before the other answered counters nobody", () => {
  const again = after(say("frontend", "proposed", a, 1), say("frontend", "proposed", b, 2)).at(-1);
  assert.ok(again?.event === "api-negotiated" && again.contract.counters === 0);
});

test("endpoints are the same in any order of them and of their fields", () => {
  const one = endpointsOf([
    ...post({ id: "string", at: "string" }),
    { method: "GET", path: "/a", request: {}, response: {} },
  ]);
  const two = endpointsOf([
    { response: {}, path: "/a", method: "get", request: {} },
    ...post({ at: "string", id: "string" }),
  ]);
  assert.equal(hashOfEndpoints(one), hashOfEndpoints(two));
  assert.deepEqual(endpointDifferences(one, two), []);
  assert.deepEqual(endpointDifferences(one, one.slice(0, 1)), ["- POST /codes"]);
});
