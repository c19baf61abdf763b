import assert from "node:assert/strict";
import { test } from "node:test";
import { given } from "../../testing/given.ts";
import type { BreakerEvent } from "../state.ts";
import { type BreakerCommand, barredBy, breakers, maySpawn, nextBreakerDeadline } from "./breakers.ts";

const limits = { failures: 2, windowMs: 300_000, openMs: 120_000, probeMs: 60_000 };
const scope = "backend";

const fail = (atMs: number, agents: readonly string[] = ["dev-1"], seq = 9): BreakerCommand => {
  return { command: "count-failures", scope, agents, limits, seq, atMs };
};
const pass = (atMs: number, signs: readonly (readonly [string, number])[] = []): BreakerCommand => {
  return { command: "pass-time", signs, limits, seq: 9, atMs };
};
const admit = (agent: string, atMs = 1): BreakerCommand => ({ command: "admit-agent", scope, agent, limits, atMs });
const show = (agent: string): BreakerCommand => ({ command: "show-agent", scope, agent, atMs: 1 });

const counted = (failures: readonly number[], agents: readonly string[] = ["dev-1"]): BreakerEvent => {
  return { event: "breaker-counted", scope, agents, failures, atMs: failures.at(-1) ?? 0 };
};
const opened = (atMs: number, seq = 9): BreakerEvent => {
  return { event: "breaker-opened", scope, seq, atMs, dueAtMs: atMs + limits.openMs };
};
const halfOpened: BreakerEvent = { event: "breaker-half-opened", scope, atMs: 121_000 };
const probed: BreakerEvent = { event: "breaker-probed", scope, agent: "dev-9", atMs: 130_000, dueAtMs: 190_000 };
const closed = (agent: string, atMs = 1): BreakerEvent => ({ event: "breaker-closed", scope, agent, atMs });

const open = [counted([500]), counted([500, 1_000], ["dev-2"]), opened(1_000)];
const waiting = [...open, halfOpened];
const trying = [...waiting, probed];
const again = "each disappearance counts";

test("two disappearances within the window open it, further apart they do not", () => {
  given(breakers, [])
    .when(fail(500))
    .repeatable(again)
    .thenEvents([counted([500])]);
  given(breakers, [counted([500])])
    .when(fail(300_499, ["dev-2"]))
    .repeatable(again)
    .thenEvents([counted([500, 300_499], ["dev-2"]), opened(300_499)]);
  // One agent alone, silent and back and silent, opens nothing.
  given(breakers, [counted([500])])
    .when(fail(300_499))
    .repeatable(again)
    .thenEvents([counted([300_499])]);
  given(breakers, [counted([500])])
    .when(fail(300_500))
    .repeatable(again)
    .thenEvents([counted([300_500])]);
});

test("two in one entry open it, and one department does not open another's", () => {
  const both = ["dev-1", "dev-2"];
  const { state } = given(breakers, [])
    .when(fail(700, both))
    .repeatable(again)
    .thenEvents([counted([700, 700], both), opened(700)]);
  assert.deepEqual([...state.keys()], [scope]);
});

test("what is open counts on, and does not stay open for longer", () => {
  const { state } = given(breakers, open)
    .when(fail(2_000, ["dev-3"]))
    .repeatable(again)
    .thenEvents([counted([500, 1_000, 2_000], ["dev-3"])]);
  assert.equal(nextBreakerDeadline(state), 121_000);
});

test("after its time it is half-open, late and never early", () => {
  given(breakers, open).when(pass(120_999)).thenNothing(null);
  const { state } = given(breakers, open).when(pass(121_000)).thenEvents([halfOpened]);
  assert.equal(nextBreakerDeadline(state), null);
});

test("open lets no new agent in, half-open one, closed all", () => {
  given(breakers, open).when(admit("dev-9")).thenRefused("breaker-open");
  given(breakers, waiting).when(admit("dev-9", 130_000)).thenEvents([probed]);
  const problems = given(breakers, trying).when(admit("dev-8")).thenRefused("breaker-open");
  assert.match(problems[0]?.hint ?? "", /^spawn: task/);
  given(breakers, trying).when(admit("dev-9")).thenNothing(null);
  given(breakers, []).when(admit("dev-9")).thenNothing(null);
});

test("a probe that sends a heartbeat closes it, and the count restarts", () => {
  const { state } = given(breakers, trying)
    .when(show("dev-9"))
    .thenEvents([closed("dev-9")]);
  assert.deepEqual(state.get(scope)?.failures, []);
  given(breakers, [...trying, closed("dev-9")])
    .when(fail(400_000))
    .repeatable(again)
    .thenEvents([counted([400_000])]);
  given(breakers, trying).when(show("dev-8")).thenNothing(null);
  given(breakers, open).when(show("dev-9")).thenNothing(null);
  given(breakers, waiting)
    .when(show("dev-8"))
    .thenEvents([closed("dev-8")]);
});

test("a probe that stays silent opens it again, for its whole time; a heartbeat outside the record counts", () => {
  given(breakers, trying).when(pass(189_999)).thenNothing(null);
  given(breakers, trying)
    .when(pass(190_000))
    .thenEvents([opened(190_000)]);
  given(breakers, trying)
    .when(pass(190_000, [["dev-9", 130_000]]))
    .thenEvents([opened(190_000)]);
  given(breakers, trying)
    .when(pass(190_000, [["dev-9", 130_001]]))
    .thenEvents([closed("dev-9", 190_000)]);
});

test("the probe that disappears opens it again at once", () => {
  given(breakers, trying)
    .when(fail(150_000, ["dev-9"]))
    .repeatable(again)
    .thenEvents([counted([500, 1_000, 150_000], ["dev-9"]), opened(150_000)]);
});

test("who was at work before it opened goes on, who came since does not, until it closes", () => {
  const state = trying.reduce(breakers.evolve, breakers.initial());
  const breaker = state.get(scope);
  assert.equal(barredBy(breaker, "dev-3", 8), null);
  assert.equal(barredBy(breaker, "dev-9", null), null);
  assert.equal(barredBy(breaker, "dev-3", 10)?.code, "breaker-open");
  assert.equal(barredBy(breaker, "dev-3", null)?.code, "breaker-open");
  assert.equal(barredBy(undefined, "dev-3", null), null);
  const reopened = breakers.evolve(state, opened(190_000, 40));
  assert.equal(barredBy(reopened.get(scope), "dev-3", 20)?.code, "breaker-open", "since it first opened");
  const whole = breakers.evolve(reopened, closed("dev-9"));
  assert.equal(barredBy(whole.get(scope), "dev-3", null), null);
});

test("the advice is teammate where one would be let in", () => {
  const advice = (events: readonly BreakerEvent[]) => {
    const breaker = events.reduce(breakers.evolve, breakers.initial()).get(scope);
    return breaker === undefined || maySpawn(breaker);
  };
  assert.deepEqual([[], open, waiting, trying].map(advice), [true, false, true, false]);
});
