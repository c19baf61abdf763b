import assert from "node:assert/strict";
import { test } from "node:test";
import { given } from "../testing/given.ts";
import { foldEvents } from "../testing/laws.ts";
import { type ShutdownCommand, type ShutdownEvent, shutdownMeant, shutdowns } from "./shutdowns.ts";

function asked(requestId: string, requester: string, ...addressees: readonly string[]): ShutdownEvent {
  return { event: "shutdown-requested", requestId, requester, addressees, seq: 1 };
}

function answered(requestId: string, requester: string, answerer: string): ShutdownEvent {
  return { event: "shutdown-answered", requestId, requester, answerer };
}

function ask(requestId: string, requester: string, ...addressees: readonly string[]): ShutdownCommand {
  return { command: "ask-to-stop", requestId, requester, addressees, seq: 1 };
}

function answer(answerer: string, requestId: string | null = null, approved = true): ShutdownCommand {
  return { command: "answer-shutdown", answer: { answerer, requestId, approved } };
}

const two = [asked("stop-1", "lead-1", "dev-1", "dev-2"), asked("stop-2", "lead-1", "dev-1")];
const ofTwo = [asked("stop-1", "lead-1", "dev-1"), asked("stop-2", "lead-2", "dev-1")];

test("a request waits for everyone addressed but its requester", () => {
  given(shutdowns, [])
    .when(ask("stop-1", "lead-1", "dev-1", "lead-1", "dev-2"))
    .thenEvents([asked("stop-1", "lead-1", "dev-1", "dev-2")]);
  given(shutdowns, two)
    .when(ask("stop-1", "lead-1", "dev-2"))
    .thenNothing("request-unchanged");
});

test("an id that another's open request has is taken, and free once everyone has answered", () => {
  const open = [asked("stop-1", "lead-1", "dev-1", "dev-2"), answered("stop-1", "lead-1", "dev-1")];
  given(shutdowns, open)
    .when(ask("stop-1", "lead-2", "dev-1"))
    .thenRefused("id-taken");
  given(shutdowns, [...open, answered("stop-1", "lead-1", "dev-2")])
    .when(ask("stop-1", "lead-2", "dev-1"))
    .thenEvents([asked("stop-1", "lead-2", "dev-1")]);
});

/** Before, who answers, the id it names, the request it is taken for (blank: none), the note (blank: none). */
const cases: readonly (readonly [readonly ShutdownEvent[], string, string | null, string, string])[] = [
  [two, "dev-2", null, "stop-1", ""],
  [two, "dev-1", null, "stop-2", ""],
  [two, "dev-1", "stop-1", "stop-1", ""],
  [two, "dev-2", "typo", "", "no-open-request"],
  [two, "dev-3", null, "", "no-open-request"],
  [two, "constructor", "constructor", "", "no-open-request"],
  [ofTwo, "dev-1", "stop-1", "stop-1", ""],
  [ofTwo, "dev-1", null, "", "ambiguous-request"],
  [ofTwo, "dev-1", "typo", "", "no-open-request"],
];

for (const [before, answerer, named, expected, note] of cases) {
  test(`${answerer} answers ${named ?? "without an id"}: ${expected} ${note}`, () => {
    const when = given(shutdowns, before).when(answer(answerer, named));
    if (expected === "") when.thenNothing(note);
    else {
      const requester = foldEvents(shutdowns, before).open.get(expected)?.requester ?? "";
      const { notes } = when.thenEvents([answered(expected, requester, answerer)]);
      assert.equal(notes[0]?.code ?? "", note);
    }
  });
}

test("an answer ends what its requester asked the agent, and nobody else's question", () => {
  const state = foldEvents(shutdowns, [
    ...two,
    asked("stop-3", "lead-2", "dev-1"),
    answered("stop-2", "lead-1", "dev-1"),
  ]);
  assert.deepEqual([...state.open.keys()], ["stop-1", "stop-3"]);
  assert.equal(shutdownMeant(state, { answerer: "dev-1", requestId: null, approved: true })?.requestId, "stop-3");
  assert.equal(shutdownMeant(state, { answerer: "dev-2", requestId: null, approved: true })?.requestId, "stop-1");
  const nothing = foldEvents(shutdowns, [asked("stop-1", "lead-1", "dev-1"), answered("stop-1", "lead-1", "dev-1")]);
  assert.deepStrictEqual(nothing, shutdowns.initial(), "nothing is kept of what is answered");
});

test("a refusal leaves the request open: it is asked again", () => {
  given(shutdowns, two)
    .when(answer("dev-1", "stop-2", false))
    .thenNothing(null);
  given(shutdowns, two)
    .when(answer("dev-1", "typo", false))
    .thenNothing("no-open-request");
});
