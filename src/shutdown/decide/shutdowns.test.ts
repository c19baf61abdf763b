import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { decodeState, encodeState } from "../../base/state-codec.ts";
import { given } from "../../testing/given.ts";
import type { ShutdownEvent } from "../state.ts";
import { latestRound, nextRoundDeadline, type Shutdowns, stillWaiting } from "./shutdown-rounds.ts";
import { askingsMax, type ShutdownCommand, shutdownDeadlineMs, shutdownDeadlineMsMax, shutdowns } from "./shutdowns.ts";

const deadlineMs = 2_000;

function start(agents: readonly string[], more: Partial<Extract<ShutdownCommand, { command: "start-round" }>> = {}) {
  return {
    command: "start-round" as const,
    requestId: "shut-1",
    requester: "lead-1",
    body: { reason: "phase_complete" },
    phase: 1,
    deadlineMs,
    agents: agents.map((agent) => ({ agent, session: 1, addressed: true })),
    seq: 10,
    atMs: 1_000,
    ...more,
  };
}

test("a second request under another id gets the round that still waits for the same agents", () => {
  const second = start(["dev-1"], { requestId: "shut-2", seq: 11 });
  const { notes } = given(shutdowns, after(start(["dev-1", "qa-1"])))
    .when(second)
    .thenEvents(after(second));
  assert.deepEqual(
    notes.map(({ code, message }) => [code, message.includes('"shut-1"')]),
    [["asked-already", true]],
  );
});

type Body = Extract<ShutdownCommand, { command: "answer-shutdown" }>["body"];
const clean: Body = { requestId: "shut-1", approved: true, finalStatus: "complete" };
const no: Body = { requestId: "shut-1", approved: false, finalStatus: "in_progress", pendingWork: "mid-write" };

function answer(answerer: string, body: Body, seq = 11, atMs = 1_500) {
  return { command: "answer-shutdown" as const, answerer, body, claims: {}, seq, atMs };
}

function pass(atMs: number, seq = 12): ShutdownCommand {
  return { command: "pass-deadline", claims: {}, seq, atMs };
}

/** The events of these commands, one after the other; each must be taken. */
function after(...commands: readonly ShutdownCommand[]): readonly ShutdownEvent[] {
  let state = shutdowns.initial();
  return commands.flatMap((command) => {
    const decided = shutdowns.decide(command, state);
    assert.ok(decided.ok, JSON.stringify(decided));
    for (const event of decided.value.events) state = shutdowns.evolve(state, structuredClone(event));
    return decided.value.events;
  });
}

function stateAfter(...commands: readonly ShutdownCommand[]): Shutdowns {
  return after(...commands).reduce(
    (state, event) => shutdowns.evolve(state, structuredClone(event)),
    shutdowns.initial(),
  );
}

function outcomeOf(state: Shutdowns, agent: string, round = "shut-1") {
  return latestRound(state, round)?.agents.get(agent)?.outcome;
}

/** One agent's answers, and how its part and the round end. */
const endings: readonly (readonly [name: string, commands: readonly ShutdownCommand[], string, string])[] = [
  ["a clean answer", [answer("dev-1", clean)], "clean", "complete"],
  ["work that goes on", [answer("dev-1", { ...clean, finalStatus: "in_progress" })], "in_progress", "incomplete"],
  [
    "the first revision's error",
    [answer("dev-1", { approved: true, finalStatus: "idle", stopStatus: "error" })],
    "error",
    "incomplete",
  ],
  ["idle is clean", [answer("dev-1", { ...clean, finalStatus: "idle" })], "clean", "complete"],
  [
    "a refusal, then clean",
    [answer("dev-1", no), pass(1_500), answer("dev-1", clean, 13, 2_900)],
    "refused-then-clean",
    "complete",
  ],
  [
    "clean, unasked after a refusal",
    [answer("dev-1", no), answer("dev-1", clean, 12)],
    "refused-then-clean",
    "complete",
  ],
  ["silence to the deadline", [pass(3_000)], "forced", "incomplete"],
  ["a refusal, then silence", [answer("dev-1", no), pass(1_500), pass(3_000, 13)], "forced", "incomplete"],
  [
    "a refusal of each asking",
    [1, 2, 3, 4].flatMap((time) => [answer("dev-1", no, 10 + 2 * time), pass(1_500, 11 + 2 * time)]),
    "forced",
    "incomplete",
  ],
  [
    "leaving the team",
    [{ command: "end-agents", agents: ["dev-1"], claims: {}, seq: 11, atMs: 1_200 }],
    "forced",
    "incomplete",
  ],
];

for (const [name, commands, ending, status] of endings) {
  test(`a round ends with ${name}: ${ending}, ${status}`, () => {
    const state = stateAfter(start(["dev-1"]), ...commands);
    assert.equal(outcomeOf(state, "dev-1"), ending);
    const round = state.rounds.get("lead-1/shut-1");
    assert.equal(round?.status, status);
    assert.equal(round?.waiting, 0);
    assert.equal(nextRoundDeadline(state), null, "nothing is due any more");
    assert.deepEqual([...state.asked.keys()], []);
    assert.equal(state.stops.get("dev-1")?.outcome, ending);
  });
}

test("asks everybody, and leaves alone whom no dialect asks", () => {
  const agents = [
    { agent: "dev-1", session: 1, addressed: true },
    { agent: "architect-1", session: 2, addressed: false },
    { agent: "lead-1", session: 1, addressed: true },
  ];
  const { state } = given(shutdowns, [])
    .when(start([], { agents }))
    .thenEvents(after(start([], { agents })));
  const round = state.rounds.get("lead-1/shut-1");
  assert.deepEqual([...(round?.agents.keys() ?? [])], ["dev-1", "architect-1"], "never the one who asks");
  assert.equal(outcomeOf(state, "architect-1"), "not_addressed");
  assert.equal(round?.waiting, 1);
});

test("a round that has nobody to ask is over at once, and complete", () => {
  const state = stateAfter(start([]));
  assert.equal(state.rounds.get("lead-1/shut-1")?.status, "complete");
  assert.equal(nextRoundDeadline(state), null);
});

test("who refuses is asked again at once, three more times, and the others have their one deadline", () => {
  const acts: ShutdownCommand[] = [start(["dev-1", "dev-2"])];
  for (const asked of [2, 3, 4]) {
    acts.push(answer("dev-2", no, 2 * asked));
    given(shutdowns, after(...acts))
      .when(pass(1_500, 2 * asked + 1))
      .thenEvents([
        {
          event: "shutdown-repeated",
          requestId: "shut-1",
          agents: ["dev-2"],
          asked,
          dueAtMs: 3_000,
          seq: 2 * asked + 1,
        },
      ]);
    acts.push(pass(1_500, 2 * asked + 1));
    given(shutdowns, after(...acts))
      .when(pass(2_999))
      .thenNothing(null);
  }
  acts.push(answer("dev-2", no, 20));
  given(shutdowns, after(...acts))
    .when(pass(1_500, 21))
    .thenEvents([
      { event: "shutdown-forced", requestId: "shut-1", agents: ["dev-2"], claims: {}, seq: 21, atMs: 1_500 },
    ]);
  const state = stateAfter(...acts, pass(1_500, 21));
  assert.deepEqual([outcomeOf(state, "dev-1"), outcomeOf(state, "dev-2")], [null, "forced"]);
  assert.equal(nextRoundDeadline(state), 3_000);
});

test("two that refuse at once are asked again one after the other", () => {
  const acts = [start(["dev-1", "dev-2"]), answer("dev-1", no), answer("dev-2", no, 12)];
  const again = after(...acts, pass(1_500, 13), pass(1_500, 14), pass(1_500, 15)).slice(3);
  assert.deepEqual(
    again.map((each) => (each.event === "shutdown-repeated" ? [...each.agents, each.asked] : each)),
    [
      ["dev-1", 2],
      ["dev-2", 2],
    ],
  );
});

test("who stops with a task in hand leaves it behind: the round is incomplete, and says which", () => {
  const claims = { "dev-1": ["1-1-T1"], "dev-2": ["1-1-T2"] };
  const said = { ...answer("dev-1", clean), claims };
  const state = stateAfter(start(["dev-1"]), said);
  assert.equal(outcomeOf(state, "dev-1"), "clean");
  const round = latestRound(state, "shut-1");
  assert.deepEqual(round?.agents.get("dev-1")?.claims, ["1-1-T1"]);
  assert.equal(round?.status, "incomplete");
});

test("the deadline forces the agents that are left, never before it, and ends the round", () => {
  const begun = after(start(["dev-1", "dev-2"]), answer("dev-1", clean));
  given(shutdowns, begun).when(pass(2_999)).thenNothing(null);
  given(shutdowns, begun)
    .when(pass(3_400, 14))
    .thenEvents([
      { event: "shutdown-forced", requestId: "shut-1", agents: ["dev-2"], claims: {}, seq: 14, atMs: 3_400 },
      { event: "shutdown-ended", requestId: "shut-1", outcome: "incomplete", seq: 14, atMs: 3_400 },
    ]);
});

test("an older journal's round that asked again by its deadlines is folded as it was", () => {
  const begun = after(start(["dev-1", "dev-2"]), answer("dev-1", no));
  const again = { event: "shutdown-repeated", requestId: "shut-1", agents: ["dev-1", "dev-2"] } as const;
  const state = [...begun, { ...again, asked: 2, dueAtMs: 5_000, seq: 12 }].reduce(
    (folded, event) => shutdowns.evolve(folded, structuredClone(event)),
    shutdowns.initial(),
  );
  const parts = [...(latestRound(state, "shut-1")?.agents.values() ?? [])];
  assert.deepEqual(
    parts.map(({ refusals, silences }) => [refusals, silences]),
    [
      [1, 0],
      [0, 1],
    ],
  );
  assert.equal(nextRoundDeadline(state), 5_000);
  const late = shutdowns.decide(answer("dev-2", clean, 13, 4_000), state);
  assert.ok(late.ok);
  const [answered] = late.value.events;
  assert.equal(answered?.event === "shutdown-answered" ? answered.outcome : null, "late");
});

test("a refusal keeps what it says is pending, counts once an asking, and the agent works on", () => {
  const refused = after(start(["dev-1"]), answer("dev-1", no));
  given(shutdowns, refused)
    .when(answer("dev-1", { ...no, pendingWork: "again" }, 12))
    .thenNothing("answer-unchanged");
  const state = stateAfter(start(["dev-1"]), answer("dev-1", no));
  assert.deepEqual(state.rounds.get("lead-1/shut-1")?.agents.get("dev-1")?.pendingWork, ["mid-write"]);
  assert.equal(state.stops.has("dev-1"), false);
});

test("an answer that names no request, or a wrong one, is taken for the one that waits", () => {
  const { requestId: _, ...unnamed } = clean;
  const begun = after(start(["dev-1"]));
  given(shutdowns, begun)
    .when(answer("dev-1", unnamed))
    .thenEvents(after(start(["dev-1"]), answer("dev-1", clean)).slice(1));
  const { notes } = given(shutdowns, begun)
    .when(answer("dev-1", { ...clean, requestId: "shut-9" }))
    .thenEvents(after(start(["dev-1"]), answer("dev-1", clean)).slice(1));
  assert.equal(notes[0]?.code, "request-matched");
});

test("an answer that nobody asked for is out of step", () => {
  given(shutdowns, []).when(answer("dev-1", clean)).thenNothing("no-open-request");
  given(shutdowns, after(start(["dev-1"]), answer("dev-1", clean)))
    .when(answer("dev-1", no, 12))
    .thenNothing("no-open-request");
});

test("an answer that names a round that is over stops nobody in the next one", () => {
  const next = start(["dev-1"], { requestId: "shut-2", seq: 20, atMs: 2_000 });
  given(shutdowns, after(start(["dev-1"]), answer("dev-1", clean), next))
    .when(answer("dev-1", clean, 21))
    .thenNothing("no-open-request");
});

const second = start(["dev-1", "dev-2"], { requestId: "shut-2", requester: "owner", seq: 11, atMs: 1_100 });

test("who stops, stops for everybody who asked; a refusal must say whom it refuses", () => {
  const begun = after(start(["dev-1"]), second);
  const state = stateAfter(start(["dev-1"]), second, answer("dev-1", { ...clean, requestId: "shut-2" }, 12));
  assert.equal(state.rounds.get("lead-1/shut-1")?.status, "complete");
  assert.equal(outcomeOf(state, "dev-1", "shut-2"), "clean");
  assert.equal(state.stops.get("dev-1")?.requestId, "shut-2", "it stopped by the one that it named");
  assert.equal(state.rounds.get("owner/shut-2")?.status, "open");
  given(shutdowns, begun)
    .when(answer("dev-1", { ...no, requestId: "wrong" }, 12))
    .thenNothing("ambiguous-request");
  const { state: refused } = given(shutdowns, begun)
    .when(answer("dev-1", { ...no, requestId: "shut-2" }, 12))
    .thenEvents(after(start(["dev-1"]), second, answer("dev-1", { ...no, requestId: "shut-2" }, 12)).slice(2));
  assert.equal(refused.rounds.get("lead-1/shut-1")?.agents.get("dev-1")?.refusals, 0);
  assert.equal(refused.rounds.get("owner/shut-2")?.agents.get("dev-1")?.refusals, 1);
});

test("who is forced in one round has stopped for every other", () => {
  const longer = { ...second, deadlineMs: 60_000 };
  const state = stateAfter(start(["dev-1"]), longer, pass(3_000), pass(5_000, 13), pass(7_000, 14));
  assert.equal(outcomeOf(state, "dev-1", "shut-2"), "forced");
  assert.equal(state.rounds.get("owner/shut-2")?.status, "open");
  assert.deepEqual(
    stillWaiting(state.rounds.get("owner/shut-2") ?? assert.fail("kept")).map(({ agent }) => agent),
    ["dev-2"],
  );
});

test("an id names one round: another's open one is taken, a repeat changes nothing", () => {
  const begun = after(start(["dev-1"]));
  given(shutdowns, begun)
    .when(start(["dev-2"]))
    .thenNothing("request-unchanged");
  given(shutdowns, begun)
    .when(start(["dev-1"], { requester: "lead-2" }))
    .thenRefused("id-taken");
  given(shutdowns, begun)
    .when(start(["dev-1"], { body: { reason: "user_abort" } }))
    .thenRefused("id-conflict");
  const again = start(["dev-1"], { requester: "lead-2" });
  const { state } = given(shutdowns, after(start(["dev-1"]), answer("dev-1", clean)))
    .when(again)
    .thenEvents(after(again));
  assert.equal(state.rounds.get("lead-1/shut-1")?.status, "complete", "the first certificate stands");
  assert.equal(state.rounds.get("lead-2/shut-1")?.status, "open");
});

const deadlines: readonly (readonly [number | null, number, string | undefined])[] = [
  [null, shutdownDeadlineMs, undefined],
  [0.4, 1, undefined],
  [2_000, 2_000, undefined],
  [0, shutdownDeadlineMs, "deadline-changed"],
  [-5, shutdownDeadlineMs, "deadline-changed"],
  [Number.NaN, shutdownDeadlineMs, "deadline-changed"],
  [1e18, shutdownDeadlineMsMax, "deadline-changed"],
];

for (const [asked, taken, note] of deadlines) {
  test(`a deadline of ${asked} ms is taken as ${taken} ms`, () => {
    const decided = shutdowns.decide(start(["dev-1"], { deadlineMs: asked }), shutdowns.initial());
    assert.ok(decided.ok);
    const [started] = decided.value.events;
    assert.equal(started?.event === "shutdown-started" ? started.round.deadlineMs : null, taken);
    assert.equal(decided.value.notes[0]?.code, note);
  });
}

const seed = 60_411;

test(`whatever agents do, every round ends with everybody asked at most ${askingsMax} times (seed ${seed})`, () => {
  const agents = ["dev-1", "dev-2", "qa-1", "constructor"];
  const act = fc.oneof(
    {
      weight: 2,
      arbitrary: fc.record({
        act: fc.constant("start" as const),
        id: fc.constantFrom("a", "b", "c"),
        who: fc.constantFrom("lead-1", "owner"),
        agents: fc.subarray(agents),
        deadlineMs: fc.constantFrom(null, 500, 2_000),
      }),
    },
    {
      weight: 5,
      arbitrary: fc.record({
        act: fc.constant("answer" as const),
        who: fc.constantFrom(...agents),
        id: fc.constantFrom("a", "b", undefined),
        approved: fc.boolean(),
        status: fc.constantFrom("complete", "in_progress", "idle"),
      }),
    },
    { weight: 1, arbitrary: fc.record({ act: fc.constant("leave" as const), who: fc.constantFrom(...agents) }) },
    { weight: 5, arbitrary: fc.record({ act: fc.constant("wait" as const), ms: fc.integer({ min: 1, max: 3_000 }) }) },
  );
  let rounds = 0;
  let forced = 0;
  fc.assert(
    fc.property(fc.array(act, { minLength: 6, maxLength: 30 }), (acts) => {
      const events: ShutdownEvent[] = [];
      let state = shutdowns.initial();
      let [seq, atMs] = [0, 0];
      const give = (command: ShutdownCommand): number => {
        const decided = shutdowns.decide(command, state);
        if (!decided.ok) return 0;
        for (const event of decided.value.events) {
          if (event.event === "shutdown-repeated") {
            const parts = latestRound(state, event.requestId)?.agents;
            assert.ok(
              event.agents.every((agent) => (parts?.get(agent)?.refusedAt ?? 0) > 0),
              "who refused alone",
            );
          }
          state = shutdowns.evolve(state, structuredClone(event));
          events.push(event);
        }
        return decided.value.events.length;
      };
      const pass = () => {
        while (give({ command: "pass-deadline", claims: {}, seq: ++seq, atMs }) > 0);
      };
      for (const each of acts) {
        seq += 1;
        if (each.act === "start") {
          give(start(each.agents, { requestId: each.id, requester: each.who, deadlineMs: each.deadlineMs, seq, atMs }));
        } else if (each.act === "answer") {
          const { id, approved, status } = each;
          give(
            answer(
              each.who,
              { ...(id === undefined ? {} : { requestId: id }), approved, finalStatus: status },
              seq,
              atMs,
            ),
          );
        } else if (each.act === "leave") give({ command: "end-agents", agents: [each.who], claims: {}, seq, atMs });
        else {
          atMs += each.ms;
          pass();
        }
      }
      // Nobody says anything more: every round ends all the same.
      atMs += shutdownDeadlineMs;
      pass();
      assert.equal(nextRoundDeadline(state), null);
      assert.equal(state.asked.size, 0);
      for (const round of state.rounds.values()) {
        rounds += 1;
        const parts = [...round.agents.values()];
        assert.notEqual(round.status, "open");
        assert.ok(round.asked <= askingsMax);
        assert.equal(parts.filter(({ outcome }) => outcome === null).length, 0, "everybody's part ended");
        assert.ok((round.endedAtMs ?? Number.POSITIVE_INFINITY) >= round.startedAtMs);
        forced += parts.filter(({ outcome }) => outcome === "forced").length;
        for (const { agent } of parts) {
          // Another's later round may have the same id.
          const within = events.filter(
            (event) => "seq" in event && event.seq >= (round.seqs[0] ?? 0) && event.seq <= (round.endedSeq ?? 0),
          );
          const ends = within.filter(
            (event) =>
              (event.event === "shutdown-answered" && event.answerer === agent && event.outcome !== null) ||
              (event.event === "shutdown-forced" && event.agents.includes(agent)),
          );
          const here = ends.filter((event) => "requestId" in event && event.requestId === round.requestId);
          assert.equal(here.length, 1, `${agent} ends once`);
        }
      }
      assert.deepStrictEqual(decodeState(encodeState(state)), state);
      assert.deepStrictEqual(
        events.reduce((folded, event) => shutdowns.evolve(folded, structuredClone(event)), shutdowns.initial()),
        state,
      );
    }),
    { seed, numRuns: 400 },
  );
  assert.ok(rounds > 300 && forced > 100, `only ${rounds} rounds with ${forced} forced; the property saw too little`);
});

test("a round has its own deadline, not that of an earlier one of the same name by somebody else", () => {
  const state = stateAfter(
    // What is due first keeps the deadline of the round that is over from being dropped.
    start(["dev-3"], { requestId: "first", deadlineMs: 500 }),
    start(["dev-1"], { requestId: "stop", seq: 11 }),
    answer("dev-1", { ...clean, requestId: "stop" }),
    start(["dev-2"], { requestId: "stop", requester: "lead-2", deadlineMs: 100_000, seq: 12, atMs: 1_600 }),
    pass(1_500, 13),
  );
  assert.equal(nextRoundDeadline(state), 101_600);
  const early = shutdowns.decide(pass(101_599, 16), state);
  const late = shutdowns.decide(pass(101_600, 16), state);
  assert.ok(early.ok && late.ok);
  assert.deepEqual(early.value.events, []);
  assert.deepEqual(
    late.value.events.map(({ event }) => event),
    ["shutdown-forced", "shutdown-ended"],
  );
});

test("a round ends where everybody it waits for leaves the team at once", () => {
  const events = after(start(["dev-1", "dev-2"]), {
    command: "end-agents",
    agents: ["dev-1", "dev-2", "dev-3"],
    claims: {},
    seq: 11,
    atMs: 1_200,
  });
  assert.deepEqual(
    events.slice(1).map((event) => ("agents" in event ? [event.event, ...event.agents] : [event.event])),
    [["shutdown-forced", "dev-1", "dev-2"], ["shutdown-ended"]],
  );
});
