/** Approvals as the people and agents in them see them: who learns what, when, and in whose words. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "../base/json.ts";
import { openMemoryJournal } from "../journal/memory.ts";
import type { Delivery } from "../mail/operations.ts";
import type { LogLine } from "../record/operations/entries.ts";
import { manualClock, typedMessage } from "../testing/fixtures.ts";
import { type TestTeam, testTeam } from "../testing/test-team.ts";
import type { Reply } from "./operations/reply.ts";
import { teamProjection } from "./projection.ts";

const clock = manualClock();

async function greeters(): Promise<TestTeam> {
  return testTeam({
    clock,
    dialects: ["vbw/2", "yolo/2", "yolo/1"],
    agents: [
      { agent: "lead-1", role: "lead" },
      { agent: "lead-2", role: "lead", dialect: "yolo/1" },
      { agent: "architect-1", role: "architect" },
      { agent: "dev-1", role: "dev" },
      { agent: "dev-2", role: "dev", dialect: "yolo/2" },
    ],
  });
}

function accepted(reply: Reply): Extract<Reply, { readonly outcome: "accepted" }> {
  assert.ok(reply.outcome === "accepted", JSON.stringify(reply));
  return reply;
}

function refused(reply: Reply, code: string): Extract<Reply, { readonly outcome: "refused" }> {
  assert.ok(reply.outcome === "refused", JSON.stringify(reply));
  assert.equal(reply.problems[0]?.code, code);
  return reply;
}

/** Two hours from the message's own timestamp. */
const deadline = "2026-02-12T12:00:00Z";

function ask(
  id: string,
  payload: { readonly [key: string]: Json } = {},
  envelope: { readonly [key: string]: Json } = {},
) {
  return JSON.stringify(typedMessage("approval_request", { deadline, ...payload }, { id, ...envelope }));
}

async function mailOf(team: TestTeam, agent: string): Promise<readonly Delivery[]> {
  const page = await team.as(agent).inbox();
  assert.ok(page.ok);
  return page.value.deliveries;
}

function payloadOf(delivery: Delivery | undefined): { readonly [key: string]: Json } {
  assert.ok(delivery !== undefined);
  return (delivery.message as { readonly payload: { readonly [key: string]: Json } }).payload;
}

async function linesOf(team: TestTeam): Promise<readonly LogLine[]> {
  const lines: LogLine[] = [];
  for await (const line of team.as("owner").log({ view: "messages" })) {
    assert.ok(line.ok);
    lines.push(line.value);
  }
  return lines;
}

test("the same answer again is recorded with a note and not delivered, by operation and by message", async () => {
  await using team = await greeters();
  accepted(await team.as("dev-1").send(ask("ask-1")));
  const yes = { request: "ask-1", approved: true, reason: "approved" };
  const first = accepted(await team.as("lead-1").answer(yes));
  const again = accepted(await team.as("lead-1").answer(yes));
  const payload = { request_id: "ask-1", approved: true, reason: "approved" };
  const wire = typedMessage("approval_response", payload, { id: "yes-3", author_role: "lead" });
  const sent = accepted(await team.as("lead-1").send(JSON.stringify(wire)));
  for (const { receivers, notes } of [again, sent])
    assert.deepEqual([receivers, notes.map(({ code }) => code)], [[], ["answer-unchanged"]]);
  assert.deepEqual(
    (await mailOf(team, "dev-1")).map(({ seq }) => seq),
    [first.receipt.seq],
  );
  refused(await team.as("lead-1").answer({ ...yes, reason: "for another reason" }), "already-answered");
});

test("every asker of several requests whose deadline passes at once is notified, each in its own dialect", async () => {
  await using team = await greeters();
  accepted(await team.as("dev-1").send(ask("ask-1")));
  accepted(await team.as("dev-2").send(ask("ask-2")));
  accepted(await team.as("dev-1").send(ask("ask-3", { subject: "May I touch tests?" })));
  clock.advance(2 * 3_600_000);
  assert.equal((await team.openApprovals()).length, 0);
  const mail = await mailOf(team, "dev-1");
  assert.deepEqual(
    mail.map((each) => [each.type, each.dialect, each.sender, payloadOf(each).request_id]),
    [
      ["approval_response", "vbw/2", "baton", "ask-1"],
      ["approval_response", "vbw/2", "baton", "ask-3"],
    ],
  );
  assert.equal(payloadOf(mail[0]).approved, false);
  assert.equal(payloadOf(mail[0]).decided_by, "baton");
  assert.match(JSON.stringify(payloadOf(mail[0]).reason), /deadline passed/);
  const [other, ...none] = await mailOf(team, "dev-2");
  assert.deepEqual(none, []);
  assert.equal(other?.dialect, "yolo/2");
  assert.equal(payloadOf(other).request_id, "ask-2");
  const told = (await linesOf(team)).filter(({ kind }) => kind === "timer");
  assert.deepEqual(
    told.map(({ receivers }) => receivers),
    [["dev-1"], ["dev-2"], ["dev-1"]],
  );
  clock.advance(3_600_000);
  assert.equal((await mailOf(team, "dev-1")).length, 2, "told once");
});

test("an asker whose dialect has no message for an answer is notified in prose, by a deadline and by the owner", async () => {
  await using team = await greeters();
  const asked = (id: string) => ask(id, {}, { author_role: "lead" });
  accepted(await team.as("lead-2").send(asked("ask-1"), { to: ["architect-1"] }));
  accepted(await team.as("lead-2").send(asked("ask-2"), { to: ["architect-1"] }));
  accepted(
    await team.as("owner").answer({
      request: "ask-2",
      approved: true,
      reason: "Needed",
      conditions: ["Keep the interface"],
      modifications: ["docs/"],
    }),
  );
  clock.advance(2 * 3_600_000);
  assert.deepEqual(
    (await mailOf(team, "lead-2")).map(({ type, message }) => [type, message]),
    [
      [null, 'Request "ask-2" was approved by owner: Needed\nCondition: Keep the interface\nModification: docs/'],
      [null, 'Request "ask-1" was denied: The deadline passed without an answer, which counts as denied.'],
    ],
  );
});

test("the owner names a request by the beginning of its id where no other open one begins so", async () => {
  await using team = await greeters();
  for (const id of ["0b5c1f5e", "0b5c7777", "9d1e"]) accepted(await team.as("dev-1").send(ask(id)));
  const yes = async (request: string) => await team.as("owner").answer({ request, approved: true, reason: "Yes" });
  for (const unclear of ["0b5c", "9d1", "0b5c1f5e0", ""]) refused(await yes(unclear), "unknown-request");
  accepted(await yes("0b5c1"));
  const [line] = (await linesOf(team)).slice(-1);
  assert.match(JSON.stringify(line), /0b5c1f5e/);
  accepted(await yes("0b5c"));
});

test("a deadline that passes wakes agents that wait for mail", async () => {
  await using team = await greeters();
  accepted(await team.as("dev-1").send(ask("ask-1")));
  const waiting = team.as("dev-1").inbox({ waitMs: 4 * 3_600_000 });
  clock.advance(2 * 3_600_000);
  await team.openApprovals();
  const page = await waiting;
  assert.ok(page.ok);
  assert.equal(payloadOf(page.value.deliveries[0]).request_id, "ask-1");
});

test("an answer of the owner that comes to the record behind its deadline is refused, however shortly before it was given", async () => {
  const late = manualClock();
  const inner = openMemoryJournal(teamProjection, { clock: late });
  const journal: typeof inner = {
    ...inner,
    commit(team, attempt) {
      // The deadline passes while the answer waits for its turn.
      if (attempt.once?.principal === "owner") late.advance(2 * 3_600_000);
      return inner.commit(team, attempt);
    },
  };
  const agents = [
    { agent: "lead-1", role: "lead" },
    { agent: "dev-1", role: "dev" },
  ] as const;
  await using team = await testTeam({ agents, journal, clock: late });
  accepted(await team.as("dev-1").send(ask("ask-1")));
  refused(await team.as("owner").answer({ request: "ask-1", approved: true, reason: "Yes" }), "request-expired");
});

test("conditions and modifications of an answer reach the asker and stay with the request", async () => {
  await using team = await greeters();
  accepted(await team.as("dev-1").send(ask("ask-1")));
  const given = { approved: true, reason: "Yes", conditions: ["Keep the interface"], modifications: ["docs/"] };
  accepted(await team.as("lead-1").answer({ request: "ask-1", ...given }));
  const payload = payloadOf((await mailOf(team, "dev-1"))[0]);
  assert.deepEqual([payload.conditions, payload.modifications], [given.conditions, given.modifications]);
  const all = await team.as("owner").approvals({ all: true });
  assert.ok(all.ok);
  assert.deepEqual(all.value[0]?.answer?.conditions, given.conditions);
  assert.deepEqual(all.value[0].answer.modifications, given.modifications);
});

test("the refusal of one who may not answer names those who may, not the message's type, and the request still waits", async () => {
  await using team = await greeters();
  accepted(await team.as("dev-1").send(ask("ask-1")));
  for (const agent of ["dev-1", "dev-2"]) {
    const given = { request: "ask-1", approved: true, reason: "Yes" };
    const { problems, receipt } = refused(await team.as(agent).answer(given), "sender-not-authorised");
    assert.deepEqual(problems, [
      {
        code: "sender-not-authorised",
        path: agent,
        message: `${agent} may not answer requests: its role is dev.`,
        expected: "owner | lead | architect",
        received: "dev",
        hint: "Leave the answer to one of these. The owner answers without `arguments.actor`.",
      },
    ]);
    assert.ok(receipt !== null, "the attempt is on the record");
  }
  assert.equal((await team.openApprovals()).length, 1);
});

test("a denied claim, a request with its paths, a yes: the next claim is granted, and the lead knows", async () => {
  await using team = await greeters();
  accepted(await team.as("lead-1").send(JSON.stringify(typedMessage("plan_contract"))));
  const claim = () => team.as("dev-1").claim({ task: "1-1-T1", files: ["docs/cart.md"] });
  const [denied] = refused(await claim(), "outside-contract").problems;
  assert.match(denied?.hint ?? "", /`baton task ask WHY --task 1-1-T1 --paths docs\/cart\.md`/);
  const why = { text: "It is described there", task: "1-1-T1", paths: ["docs/cart.md"] };
  const asked = accepted(await team.as("dev-1").ask(why));
  const request = asked.receipt.id ?? "";
  const yes = accepted(await team.as("owner").answer({ request, approved: true, reason: "Yes" }));
  assert.match(yes.notes.map(({ message }) => message).join(), /plan 1-1 allows docs\/cart\.md \(revision 2\)/);
  accepted(await claim());
  assert.deepEqual(payloadOf((await mailOf(team, "lead-1")).at(-1)).modifications, ["docs/cart.md"]);
  const contracts = await team.as("owner").contracts();
  assert.ok(contracts.ok);
  const { revision, issuedBy, permit } = contracts.value[0]?.revisions[1] ?? {};
  assert.deepEqual([revision, issuedBy, permit], [2, "owner", `dev-1/${request}`]);
});

test("a request in prose is answered by the paths that its sender was denied, but not after a further revision", async () => {
  await using team = await greeters();
  const contract = (id: string, objective: string) =>
    team.as("lead-1").send(JSON.stringify(typedMessage("plan_contract", { objective }, { id })));
  accepted(await contract("plan-1", "Greet"));
  const claim = () => team.as("dev-1").claim({ task: "1-1-T1", files: ["docs/cart.md", "src/greet.js"] });
  refused(await claim(), "outside-contract");
  accepted(await team.as("dev-1").send(ask("ask-1")));
  const answer = (request: string) => team.as("lead-1").answer({ request, approved: true, reason: "Yes" });
  accepted(await answer("ask-1"));
  accepted(await claim());
  assert.deepEqual(payloadOf((await mailOf(team, "dev-1")).at(-1)).modifications, ["docs/cart.md"]);
  accepted(await team.as("dev-1").send(ask("ask-2", { subject: "May I touch lib/?" })));
  const [unnamed] = refused(await answer("ask-2"), "missing-field").problems;
  assert.match(unnamed?.hint ?? "", /baton approve ask-2 --paths lib\//);
  accepted(
    await team.as("lead-1").answer({ request: "ask-2", approved: true, reason: "Yes", modifications: ["lib/"] }),
  );
});

test("what edits were denied is what a yes without paths allows, each denial once until the next revision", async () => {
  await using team = await greeters();
  accepted(await team.as("lead-1").send(JSON.stringify(typedMessage("plan_contract"))));
  const dev = team.as("dev-1");
  accepted(await dev.claim({ task: "1-1-T1", files: ["src/greet.js"] }));
  const edit = async (file: string) => {
    const answer = await dev.editFiles([file]);
    return answer.ok ? answer.value.problems.map(({ code }) => code) : assert.fail(JSON.stringify(answer));
  };
  for (const file of ["docs/cart.md", "docs/cart.md", "config/tax.json"])
    assert.ok((await edit(file)).includes("outside-contract"), file);
  const id = accepted(await dev.send(ask("ask-1", { request_type: "scope_change", subject: "May I go on?" }))).receipt
    .id;
  accepted(await team.as("owner").answer({ request: id ?? "", approved: true, reason: "Yes" }));
  for (const file of ["docs/cart.md", "config/tax.json"])
    assert.ok(!(await edit(file)).includes("outside-contract"), file);
  const again = accepted(await dev.send(ask("ask-2", { request_type: "scope_change", subject: "And more?" }))).receipt
    .id;
  const nothing = accepted(await team.as("owner").answer({ request: again ?? "", approved: true, reason: "Yes" }));
  assert.ok(nothing.notes.some(({ code }) => code === "nothing-widened"));
});

test("an agent that was allowed a path is told when a revision takes it back, and only then", async () => {
  await using team = await greeters();
  let revisions = 0;
  const revise = async (allowed: readonly string[]) =>
    accepted(
      await team
        .as("lead-1")
        .send(
          JSON.stringify(
            typedMessage("plan_contract", { allowed_paths: [...allowed] }, { id: `contract-${++revisions}` }),
          ),
        ),
    );
  await revise(["src/"]);
  const dev = team.as("dev-1");
  accepted(await dev.send(ask("ask-1", { request_type: "scope_change", paths: ["docs/cart.md"] })));
  accepted(await team.as("owner").answer({ request: "ask-1", approved: true, reason: "Yes" }));
  await revise(["src/", "docs/"]);
  const told = async () =>
    (await mailOf(team, "dev-1")).filter(({ sender, type }) => sender === "baton" && type === null);
  assert.deepEqual(await told(), []);
  const { notes } = await revise(["src/"]);
  const lost = 'Plan 1-1 does not allow docs/cart.md any more, which "ask-1" had allowed dev-1.';
  assert.ok(
    notes.some(({ message }) => message === lost),
    JSON.stringify(notes),
  );
  assert.match(JSON.stringify((await told())[0]?.message), /does not allow docs.*any more, .*ask again\./);
  await revise(["src/", "lib/"]);
  assert.equal((await told()).length, 1);
});
