import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "../base/json.ts";
import type { DialectId } from "../messages/message.ts";
import type { Role } from "../messages/role.ts";
import type { Reply } from "../perform/operations/reply.ts";
import { reviseTeam } from "../team/handlers/revision.ts";
import { manualClock, typedMessage } from "../testing/fixtures.ts";
import { type TestHandle, type TestTeam, testTeam } from "../testing/test-team.ts";

type Fields = { readonly [field: string]: Json };

async function place(dialect: DialectId, agents: readonly (readonly [string, Role])[] = [["dev-1", "dev"]]) {
  const clock = manualClock();
  const team = await testTeam({
    clock,
    dialects: [dialect],
    agents: [["lead-1", "lead"] as const, ...agents].map(([agent, role]) => ({ agent, role })),
  });
  return { clock, team };
}

async function start(
  team: TestTeam,
  as = "lead-1",
  more: { readonly agents?: readonly string[] } = {},
): Promise<string> {
  const reply = await team
    .as(as)
    .startShutdown({ reason: "phase_complete", deadlineMs: 2_000, ...more }, { id: "shut-1" });
  assert.equal(reply.outcome, "accepted", JSON.stringify(reply));
  return "shut-1";
}

async function certificate(team: TestTeam, round = "shut-1") {
  const found = await team.as("owner").shutdowns({ round });
  assert.ok(found.ok);
  return found.value[0] ?? assert.fail("no round");
}

async function outcomeOf(team: TestTeam, agent: string) {
  return (await certificate(team)).agents.find((each) => each.agent === agent)?.outcome;
}

function codesOf(reply: Reply): readonly string[] {
  return reply.outcome === "refused" ? reply.problems.map(({ code }) => code) : [];
}

async function mail(handle: TestHandle) {
  const page = await handle.inbox();
  assert.ok(page.ok, JSON.stringify(page));
  return page.value.deliveries;
}

/** How each dialect, and the control frames of an agent program, say yes and no. */
const words: readonly {
  readonly dialect: DialectId;
  readonly form: string;
  readonly yes: (agent: string) => Fields;
  readonly no: ((agent: string) => Fields) | null;
}[] = [
  {
    dialect: "vbw/2",
    form: "approve",
    yes: () => typedMessage("shutdown_response", { request_id: "shut-1" }),
    no: () =>
      typedMessage(
        "shutdown_response",
        { request_id: "shut-1", approve: false, final_status: "in_progress", pending_work: "mid-write" },
        { id: "no" },
      ),
  },
  {
    dialect: "yolo/2",
    form: "approved",
    yes: () => response({ approved: true, final_status: "complete" }, "yes"),
    no: () => response({ approved: false, final_status: "in_progress", pending_work: "mid-write" }, "no"),
  },
  {
    dialect: "yolo/1",
    form: "status",
    yes: () => ({ type: "shutdown_response", status: "clean", pending_work: [], artifacts_committed: true }),
    no: null,
  },
  {
    dialect: "vbw/2",
    form: "native frames",
    yes: (from) => ({ type: "shutdown_approved", requestId: "shut-1", from, paneId: "%1", backendType: "tmux" }),
    no: (from) => ({ type: "shutdown_rejected", requestId: "shut-1", from, reason: "mid-write" }),
  },
];

function response(payload: Fields, id: string): Fields {
  const { payload: _, ...envelope } = typedMessage("shutdown_response", {}, { id });
  return { ...envelope, payload: { request_id: "shut-1", ...payload } };
}

for (const { dialect, form, yes, no } of words) {
  test(`a round in ${dialect} is asked and answered by ${form}`, async () => {
    const { team, clock } = await place(dialect);
    await using _ = team;
    await start(team);
    const dev = team.as("dev-1");
    const [asked] = await mail(dev);
    assert.equal(asked?.type, "shutdown_request");
    assert.equal(asked?.dialect, dialect);
    if (no !== null) {
      const refused = await dev.send(JSON.stringify(no("dev-1")));
      assert.equal(refused.outcome, "accepted", JSON.stringify(refused));
      assert.equal((await certificate(team)).agents[0]?.refusals, 1);
      assert.deepEqual((await certificate(team)).agents[0]?.pendingWork, ["mid-write"]);
      clock.advance(1);
      const again = (await mail(dev)).at(-1);
      assert.equal(again?.sender, "baton");
      assert.equal(again?.type, "shutdown_request");
      assert.equal(again?.dialect, dialect);
      assert.equal(again?.id, "shut-1", "it is the same request");
    }
    const agreed = await dev.send(JSON.stringify(yes("dev-1")));
    assert.equal(agreed.outcome, "accepted", JSON.stringify(agreed));
    assert.deepEqual(agreed.outcome === "accepted" ? agreed.receivers : [], ["lead-1"]);
    const ended = await certificate(team);
    assert.equal(ended.outcome, "complete");
    assert.equal(ended.agents[0]?.outcome, no === null ? "clean" : "refused-then-clean");
    // What it had read it may still acknowledge, and nothing later.
    const { seq } = agreed.outcome === "accepted" ? agreed.receipt : assert.fail();
    assert.equal((await dev.acknowledge(seq)).outcome, "accepted");
    assert.deepEqual(codesOf(await dev.acknowledge(seq + 1)), ["agent-stopped"]);
    // It may send nothing more, in any form, and learns why.
    for (const more of [yes("dev-1"), typedMessage("execution_update"), "Just one more thing"]) {
      const text = typeof more === "string" ? more : JSON.stringify(more);
      assert.deepEqual(codesOf(await dev.send(text, { to: ["lead-1"], id: `more-${text.length}` })), ["agent-stopped"]);
    }
  });
}

for (const dialect of ["bmad/1", "vbw/1", "vbw/2", "yolo/1", "yolo/2"] as const) {
  test(`an agent of ${dialect} answers a request to stop by one call, and who asked reads it`, async () => {
    const { team } = await place(dialect, [
      ["dev-1", "dev"],
      ["dev-2", "dev"],
    ]);
    await using _ = team;
    const unasked = await team.as("dev-1").answerShutdown({});
    assert.deepEqual(codesOf(unasked), ["unknown-request"]);
    assert.match(JSON.stringify(unasked), /"No request to stop waits for dev-1\."/);
    assert.deepEqual(await mail(team.as("lead-1")), []);
    await start(team);
    const [one, two] = [team.as("dev-1"), team.as("dev-2")];
    assert.deepEqual(codesOf(await team.as("lead-1").answerShutdown({})), ["unknown-request"]);
    const refused = await one.answerShutdown({ refuse: true, left: "mid-write" });
    assert.deepEqual(refused.outcome === "accepted" ? refused.receivers : refused, ["lead-1"]);
    assert.equal((await certificate(team)).agents[0]?.refusals, 1);
    assert.equal((await one.answerShutdown({})).outcome, "accepted");
    assert.equal((await two.answerShutdown({ round: "shut-1", left: "T3: a test fails" })).outcome, "accepted");
    const { outcome, agents } = await certificate(team);
    assert.equal(outcome, "incomplete");
    assert.deepEqual(
      agents.map((part) => [part.agent, part.outcome, part.pendingWork]),
      [
        ["dev-1", "refused-then-clean", []],
        ["dev-2", "in_progress", ["T3: a test fails"]],
      ],
    );
    assert.deepEqual(codesOf(await one.send("More", { to: ["lead-1"] })), ["agent-stopped"]);
    assert.match(JSON.stringify(await mail(team.as("lead-1"))), /T3: a test fails/);
  });
}

for (const dialect of ["bmad/1", "vbw/1"] as const) {
  test(`in a team of ${dialect} alone an answer in the words of vbw/2 counts too, with an envelope or without`, async () => {
    const { team } = await place(dialect, [
      ["dev-1", "dev"],
      ["qa-1", "qa"],
    ]);
    await using _ = team;
    await start(team);
    const whole = typedMessage("shutdown_response", { request_id: "shut-1" });
    const flat = { type: "shutdown_response", request_id: "shut-1", approve: true, final_status: "complete" };
    for (const [agent, said] of [
      ["dev-1", whole],
      ["qa-1", flat],
    ] as const) {
      const reply = await team.as(agent).send(JSON.stringify(said));
      assert.equal(reply.outcome, "accepted", JSON.stringify(reply));
    }
    assert.equal((await certificate(team)).outcome, "complete");
  });
}

test("a lead may start a round by a message, with a deadline where its dialect has one", async () => {
  const { team, clock } = await place("yolo/1");
  await using _ = team;
  const request = { type: "shutdown_request", reason: "timeout", deadline_seconds: 3 };
  const sent = await team.as("lead-1").send(JSON.stringify(request), { id: "shut-1" });
  assert.equal(sent.outcome, "accepted", JSON.stringify(sent));
  const open = await certificate(team);
  assert.deepEqual([open.outcome, open.deadlineSeconds, open.reason], ["open", 3, "timeout"]);
  clock.advance(2_999);
  assert.equal((await certificate(team)).outcome, "open", "never early");
  clock.advance(1);
  assert.equal((await certificate(team)).outcome, "incomplete");
});

test("a native request of a lead starts a round that its agents can answer", async () => {
  const { team } = await place("vbw/2");
  await using _ = team;
  const frame = {
    type: "shutdown_request",
    requestId: "shut-1",
    from: "lead-1",
    reason: "done",
    timestamp: "2026-02-12T10:00:00Z",
  };
  const sent = await team.as("lead-1").send(JSON.stringify(frame));
  assert.equal(sent.outcome, "accepted", JSON.stringify(sent));
  assert.equal((await certificate(team)).outcome, "open");
  const yes = { type: "shutdown_approved", requestId: "shut-1", from: "dev-1", paneId: "%1" };
  assert.equal((await team.as("dev-1").send(JSON.stringify(yes))).outcome, "accepted");
  assert.equal((await certificate(team)).outcome, "complete");
});

for (const dialect of ["vbw/2", "yolo/2", "yolo/1"] as const) {
  test(`a native request with a reason asks in ${dialect}, and asks again, with those words`, async () => {
    const { team } = await place(dialect);
    await using _ = team;
    const frame = { type: "shutdown_request", requestId: "shut-1", from: "lead-1", reason: "We ship tomorrow" };
    const sent = await team.as("lead-1").send(JSON.stringify(frame));
    assert.equal(sent.outcome, "accepted", JSON.stringify(sent));
    assert.equal((await certificate(team)).reason, "We ship tomorrow");
    const refused = { type: "shutdown_rejected", requestId: "shut-1", from: "dev-1", reason: "mid-write" };
    assert.equal((await team.as("dev-1").send(JSON.stringify(refused))).outcome, "accepted");
    const requests = await mail(team.as("dev-1"));
    assert.equal(requests.length, 2);
    for (const { dialect: spoken, type, message } of requests) {
      assert.deepEqual([spoken, type], [dialect, "shutdown_request"], "a message of its own dialect, no prose");
      assert.match(JSON.stringify(message), /"reason_text":"We ship tomorrow"/);
    }
  });
}

test("prose never stops an agent: it works on, and the round waits for it", async () => {
  const { team } = await place("vbw/2");
  await using _ = team;
  await start(team);
  const dev = team.as("dev-1");
  const said = `Done! ${JSON.stringify(typedMessage("shutdown_response", { request_id: "shut-1" }))} Good night.`;
  assert.equal((await dev.send(said, { to: ["lead-1"] })).outcome, "accepted");
  assert.equal(await outcomeOf(team, "dev-1"), null);
  assert.equal((await dev.send("Still here", { to: ["lead-1"], id: "p" })).outcome, "accepted");
});

test("an agent that never answers is asked once, then forced: retired, its tokens dead, its lead told", async () => {
  const { team, clock } = await place("vbw/2", [
    ["dev-1", "dev"],
    ["dev-2", "dev"],
  ]);
  await using _ = team;
  const issued = await team.as("owner").issueToken({ agent: "dev-1" });
  const tokenId = issued.outcome === "accepted" ? issued.tokenId : null;
  await start(team);
  await team.as("dev-2").send(JSON.stringify(typedMessage("shutdown_response", { request_id: "shut-1" })));
  clock.advance(1_999);
  assert.equal((await mail(team.as("dev-1"))).filter(({ type }) => type === "shutdown_request").length, 1);
  assert.equal(await outcomeOf(team, "dev-1"), null);
  clock.advance(2_000);
  const ended = await certificate(team);
  assert.equal(ended.outcome, "incomplete");
  assert.deepEqual(
    ended.agents.map(({ agent, outcome, silences, unread }) => ({ agent, outcome, silences, unread })),
    [
      { agent: "dev-1", outcome: "forced", silences: 0, unread: 0 },
      { agent: "dev-2", outcome: "clean", silences: 0, unread: 0 },
    ],
  );
  const tokens = await team.as("owner").tokens();
  assert.ok(tokens.ok);
  assert.equal(tokens.value.find((token) => token.tokenId === tokenId)?.status, "revoked");
  const late = await team.as("dev-1").send("Here I am", { to: ["lead-1"] });
  assert.deepEqual(codesOf(late), ["agent-stopped"]);
  assert.match(JSON.stringify(late), /agent register dev-1/, "how it works again");
  const told = (await mail(team.as("lead-1"))).at(-1);
  assert.match(JSON.stringify(told?.message), /shut-1.*: dev-1 did not stop/);
  clock.advance(60_000);
  const log = [];
  for await (const line of team.as("owner").log({ kinds: ["timer"] })) log.push(line);
  assert.equal(log.length, 1, "the deadline is one entry, and nothing comes after the end");
});

test("registering a stopped agent again starts a new session, in which it works and can be asked again", async () => {
  const { team } = await place("vbw/2");
  await using _ = team;
  await start(team);
  const dev = team.as("dev-1");
  await dev.send(JSON.stringify(typedMessage("shutdown_response", { request_id: "shut-1" })));
  assert.equal((await team.as("owner").register({ agent: "dev-1", role: "dev" })).outcome, "accepted");
  assert.equal((await dev.send("Back", { to: ["lead-1"] })).outcome, "accepted");
  const again = await team.as("lead-1").startShutdown({ reason: "plan_complete" }, { id: "shut-2" });
  assert.equal(again.outcome, "accepted");
  assert.equal((await certificate(team, "shut-2")).agents[0]?.outcome, null);
  assert.equal(await outcomeOf(team, "dev-1"), "clean", "the first round's certificate stands");
});

test("the owner asks as the lead would, and the wire says who decided; nobody but leads and the owner may", async () => {
  const { team } = await place("vbw/2", [
    ["dev-1", "dev"],
    ["architect-1", "architect"],
  ]);
  await using _ = team;
  const denied = await team.as("dev-1").startShutdown({ reason: "phase_complete" });
  assert.deepEqual(codesOf(denied), ["sender-not-authorised"]);
  await start(team, "owner");
  const [asked] = await mail(team.as("dev-1"));
  const wire = asked?.message as { readonly author_role: string; readonly payload: Fields };
  assert.deepEqual([wire.author_role, wire.payload.decided_by, wire.payload.deadline_seconds], ["lead", "owner", 2]);
  const { agents } = await certificate(team);
  assert.deepEqual(
    agents.map(({ agent, outcome }) => [agent, outcome]),
    [
      ["lead-1", null],
      ["dev-1", null],
      ["architect-1", "not_addressed"],
    ],
  );
});

test("only named agents are in the round; one whose role is not asked to stop is refused", async () => {
  const { team } = await place("vbw/2", [
    ["dev-1", "dev"],
    ["dev-2", "dev"],
    ["architect-1", "architect"],
  ]);
  await using _ = team;
  const refused = await team.as("lead-1").startShutdown({ reason: "phase_complete", agents: ["architect-1"] });
  assert.deepEqual(codesOf(refused), ["receiver-not-authorised"]);
  await start(team, "lead-1", { agents: ["dev-2"] });
  assert.deepEqual(
    (await certificate(team)).agents.map(({ agent }) => agent),
    ["dev-2"],
  );
});

test("an agent that stops holds nothing any more: its tasks are free, and are in the certificate", async () => {
  const { team, clock } = await place("vbw/2", [
    ["dev-1", "dev"],
    ["dev-2", "dev"],
    ["dev-3", "dev"],
  ]);
  await using _ = team;
  for (const [index, agent] of ["dev-1", "dev-2"].entries()) {
    await team.as("lead-1").addTask({ task: `1-1-T${index + 1}`, plan: "1-1", files: [`src/${index}.ts`] });
    assert.equal((await team.as(agent).claim({ task: `1-1-T${index + 1}` })).outcome, "accepted");
  }
  await start(team);
  await team.as("dev-1").send(JSON.stringify(typedMessage("shutdown_response", { request_id: "shut-1" })));
  await team.as("dev-3").send(JSON.stringify(typedMessage("shutdown_response", { request_id: "shut-1" })));
  for (let asking = 0; asking < 3; asking++) {
    clock.advance(2_000);
    await certificate(team);
  }
  const ended = await certificate(team);
  assert.equal(ended.outcome, "incomplete");
  assert.deepEqual(
    ended.agents.map(({ agent, outcome, openClaims }) => [agent, outcome, openClaims]),
    [
      ["dev-1", "left-work", ["1-1-T1"]],
      ["dev-2", "forced", ["1-1-T2"]],
      ["dev-3", "clean", []],
    ],
  );
  const tasks = await team.as("owner").tasks();
  assert.ok(tasks.ok);
  assert.deepEqual(
    tasks.value.map(({ task, state, holder }) => [task, state, holder]),
    [
      ["1-1-T1", "available", null],
      ["1-1-T2", "available", null],
    ],
  );
});

test("mail that a stopped agent left unread is in the certificate, the requests aside, and no work that is left", async () => {
  const { team } = await place("vbw/2", [
    ["dev-1", "dev"],
    ["dev-2", "dev"],
  ]);
  await using _ = team;
  await team.as("lead-1").send("Look at this", { to: ["dev-1"] });
  await start(team);
  await team.as("dev-1").send(JSON.stringify(typedMessage("shutdown_response", { request_id: "shut-1" })));
  await team.as("dev-2").send(JSON.stringify(typedMessage("shutdown_response", { request_id: "shut-1" })));
  const { agents, outcome } = await certificate(team);
  assert.deepEqual(
    [outcome, ...agents.map(({ agent, unread, outcome: ended }) => [agent, unread, ended])],
    ["complete", ["dev-1", 1, "clean"], ["dev-2", 0, "clean"]],
  );
});

test("no round waits for an agent that leaves by the team's file, and the requester is notified", async () => {
  const { team } = await place("vbw/2");
  await using _ = team;
  await start(team);
  const folded = await team.context.journal.state(team.context.team);
  const definition = folded.ok ? folded.value.state.team.definition : null;
  assert.ok(definition);
  const without = { ...definition, agents: definition.agents.filter(({ agent }) => agent !== "dev-1") };
  assert.ok((await reviseTeam(team.context, without)).ok);
  assert.equal((await certificate(team)).outcome, "incomplete");
  assert.equal(await outcomeOf(team, "dev-1"), "forced");
  const told = (await mail(team.as("lead-1"))).at(-1);
  assert.match(JSON.stringify(told?.message), /shut-1.* ended: dev-1 left the team, by the team file/);
});

test("the requester learns that its round ended by another's taking the last agent out, and not by its own operation", async () => {
  for (const by of ["owner", "lead-1"]) {
    const { team } = await place("vbw/2");
    await using _ = team;
    await start(team);
    await team.as(by).retire({ agent: "dev-1" });
    assert.equal((await certificate(team)).outcome, "incomplete");
    assert.equal((await mail(team.as("lead-1"))).length, by === "owner" ? 1 : 0);
  }
});

test("the requester learns that its round ended by the forcing of another", async () => {
  const { clock, team } = await place("vbw/2", [
    ["dev-1", "dev"],
    ["lead-2", "lead"],
  ]);
  await using _ = team;
  await start(team, "lead-1", { agents: ["dev-1"] });
  const other = { reason: "phase_complete", deadlineMs: 100_000, agents: ["dev-1"] } as const;
  assert.equal((await team.as("lead-2").startShutdown(other, { id: "shut-2" })).outcome, "accepted");
  for (const _asked of [1, 2, 3]) {
    clock.advance(2_000);
    await mail(team.as("dev-1"));
  }
  assert.equal((await certificate(team, "shut-2")).outcome, "incomplete");
  const told = (await mail(team.as("lead-2"))).at(-1);
  assert.match(JSON.stringify(told?.message), /shut-2.*ended too/);
});

test("an agent that began a new session while a round waits for it stops by its answer, and learns so", async () => {
  const { team } = await place("vbw/2");
  await using _ = team;
  await start(team);
  const again = await team.as("owner").register({ agent: "dev-1", role: "dev", newSession: true });
  assert.equal(again.outcome, "accepted", JSON.stringify(again));
  const dev = team.as("dev-1");
  await dev.send(JSON.stringify(typedMessage("shutdown_response", { request_id: "shut-1" })));
  assert.equal(await outcomeOf(team, "dev-1"), "clean");
  assert.deepEqual(codesOf(await dev.send("Here I am", { to: ["lead-1"] })), ["agent-stopped"]);
  const acted = await dev.addTask({ task: "1-1-T1" });
  assert.deepEqual(codesOf(acted), ["agent-stopped"], "a command says why too");
});

test("a team in task mode is ended, too, by its lead's message and by the person, and its agents answer", async () => {
  for (const by of ["lead-1", "owner"]) {
    const agents = [
      { agent: "lead-1", role: "lead" },
      { agent: "dev-1", role: "dev" },
    ] as const;
    await using team = await testTeam({ clock: manualClock(), dialects: ["yolo/1"], teamMode: "task", agents });
    const sent = { type: "shutdown_request", reason: "timeout", deadline_seconds: 30 };
    if (by === "owner") await start(team, by, { agents: ["dev-1"] });
    else assert.equal((await team.as(by).send(JSON.stringify(sent), { id: "shut-1" })).outcome, "accepted");
    const said = {
      request_id: "shut-1",
      approved: true,
      final_status: "complete",
      pending_work: "",
      artifacts_committed: true,
    };
    const reply = await team.as("dev-1").send(JSON.stringify({ type: "shutdown_response", ...said }));
    assert.equal(reply.outcome, "accepted", JSON.stringify(reply));
    // It had not read its mail.
    assert.equal(await outcomeOf(team, "dev-1"), "left-work");
  }
});
