import assert from "node:assert/strict";
import { test } from "node:test";
import type { HandoffBody } from "../../messages/handoff-body.ts";
import { given } from "../../testing/given.ts";
import { type AcceptHandoff, type HandoffEvent, type IssueHandoff, lineUpTo } from "../state.ts";
import { handoffs } from "./handoffs.ts";

const sections: Omit<HandoffBody, "metadata"> = {
  context: {},
  instructions: { primary: "Sign users in" },
  dependencies: { required_files: ["docs/story.md"], generated_files: ["src/a.ts", "src/b.ts"] },
};

function issue(id: string, more: Partial<IssueHandoff> & { readonly body?: HandoffBody } = {}): IssueHandoff {
  const { issuer = "pm", receivers = ["sm"] } = more;
  const timestamp = "2026-03-04T10:00:00Z";
  const metadata = { id, source_agent: issuer, target_agent: receivers[0] ?? "", timestamp, workflow_id: "sign-in" };
  const body = { ...sections, metadata };
  return {
    command: "issue-handoff",
    issuer,
    issuerRole: null,
    receivers,
    digest: `digest of ${id}`,
    seq: 1,
    atMs: 1,
    body,
    ...more,
  };
}

function eventsOf(command: Parameters<typeof handoffs.decide>[0], before: readonly HandoffEvent[] = []) {
  const state = before.reduce((folded, event) => handoffs.evolve(folded, event), handoffs.initial());
  const decided = handoffs.decide(command, state);
  assert.ok(decided.ok, JSON.stringify(decided));
  return [...before, ...decided.value.events];
}

const verified = { digest: "digest of h1", files: 1, weak: 0, failed: [] };
const accept: AcceptHandoff = { command: "accept-handoff", id: "h1", by: "sm", verified, claim: null, seq: 2, atMs: 2 };
const reject = { command: "reject-handoff", id: "h1", by: "sm", reasons: ["no criteria"], seq: 2, atMs: 2 } as const;
const complete = {
  command: "complete-handoff",
  id: "h1",
  by: "sm",
  verified: { ...verified, files: 2 },
  seq: 3,
  atMs: 3,
} as const;
const issued = eventsOf(issue("h1"));
const accepted = eventsOf(accept, issued);
const rejected = eventsOf(reject, issued);

test("one of those it is addressed to accepts, once, and then it can be completed", () => {
  given(handoffs, issued)
    .when(accept)
    .thenEvents([
      { event: "handoff-accepted", id: "h1", by: "sm", files: 1, weak: 0, task: null, token: null, seq: 2, atMs: 2 },
    ]);
  given(handoffs, accepted).when(accept).thenNothing("already-so");
  given(handoffs, accepted)
    .when(complete)
    .thenEvents([{ event: "handoff-completed", id: "h1", by: "sm", seq: 3, atMs: 3 }]);
  given(handoffs, eventsOf(complete, accepted)).when(complete).thenNothing("already-so");
});

test("its issuer may say that it is done, too", () => {
  const { state } = given(handoffs, accepted)
    .when({ ...complete, by: "pm" })
    .thenEvents([{ event: "handoff-completed", id: "h1", by: "pm", seq: 3, atMs: 3 }]);
  assert.equal(state.all.get("h1")?.status, "completed");
});

test("the person rejects or completes what nobody else is there for", () => {
  const rejecting = { ...reject, by: "owner" };
  assert.equal(
    given(handoffs, issued).when(rejecting).thenEvents(eventsOf(rejecting, issued).slice(1)).state.all.get("h1")
      ?.status,
    "rejected",
  );
  const completing = { ...complete, by: "owner" };
  assert.equal(
    given(handoffs, accepted).when(completing).thenEvents(eventsOf(completing, accepted).slice(2)).state.all.get("h1")
      ?.status,
    "completed",
  );
  given(handoffs, issued)
    .when({ ...accept, by: "owner" })
    .thenRefused("sender-not-authorised");
});

test("a rejection says why, and is the one answer", () => {
  given(handoffs, issued)
    .when({ ...reject, reasons: ["  ", ""] })
    .thenRefused("missing-field");
  given(handoffs, issued)
    .when(reject)
    .thenEvents([{ event: "handoff-rejected", id: "h1", by: "sm", reasons: ["no criteria"], seq: 2, atMs: 2 }]);
  given(handoffs, rejected).when(accept).thenRefused("already-answered");
  given(handoffs, rejected).when(complete).thenRefused("handoff-not-accepted");
  given(handoffs, accepted).when(reject).thenRefused("already-answered");
});

test("nobody else has a say, and there must be something to say it of", () => {
  for (const command of [accept, reject])
    given(handoffs, issued)
      .when({ ...command, by: "dev-1" })
      .thenRefused("sender-not-authorised");
  given(handoffs, issued)
    .when({ ...accept, by: "pm" })
    .thenRefused("sender-not-authorised");
  given(handoffs, accepted)
    .when({ ...complete, by: "dev-1" })
    .thenRefused("sender-not-authorised");
  given(handoffs, issued).when(complete).thenRefused("handoff-not-accepted");
  for (const command of [accept, reject, complete]) given(handoffs, []).when(command).thenRefused("unknown-request");
});

test("of several that it is addressed to the first counts", () => {
  const both = eventsOf(issue("h1", { receivers: ["dev-1", "dev-2"] }));
  const first = eventsOf({ ...accept, by: "dev-2" }, both);
  const [refusal] = given(handoffs, first)
    .when({ ...accept, by: "dev-1" })
    .thenRefused("already-answered");
  assert.match(refusal?.message ?? "", /dev-2 accepted/);
});

test("only the issued document with every file looked at is accepted", () => {
  given(handoffs, issued)
    .when({ ...accept, verified: null })
    .thenRefused("not-verified");
  given(handoffs, issued)
    .when({ ...accept, verified: { ...verified, digest: "another" } })
    .thenRefused("not-verified");
  given(handoffs, issued)
    .when({ ...accept, verified: { ...verified, files: 0 } })
    .thenRefused("not-verified");
  const failed = [{ path: "docs/story.md", state: "changed", reason: null }] as const;
  given(handoffs, issued)
    .when({ ...accept, verified: { ...verified, failed } })
    .thenRefused("file-changed");
  given(handoffs, accepted)
    .when({ ...complete, verified })
    .thenRefused("not-verified");
});

test("what names no files needs nobody to look", () => {
  const body = { ...issue("h1").body, dependencies: {} };
  const without = eventsOf(issue("h1", { body }));
  const decided = eventsOf({ ...accept, verified: null }, without);
  assert.equal(decided.at(-1)?.event, "handoff-accepted");
});

const unfit = [
  [{ source_status: { overall_status: "failed" } }, "overall_status: failed"],
  [{ quality_checks: { tests_passed: false } }, "tests_passed: false"],
  [{ quality_checks: { code_review_status: "failed" } }, "code_review_status: failed"],
] as const;
for (const [validation, said] of unfit) {
  test(`a document that says ${said} is issued and accepted for repair, both with a note, or rejected`, () => {
    const command = issue("h1", { body: { ...issue("h1").body, validation } });
    const [note] = (() => {
      const decided = handoffs.decide(command, handoffs.initial());
      return decided.ok ? decided.value.notes : [];
    })();
    assert.equal(note?.code, "handoff-unfit");
    const accepted = handoffs.decide(accept, eventsOf(command).reduce(handoffs.evolve, handoffs.initial()));
    assert.ok(accepted.ok);
    assert.equal(accepted.value.events[0]?.event, "handoff-accepted");
    assert.match(accepted.value.notes[0]?.message ?? "", new RegExp(said));
    assert.equal(eventsOf(reject, eventsOf(command)).at(-1)?.event, "handoff-rejected");
  });
}

test("an id stands for one document of one issuer", () => {
  given(handoffs, issued).when(issue("h1")).thenNothing("already-so");
  given(handoffs, issued)
    .when(issue("h1", { digest: "another" }))
    .thenRefused("id-taken");
  given(handoffs, issued)
    .when(issue("h1", { issuer: "sm", receivers: ["dev-1"] }))
    .thenRefused("id-taken");
});

test("a handoff follows the one that its issuer was handed, or had rejected", () => {
  let events = eventsOf({ ...accept }, issued);
  events = eventsOf(issue("h2", { issuer: "sm", receivers: ["dev-1"] }), events);
  // A second branch of the same workflow is not what dev-1 goes on from.
  events = eventsOf(issue("h3", { issuer: "pm", receivers: ["architect-1"] }), events);
  events = eventsOf({ ...reject, id: "h2", by: "dev-1" }, events);
  events = eventsOf(issue("h4", { issuer: "sm", receivers: ["dev-1"] }), events);
  events = eventsOf(issue("h5", { issuer: "dev-1", receivers: ["qa-1"] }), events);
  const state = events.reduce((folded, event) => handoffs.evolve(folded, event), handoffs.initial());
  assert.deepEqual(
    lineUpTo(state, "h5").map(({ id }) => id),
    ["h1", "h2", "h4", "h5"],
  );
  assert.deepEqual(lineUpTo(state, null), []);
});

test("without workflow and task a handoff follows the last one that its document names, else none", () => {
  const { workflow_id: _, ...metadata } = issue("h1").body.metadata;
  const loose = (id: string, timestamp: string, named: readonly string[] = []) => {
    const previous_handoffs = named.map((at) => ({
      source_agent: "pm",
      target_agent: "sm",
      timestamp: at,
      summary: "",
    }));
    return issue(id, {
      body: { ...sections, metadata: { ...metadata, id, timestamp }, history: { previous_handoffs } },
    });
  };
  const [first, second] = ["2026-03-04T10:00:00Z", "2026-03-04T11:00:00Z"];
  let events = eventsOf(loose("h1", first));
  events = eventsOf(loose("h2", second), events);
  events = eventsOf(loose("h3", "2026-03-04T12:00:00Z", [second, "2026-03-01T10:00:00Z"]), events);
  assert.deepEqual(
    events.map((event) => event.event === "handoff-issued" && event.handoff.after),
    [null, null, "h2"],
  );
});
