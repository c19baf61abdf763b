import assert from "node:assert/strict";
import { test } from "node:test";
import type { ProblemCode } from "../../base/problem.ts";
import type { FactBodies } from "../../messages/fact-bodies.ts";
import { durationBetween } from "../../perform/deadlines.ts";
import { given } from "../../testing/given.ts";
import { type ApprovalEvent, nextDeadline, openRequests } from "../state.ts";
import { type ApprovalCommand, approvals } from "./approvals.ts";

type Open = Extract<ApprovalCommand, { readonly command: "open-request" }>;
type Answer = Extract<ApprovalCommand, { readonly command: "answer-request" }>;

const acceptedAtMs = 1_000_000;

function open(changes: Partial<Open> = {}, body: Partial<FactBodies["approval-request"]> = {}): Open {
  return {
    command: "open-request",
    requestId: "ask-1",
    requester: "dev-1",
    requesterRole: "dev",
    body: { subject: "May I touch docs?", requestType: "scope_change", evidence: "It is described there", ...body },
    phase: 1,
    task: "1-1-T1",
    timestamp: "2026-02-12T10:00:00Z",
    addressees: ["lead-1", "architect-1"],
    seq: 7,
    atMs: acceptedAtMs,
    ...changes,
  };
}

function answer(changes: Partial<Answer> = {}, body: Partial<FactBodies["approval-response"]> = {}): Answer {
  return {
    command: "answer-request",
    answerer: "lead-1",
    role: "lead",
    roles: ["lead", "architect"],
    body: { requestId: "ask-1", approved: true, reason: "It belongs together", ...body },
    seq: 9,
    atMs: acceptedAtMs + 5,
    ...changes,
  };
}

function after(...commands: readonly ApprovalCommand[]): readonly ApprovalEvent[] {
  const events: ApprovalEvent[] = [];
  let state = approvals.initial();
  for (const command of commands) {
    const decided = approvals.decide(command, state);
    assert.ok(decided.ok, JSON.stringify(decided));
    for (const event of decided.value.events) state = approvals.evolve(state, structuredClone(event));
    events.push(...decided.value.events);
  }
  return events;
}

function stateAfter(...commands: readonly ApprovalCommand[]) {
  return after(...commands).reduce(approvals.evolve, approvals.initial());
}

test("a request for more paths that names no task of a plan is noted as it is made, not first when it is approved", () => {
  const codes = (task: string | null, requestType: "scope_change" | "plan_approval" = "scope_change") => {
    const decided = approvals.decide(open({ task }, { requestType }), approvals.initial());
    assert.ok(decided.ok);
    const plans = decided.value.events.map((event) => (event.event === "approval-requested" ? event.request.plan : ""));
    return [plans, decided.value.notes.some(({ code }) => code === "nothing-widened")];
  };
  assert.deepEqual(codes("0-0"), [[null], true]);
  assert.deepEqual(codes(null), [[null], true]);
  assert.deepEqual(codes("1-1-T1"), [["1-1"], false]);
  assert.deepEqual(codes("0-0", "plan_approval"), [[null], false]);
});

test("a request opens, with what was asked, of whom, and the plan it points to", () => {
  const { notes } = given(approvals, [])
    .when(open({}, { deadline: "2026-02-12T12:00:00Z", options: ["Expand", "Split"] }))
    .thenEvents([
      {
        event: "approval-requested",
        request: {
          requestId: "ask-1",
          requester: "dev-1",
          requesterRole: "dev",
          subject: "May I touch docs?",
          requestType: "scope_change",
          evidence: "It is described there",
          options: ["Expand", "Split"],
          phase: 1,
          task: "1-1-T1",
          plan: "1-1",
          addressees: ["lead-1", "architect-1"],
          seq: 7,
          openedAtMs: acceptedAtMs,
          deadlineMs: 7_200_000,
          status: "open",
          answer: null,
          expiredAtMs: null,
        },
      },
    ]);
  assert.deepEqual(notes, []);
});

test("an answer decides, and its conditions and modifications are kept", () => {
  const given1 = given(approvals, after(open()));
  const { state } = given1
    .when(answer({}, { conditions: ["Keep the interface"], modifications: [{ path: "docs/" }, "docs/a"] }))
    .thenEvents([
      {
        event: "approval-answered",
        key: "dev-1/ask-1",
        answer: {
          approved: true,
          decidedBy: "lead-1",
          role: "lead",
          reason: "It belongs together",
          conditions: ["Keep the interface"],
          modifications: [{ path: "docs/" }, "docs/a"],
          seq: 9,
          atMs: acceptedAtMs + 5,
        },
      },
    ]);
  assert.equal(state.requests.get("dev-1/ask-1")?.status, "approved");
  assert.equal(openRequests(state).length, 0);
  assert.equal(stateAfter(open(), answer({}, { approved: false })).requests.get("dev-1/ask-1")?.status, "denied");
});

const gate = { requestType: "gate_override" } as const;
test("who asks to override a gate is told that the person answers", () => {
  const { notes } = given(approvals, [])
    .when(open({}, gate))
    .thenEvents(after(open({}, gate)));
  assert.ok(notes.some(({ code }) => code === "human-required"));
});

const owner = { answerer: "owner", role: null, roles: [] } as const;
const late = { command: "expire-requests", atMs: acceptedAtMs + 1_000 } as const;
const soon = { deadline: "2026-02-12T10:00:01Z" } as const;

const refusals: readonly (readonly [
  what: string,
  before: readonly ApprovalCommand[],
  when: ApprovalCommand,
  code: ProblemCode,
])[] = [
  ["an answer to one's own request", [open({ requester: "lead-1", requesterRole: "lead" })], answer(), "own-request"],
  [
    "the owner's answer to its own request",
    [open({ requester: "owner", requesterRole: null })],
    answer(owner),
    "own-request",
  ],
  ["an answer by another role", [open()], answer({ answerer: "qa-1", role: "qa" }), "sender-not-authorised"],
  ["an answer by an unknown role", [open()], answer({ role: null }), "sender-not-authorised"],
  ["an answer where no role may answer", [open()], answer({ roles: [] }), "sender-not-authorised"],
  [
    "a second answer by another",
    [open(), answer()],
    answer({ answerer: "architect-1", role: "architect" }),
    "already-answered",
  ],
  ["a second answer by the owner", [open(), answer()], answer(owner), "already-answered"],
  ["a second answer that says otherwise", [open(), answer()], answer({}, { approved: false }), "already-answered"],
  [
    "a second answer with other conditions",
    [open(), answer()],
    answer({}, { conditions: ["But slowly"] }),
    "already-answered",
  ],
  ["an agent's answer to a gate", [open({}, gate)], answer(), "human-required"],
  ["an agent's denial of a gate", [open({}, gate)], answer({}, { approved: false }), "human-required"],
  ["an answer after the deadline passed", [open({}, soon), late], answer(), "request-expired"],
  ["the owner's answer after the deadline passed", [open({}, soon), late], answer(owner), "request-expired"],
  ["an answer to nothing", [], answer(), "unknown-request"],
  [
    "a wrong id by one who was not asked",
    [open()],
    answer({ answerer: "lead-2" }, { requestId: "x" }),
    "unknown-request",
  ],
  ["a wrong id by the owner", [open()], answer(owner, { requestId: "x" }), "unknown-request"],
  [
    "a wrong id when two wait",
    [open(), open({ requestId: "ask-2" })],
    answer({}, { requestId: "x" }),
    "unknown-request",
  ],
  ["a wrong id that is a member of objects", [], answer({}, { requestId: "constructor" }), "unknown-request"],
  ["an id that another's open request has", [open()], open({ requester: "dev-2" }), "id-taken"],
  ["one's own id for another request", [open()], open({}, { subject: "May I touch everything?" }), "id-conflict"],
  ["one's own id after the answer", [open(), answer()], open({}, { evidence: "None" }), "id-conflict"],
];

for (const [what, before, when, code] of refusals) {
  test(`refuses ${what} (${code})`, () => {
    given(approvals, after(...before))
      .when(when)
      .thenRefused(code);
  });
}

test("a refused second answer names who answered, and how", () => {
  const [problem] = given(approvals, after(open(), answer()))
    .when(answer({ answerer: "architect-1", role: "architect" }))
    .thenRefused("already-answered");
  assert.match(problem?.message ?? "", /approved by lead-1, at entry 9/);
});

test("an answer with a wrong id is taken for no other request, and is told the ids that wait for it", () => {
  const foreign = open({ requestId: "ask-3", requester: "lead-1", addressees: ["architect-1"] });
  const [one] = given(approvals, after(open(), foreign))
    .when(answer({}, { requestId: "x" }))
    .thenRefused("unknown-request");
  assert.deepEqual([one?.expected, one?.hint], ["ask-1", 'did you mean "ask-1"?']);
  const [two] = given(approvals, after(open(), open({ requestId: "ask-2", requester: "dev-2" }), foreign))
    .when(answer({}, { requestId: "x" }))
    .thenRefused("unknown-request");
  assert.equal(two?.expected, "ask-1 | ask-2");
});

test("what the same agent has already done is no error", () => {
  given(approvals, after(open()))
    .when(open({ seq: 8 }))
    .thenNothing("request-unchanged");
  given(approvals, after(open(), answer()))
    .when(open({ seq: 10 }))
    .thenNothing("request-unchanged");
  given(approvals, after(open(), answer()))
    .when(answer({ seq: 10 }))
    .thenNothing("answer-unchanged");
});

test("the owner answers outside the roles, a gate too", () => {
  for (const body of [{}, gate]) {
    const { state } = given(approvals, after(open({}, body)))
      .when(answer(owner))
      .thenEvents(after(open({}, body), answer(owner)).slice(1));
    assert.equal(state.requests.get("dev-1/ask-1")?.answer?.decidedBy, "owner");
    assert.equal(state.requests.get("dev-1/ask-1")?.answer?.role, null);
  }
});

test("an id is free again once its request is closed, and then means the new one", () => {
  const events = after(open(), answer(), open({ requester: "dev-2", seq: 12 }));
  const { state } = given(approvals, events)
    .when(answer({ seq: 13 }))
    .thenEvents(after(open({ requester: "dev-2", seq: 12 }), answer({ seq: 13 })).slice(1));
  assert.deepEqual([...state.requests.keys()], ["dev-1/ask-1", "dev-2/ask-1"]);
});

test("the requester is never among those asked", () => {
  const state = stateAfter(open({ requester: "lead-1", addressees: ["lead-1", "architect-1"] }));
  assert.deepEqual(state.requests.get("lead-1/ask-1")?.addressees, ["architect-1"]);
});

const deadlines: readonly (readonly [
  timestamp: string | null,
  deadline: string | undefined,
  deadlineMs: number | null,
])[] = [
  ["2026-02-12T10:00:00Z", "2026-02-12T10:00:30Z", 30_000],
  ["1999-01-01T00:00:00Z", "1999-01-01T00:00:30Z", 30_000],
  ["2026-02-12T10:00:00+01:00", "2026-02-12T10:00:00Z", 3_600_000],
  ["2026-02-12", "2026-02-13", 86_400_000],
  ["2026-02-12T10:00:00.500Z", "2026-02-12t10:00:01z", 500],
  ["2026-02-12T10:00:00Z", undefined, null],
  [null, "2026-02-12T10:00:00Z", null],
  ["2026-02-12T10:00:00Z", "tomorrow", null],
  ["2026-02-12T10:00:00Z", "2026-02-31T25:00:00Z", null],
];

for (const [timestamp, deadline, deadlineMs] of deadlines) {
  test(`from ${timestamp} to ${deadline} is ${deadlineMs === null ? "no deadline, which is noted" : `${deadlineMs} ms`}`, () => {
    const decided = approvals.decide(
      open({ timestamp }, deadline === undefined ? {} : { deadline }),
      approvals.initial(),
    );
    assert.ok(decided.ok);
    const [event] = decided.value.events;
    assert.ok(event?.event === "approval-requested");
    assert.equal(event.request.deadlineMs, deadlineMs);
    assert.equal(decided.value.notes[0]?.code, deadlineMs === null ? "no-deadline" : undefined);
  });
}

for (const deadline of ["2026-02-12T10:00:00Z", "2026-02-12T09:00:00Z", "2026-02-12T10:59:59+01:00", "2025-02-12"]) {
  test(`a deadline at ${deadline}, which is not after the message's own time, is refused`, () => {
    const decided = approvals.decide(open({ timestamp: "2026-02-12T10:00:00Z" }, { deadline }), approvals.initial());
    assert.ok(!decided.ok);
    const [{ code, path, hint } = {}] = decided.error;
    assert.deepEqual({ code, path }, { code: "wrong-value", path: "$.body.deadline" });
    assert.match(hint ?? "", /^Leave the deadline out/);
  });
}

test("a request that was opened without a deadline may be repeated with the same words", () => {
  const past = { deadline: "2026-02-12T09:00:00Z" };
  const decided = approvals.decide(open({ seq: 12 }, past), stateAfter(open()));
  assert.equal(decided.ok && decided.value.events.length, 0);
});

test("only RFC 3339 forms are durations", () => {
  assert.equal(durationBetween("12 Feb 2026", "13 Feb 2026"), null);
  assert.equal(durationBetween("2026-02-12", "2026"), null);
});

test("a deadline counts from acceptance and passes late, never early", () => {
  const before = after(open({}, soon));
  given(approvals, before)
    .when({ command: "expire-requests", atMs: acceptedAtMs + 999 })
    .thenNothing(null);
  given(approvals, before)
    .when({ command: "expire-requests", atMs: acceptedAtMs + 1_000 })
    .thenEvents([{ event: "approval-expired", key: "dev-1/ask-1", atMs: acceptedAtMs + 1_000 }]);
  given(approvals, before)
    .when({ command: "expire-requests", atMs: acceptedAtMs + 9_000 })
    .thenEvents([{ event: "approval-expired", key: "dev-1/ask-1", atMs: acceptedAtMs + 9_000 }]);
});

test("an answer after the time but before the deadline is recorded as passed counts", () => {
  given(approvals, after(open({}, soon)))
    .when(answer({ atMs: acceptedAtMs + 60_000 }))
    .thenEvents(after(open({}, soon), answer({ atMs: acceptedAtMs + 60_000 })).slice(1));
});

test("only open requests whose time has come expire", () => {
  const before = [
    open({}, soon),
    open({ requestId: "ask-2" }),
    open({ requestId: "ask-3" }, { deadline: "2026-02-12T11:00:00Z" }),
    open({ requestId: "ask-4" }, soon),
    answer({}, { requestId: "ask-4" }),
  ];
  assert.equal(nextDeadline(stateAfter(...before)), acceptedAtMs + 1_000);
  const { state } = given(approvals, after(...before))
    .when(late)
    .thenEvents([{ event: "approval-expired", key: "dev-1/ask-1", atMs: late.atMs }]);
  assert.equal(nextDeadline(state), acceptedAtMs + 3_600_000);
  assert.deepEqual(
    openRequests(state).map(({ requestId }) => requestId),
    ["ask-2", "ask-3"],
  );
  assert.equal(nextDeadline(approvals.initial()), null);
});
