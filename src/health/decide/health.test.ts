import assert from "node:assert/strict";
import { test } from "node:test";
import { given } from "../../testing/given.ts";
import type { HealthEvent } from "../state.ts";
import { type HealthCommand, health, healthOf, isExpected, keepActAfterEnd, keepStart } from "./health.ts";

const unseenMs = 100_000;
const begun = (agent: string, atMs: number, program = "p-1", seq = 5): HealthEvent => ({
  event: "program-begun",
  agent,
  session: 1,
  program,
  seq,
  atMs,
});
const begin = (program: string): HealthCommand => ({
  command: "begin-program",
  agent: "dev-1",
  session: 1,
  program,
  seq: 9,
  atMs: 9_000,
});
const end = (program: string, isHolding = false): HealthCommand => ({
  command: "end-program",
  agent: "dev-1",
  program,
  isHolding,
  seq: 9,
  atMs: 9_000,
});
const silence = (
  atMs: number,
  signs: readonly (readonly [string, number])[],
  more: { readonly silent?: readonly string[]; readonly leaseOver?: readonly string[] } = {},
): HealthCommand => {
  const { silent = signs.map(([agent]) => agent), leaseOver = [] } = more;
  const sessions = { "dev-1": { session: 1, tasks: ["1-1-T1"] }, "dev-2": { session: 2, tasks: [] } };
  return { command: "pass-silence", signs, silent, unseenMs, leaseOver, sessions, atMs };
};
const lost = (agent: string, atMs: number, more: object = {}) => ({
  event: "agent-disappeared" as const,
  agent,
  session: agent === "dev-2" ? 2 : 1,
  cause: "program" as const,
  lastSignMs: 1_000,
  tasks: agent === "dev-1" ? ["1-1-T1"] : [],
  atMs,
  ...more,
});

test("a program begins once; another takes its place, and the first cannot take it back by saying so again", () => {
  given(health, [])
    .when(begin("p-1"))
    .thenEvents([begun("dev-1", 9_000, "p-1", 9)]);
  given(health, [begun("dev-1", 1_000)])
    .when(begin("p-1"))
    .thenNothing("already-so");
  const { state } = given(health, [begun("dev-1", 1_000)])
    .when(begin("p-2"))
    .thenEvents([begun("dev-1", 9_000, "p-2", 9)]);
  assert.equal(state.programs.get("dev-1")?.program, "p-2");
});

test("the end of a program that was replaced is nobody's end", () => {
  const ended = {
    event: "program-ended",
    agent: "dev-1",
    program: "p-1",
    isHolding: false,
    seq: 9,
    atMs: 9_000,
  } as const;
  given(health, [begun("dev-1", 1_000)])
    .when(end("p-1"))
    .thenEvents([ended]);
  given(health, [begun("dev-1", 1_000), begun("dev-1", 2_000, "p-2")])
    .when(end("p-1"))
    .thenNothing("already-so");
});

test("silence is judged by the last sign, late and never early", () => {
  given(health, [begun("dev-1", 1_000)])
    .when(silence(1_000 + unseenMs - 1, [["dev-1", 0]], { silent: [] }))
    .thenNothing(null);
  given(health, [begun("dev-1", 1_000)])
    .when(silence(1_000 + unseenMs, [["dev-1", 1_000]]))
    .thenEvents([lost("dev-1", 1_000 + unseenMs)]);
});

test("an agent whose heartbeat is outside the record counts as alive, and so do all others", () => {
  const given1 = given(health, [begun("dev-1", 1_000), begun("dev-2", 50_000)]);
  const asked = silence(
    1_000 + unseenMs,
    [
      ["dev-1", 1_001],
      ["dev-2", 60_000],
    ],
    { silent: ["dev-1"] },
  );
  const { state } = given1.when(asked).thenEvents([
    {
      event: "agents-heard",
      agents: [
        { agent: "dev-1", signMs: 1_001 },
        { agent: "dev-2", signMs: 60_000 },
      ],
    },
  ]);
  assert.deepEqual(
    [...state.signs],
    [
      ["dev-1", 1_001],
      ["dev-2", 60_000],
    ],
  );
});

test("a lease that is over means the same for an agent without a program, once", () => {
  const { state } = given(health, [])
    .when(silence(400_000, [["dev-2", 0]], { silent: [], leaseOver: ["dev-2"] }))
    .thenEvents([lost("dev-2", 400_000, { cause: "lease", lastSignMs: null })]);
  assert.equal(healthOf(state, "dev-2", { hasShown: true, isHolding: false }), "disappeared");
});

test("a disappeared agent comes back once, is expected again, and can disappear again", () => {
  const away = [begun("dev-1", 1_000), lost("dev-1", 200_000)];
  const back: HealthCommand = { command: "return-agent", agent: "dev-1", session: 1, atMs: 300_000 };
  const returned = { event: "agent-returned", agent: "dev-1", session: 1, atMs: 300_000 } as const;
  const { state } = given(health, away).when(back).thenEvents([returned]);
  assert.equal(isExpected(state, "dev-1", false), true);
  assert.equal(healthOf(state, "dev-1", { hasShown: false, isHolding: false }), "idle");
  given(health, [begun("dev-1", 1_000)])
    .when(back)
    .thenNothing("already-so");
  given(health, [...away, returned])
    .when(silence(300_000 + unseenMs, [["dev-1", 300_000]]))
    .thenEvents([lost("dev-1", 300_000 + unseenMs, { lastSignMs: 300_000 })]);
});

test("an agent that disappeared before it acted starts with its first own entry, and with no later one", () => {
  const state = health.evolve(health.initial(), lost("dev-1", 200_000, { cause: "lease" }));
  const startedSeq = () => state.agents.get("dev-1")?.startedSeq;
  assert.equal(startedSeq(), null);
  health.evolve(state, { event: "agent-returned", agent: "dev-1", session: 1, atMs: 300_000 });
  assert.equal(startedSeq(), null, "it sent a heartbeat, which is no entry");
  for (const seq of [7, 8]) keepStart(state, "dev-1", { session: 1, startedSeq: seq });
  assert.deepEqual(state.agents.get("dev-1"), { session: 1, startedSeq: 7, lost: null, returnedAtMs: 300_000 });
});

test("the state of an agent", () => {
  const state = health.initial();
  const none = { hasShown: false, isHolding: false };
  assert.equal(healthOf(state, "dev-1", none), "start");
  assert.equal(healthOf(state, "dev-1", { ...none, hasShown: true }), "idle");
  keepStart(state, "dev-1", { session: 1, startedSeq: 3 });
  assert.equal(healthOf(state, "dev-1", none), "idle");
  assert.equal(healthOf(state, "dev-1", { ...none, isHolding: true }), "working");
});

test("after its program's end an agent is expected only where it was in mid-work and showed itself by no other way", () => {
  const after = (isHolding: boolean) => {
    const state = health.evolve(health.initial(), begun("dev-1", 1_000));
    return health.evolve(state, { event: "program-ended", agent: "dev-1", program: "p-1", isHolding, seq: 7, atMs: 2 });
  };
  assert.equal(isExpected(after(false), "dev-1", true), false);
  const working = after(true);
  assert.equal(isExpected(working, "dev-1", true), true);
  assert.equal(isExpected(working, "dev-1", false), false);
  keepActAfterEnd(working, "dev-1", 7);
  assert.equal(isExpected(working, "dev-1", true), true, "the entry that ended it is no other way");
  keepActAfterEnd(working, "dev-1", 8);
  assert.equal(isExpected(working, "dev-1", true), false);
});
