import assert from "node:assert/strict";
import { test } from "node:test";
import type { Role } from "../message/role.ts";
import { manualClock, typedMessage } from "../testing/fixtures.ts";
import { type TestTeam, type TestTeamOptions, testTeam } from "../testing/test-team.ts";
import type { ClaimAnswer, LogLine, Reply, Shown } from "./team.ts";
import { fireDue } from "./timers.ts";

type Clock = ReturnType<typeof manualClock>;

const limitMs = 60_000;
/** A sign is expected every 30 s and kept when the last is 10 s old, so the limit passes 100 s after the last one kept. */
const unheardMs = 100_000;

async function place(
  agents: readonly (readonly [string, Role])[] = [
    ["dev-1", "dev"],
    ["dev-2", "dev"],
  ],
  more: Partial<TestTeamOptions> = {},
): Promise<{ readonly clock: Clock; readonly team: TestTeam }> {
  const clock = manualClock();
  const team = await testTeam({
    clock,
    agents: [["lead-1", "lead"] as const, ...agents].map(([agent, role]) => ({ agent, role })),
    ...more,
  });
  for (const task of ["1-1-T1", "1-1-T2"]) accepted(await team.as("lead-1").addTask({ task }));
  return { clock, team };
}

function accepted(reply: Reply): number {
  assert.equal(reply.outcome, "accepted", JSON.stringify(reply));
  return reply.outcome === "accepted" ? reply.receipt.seq : 0;
}

function refusedFor(reply: Reply): string | undefined {
  assert.equal(reply.outcome, "refused", JSON.stringify(reply));
  return reply.outcome === "refused" ? reply.problems[0]?.code : undefined;
}

function tokenOf(answer: ClaimAnswer): number {
  assert.ok(answer.granted, JSON.stringify(answer));
  return answer.token;
}

/** The program of the agent shows itself, as `baton mcp` does. */
async function attend(team: TestTeam, agent: string, program = `${agent}-program`): Promise<void> {
  const attended = await team.as(agent, program).attend();
  assert.deepEqual(attended, { ok: true, value: { everyMs: 30_000 } });
}

async function agentsOf(team: TestTeam): Promise<Record<string, string>> {
  const status = await team.as("owner").status();
  assert.ok(status.ok);
  return Object.fromEntries(status.value.agents.map(({ agent, health }) => [agent, health]));
}

async function breakerOf(team: TestTeam) {
  const found = await team.as("owner").breakers();
  assert.ok(found.ok);
  return found.value[0] ?? assert.fail("no breaker");
}

async function logOf(team: TestTeam): Promise<readonly LogLine[]> {
  const lines: LogLine[] = [];
  for await (const line of team.as("owner").log()) if (line.ok) lines.push(line.value);
  return lines;
}

async function lastEntry(team: TestTeam): Promise<Shown> {
  const shown = await team.as("owner").show(String((await logOf(team)).at(-1)?.seq));
  assert.ok(shown.ok);
  return shown.value;
}

function eventsOf({ entry }: Shown): readonly string[] {
  const { events = [] } = entry.content as { readonly events?: readonly { readonly event: string }[] };
  return events.map(({ event }) => event);
}

/** Lets an agent with a program disappear: time passes for all, and the others show themselves. */
async function lose(team: TestTeam, clock: Clock, agent: string): Promise<void> {
  await attend(team, agent);
  clock.advance(unheardMs);
  assert.ok((await fireDue(team.context)).ok);
  assert.equal((await agentsOf(team))[agent], "disappeared");
}

test("an agent starts, is idle, works and stops", async () => {
  const { team } = await place();
  const seen = [(await agentsOf(team))["dev-1"]];
  assert.ok((await team.as("dev-1").inbox()).ok);
  seen.push((await agentsOf(team))["dev-1"]);
  tokenOf(await team.as("dev-1").claim({ task: "1-1-T1" }));
  seen.push((await agentsOf(team))["dev-1"]);
  accepted(await team.as("dev-1").release("1-1-T1"));
  seen.push((await agentsOf(team))["dev-1"]);
  accepted(await team.as("lead-1").retire("dev-1"));
  seen.push((await agentsOf(team))["dev-1"]);
  assert.deepEqual(seen, ["start", "idle", "working", "idle", "stop"]);
});

test("a disappearance is one entry: claims released, task available, lead told, breaker fed", async () => {
  const { clock, team } = await place();
  await attend(team, "dev-1");
  tokenOf(await team.as("dev-1", "dev-1-program").claim({ task: "1-1-T1" }));
  clock.advance(unheardMs - 1);
  assert.ok((await fireDue(team.context)).ok);
  assert.equal((await agentsOf(team))["dev-1"], "working", "late, never early");
  clock.advance(1);
  assert.ok((await fireDue(team.context)).ok);
  const entry = await lastEntry(team);
  assert.deepEqual(eventsOf(entry), ["agent-disappeared", "claim-released", "breaker-counted"]);
  assert.deepEqual(entry.entry.receivers, ["lead-1"]);
  const tasks = await team.as("owner").tasks();
  assert.equal(tasks.ok && tasks.value[0]?.state, "available");
  const mail = await team.as("lead-1").inbox();
  assert.ok(mail.ok);
  assert.match(
    JSON.stringify(mail.value.deliveries[0]?.message),
    /^"dev-1 has disappeared: its program is silent\..*1-1-T1/,
  );
  assert.deepEqual((await breakerOf(team)).failures, 1);
  assert.match((await logOf(team)).at(-1)?.summary ?? "", /dev-1 has disappeared/);
});

test("a program that shows itself keeps its agent, however long that says nothing", async () => {
  const { clock, team } = await place();
  await attend(team, "dev-1");
  for (let beat = 0; beat < 100; beat += 1) {
    clock.advance(30_000);
    await attend(team, "dev-1");
    assert.ok((await fireDue(team.context)).ok);
  }
  assert.equal((await agentsOf(team))["dev-1"], "idle");
  const heard = (await logOf(team)).filter(({ kind }) => kind === "timer");
  assert.ok(heard.length <= 31, `one look in about a hundred seconds, not ${heard.length} in 3,000`);
});

test("a pause shorter than the limit is no death, wherever it begins between two signs", async () => {
  for (const into of [0, 9_999, 10_000, 29_999]) {
    const { clock, team } = await place();
    await attend(team, "dev-1");
    clock.advance(into);
    assert.ok((await team.as("dev-1", "dev-1-program").signOfLife()).ok);
    // It was to show itself 30 s after its last beat, and wakes just before that sign is too late.
    clock.advance(30_000 + limitMs - 1 - into);
    assert.ok((await fireDue(team.context)).ok);
    assert.equal((await agentsOf(team))["dev-1"], "idle", `${into}`);
  }
});

test("of an agent that only uses commands its lease is the limit", async () => {
  const { clock, team } = await place();
  tokenOf(await team.as("dev-1").claim({ task: "1-1-T1" }));
  clock.advance(309_999);
  assert.ok((await fireDue(team.context)).ok);
  assert.equal((await agentsOf(team))["dev-1"], "working");
  clock.advance(1);
  assert.ok((await fireDue(team.context)).ok);
  const entry = await lastEntry(team);
  assert.deepEqual(eventsOf(entry), ["agent-disappeared", "leases-expired", "breaker-counted"]);
  assert.match(entry.message?.text ?? "", /its lease is over/);
  clock.advance(10 * 310_000);
  assert.ok((await fireDue(team.context)).ok);
  assert.equal((await agentsOf(team))["dev-2"], "start", "who holds nothing is expected by nobody");
});

test("without a lead the owner is told", async () => {
  const { clock, team } = await place();
  await lose(team, clock, "lead-1");
  assert.deepEqual((await lastEntry(team)).entry.receivers, ["owner"]);
});

test("who comes back late is known to be there; what was granted to another since is refused, with its old token too", async () => {
  const { clock, team } = await place();
  await attend(team, "dev-1");
  const dev = team.as("dev-1", "dev-1-program");
  const old = tokenOf(await dev.claim({ task: "1-1-T1" }));
  clock.advance(unheardMs);
  const taken = tokenOf(await team.as("dev-2").claim({ task: "1-1-T1" }));
  assert.equal((await agentsOf(team))["dev-1"], "disappeared");
  const late = await dev.complete({ task: "1-1-T1", token: old, commit: "abc1234" });
  assert.equal(refusedFor(late), "fenced-claim");
  assert.equal((await agentsOf(team))["dev-1"], "idle");
  const update = typedMessage("execution_update", { task_id: "1-1-T1" });
  assert.equal(refusedFor(await dev.send(JSON.stringify(update))), "fenced-claim");
  accepted(await team.as("dev-2").release("1-1-T1"));
  const again = tokenOf(await dev.claim({ task: "1-1-T1" }));
  assert.ok(again > taken && taken > old);
  assert.equal(refusedFor(await dev.complete({ task: "1-1-T1", token: old, commit: "abc1234" })), "fenced-claim");
  accepted(await dev.complete({ task: "1-1-T1", token: again, commit: "abc1234" }));
});

test("a poll alone brings a disappeared agent back, and it can disappear again", async () => {
  const { clock, team } = await place();
  await lose(team, clock, "dev-1");
  assert.ok((await team.as("dev-1", "dev-1-program").inbox()).ok);
  assert.equal((await agentsOf(team))["dev-1"], "idle");
  clock.advance(unheardMs);
  assert.ok((await fireDue(team.context)).ok);
  assert.equal((await agentsOf(team))["dev-1"], "disappeared");
});

test("a second program takes the agent's place: the first is refused at each act, told why, and keeps nobody alive", async () => {
  const { clock, team } = await place();
  await attend(team, "dev-1", "first");
  const first = team.as("dev-1", "first");
  const token = tokenOf(await first.claim({ task: "1-1-T1" }));
  await attend(team, "dev-1", "second");
  const second = team.as("dev-1", "second");
  const told = [
    refusedFor(await first.send("hello", { to: ["lead-1"] })),
    refusedFor((await first.claim({ task: "1-1-T2" })).reply),
    refusedFor(await first.complete({ task: "1-1-T1", token, commit: "abc1234" })),
    refusedFor(await first.acknowledge(1)),
    refusedFor(await first.release("1-1-T1")),
  ];
  const looks = [await first.inbox(), await first.signOfLife(), await first.attend(), await first.tasks()];
  assert.deepEqual(
    [...told, ...looks.map((each) => (each.ok ? null : each.error.code))],
    Array(9).fill("session-replaced"),
  );
  assert.equal((await agentsOf(team))["dev-1"], "working", "the claim is the agent's, and the second goes on with it");
  clock.advance(unheardMs - 1);
  assert.equal(refusedFor(await first.send("hello again", { to: ["lead-1"] })), "session-replaced");
  clock.advance(1);
  assert.ok((await fireDue(team.context)).ok);
  assert.equal((await agentsOf(team))["dev-1"], "disappeared", "the first's word is no sign of life of the second");
  accepted(await second.send("hello", { to: ["lead-1"] }));
  accepted(await team.as("dev-1").send("a command comes and goes", { to: ["lead-1"] }));
});

test("a program that ends in order leaves nothing to be expected, unless it leaves work behind", async () => {
  const { clock, team } = await place();
  for (const agent of ["dev-1", "dev-2"]) await attend(team, agent);
  tokenOf(await team.as("dev-2").claim({ task: "1-1-T2" }));
  for (const agent of ["dev-1", "dev-2"]) assert.ok((await team.as(agent, `${agent}-program`).leave()).ok);
  clock.advance(unheardMs);
  assert.ok((await fireDue(team.context)).ok);
  const agents = await agentsOf(team);
  assert.deepEqual([agents["dev-1"], agents["dev-2"]], ["idle", "disappeared"]);
});

test("registering again starts a new session: what the old one held is free, its programs are refused", async () => {
  const { team } = await place([["dev-2", "dev"]]);
  const dev = { agent: "dev-1", role: "dev" } as const;
  accepted(await team.as("owner").register(dev));
  await attend(team, "dev-1", "first");
  tokenOf(await team.as("dev-1", "first").claim({ task: "1-1-T1" }));
  accepted(await team.as("owner").register(dev));
  assert.equal((await agentsOf(team))["dev-1"], "working", "the same again changes nothing");
  accepted(await team.as("owner").register({ ...dev, newSession: true }));
  assert.equal((await agentsOf(team))["dev-1"], "start");
  const refused = await team.as("dev-1", "first").send("still here", { to: ["lead-1"] });
  assert.equal(refusedFor(refused), "session-replaced");
  const attended = await team.as("dev-1", "first").attend();
  assert.equal(attended.ok ? null : attended.error.code, "session-replaced");
  await attend(team, "dev-1", "second");
  tokenOf(await team.as("dev-1", "second").claim({ task: "1-1-T1" }));
});

test("registering a disappeared agent starts a new session", async () => {
  const { clock, team } = await place([["dev-2", "dev"]]);
  const dev = { agent: "dev-1", role: "dev" } as const;
  accepted(await team.as("owner").register(dev));
  await lose(team, clock, "dev-1");
  accepted(await team.as("owner").register(dev));
  const status = await team.as("owner").status();
  assert.equal(status.ok && status.value.agents.find(({ agent }) => agent === "dev-1")?.session, 2);
  assert.equal((await agentsOf(team))["dev-1"], "start");
});

test("a breaker: two disappear, no new teammate and no claim of one, those at work go on, task mode goes on", async () => {
  const { clock, team } = await place([
    ["dev-1", "dev"],
    ["dev-2", "dev"],
    ["dev-3", "dev"],
    ["dev-4", "dev"],
  ]);
  tokenOf(await team.as("dev-3").claim({ task: "1-1-T1" }));
  await lose(team, clock, "dev-1");
  assert.equal((await breakerOf(team)).spawn, "teammate");
  await lose(team, clock, "dev-2");
  const open = await breakerOf(team);
  assert.deepEqual([open.state, open.failures, open.spawn], ["open", 2, "task"]);
  assert.match((await lastEntry(team)).message?.text ?? "", /circuit breaker of the team is open/);
  const asOwner = team.as("owner");
  const refused = await asOwner.register({ agent: "dev-9", role: "dev" });
  assert.equal(refusedFor(refused), "breaker-open");
  assert.match(refused.outcome === "refused" ? (refused.problems[0]?.hint ?? "") : "", /spawn: task/);
  accepted(await asOwner.register({ agent: "dev-8", role: "dev", mode: "task" }));
  tokenOf(await team.as("dev-8").claim({ task: "1-1-T2" }));
  accepted(await team.as("dev-8").release("1-1-T2"));
  // In the team file all along, and never at work before.
  const barred = await team.as("dev-4").claim({ task: "1-1-T2" });
  assert.equal(barred.granted ? null : barred.reason, "breaker-open");
  tokenOf(await team.as("dev-3").claim({ task: "1-1-T2" }));
  accepted(await team.as("dev-4").send("I wait", { to: ["lead-1"] }));
});

/** A team whose breaker is open. */
async function broken(more: Partial<TestTeamOptions> = {}) {
  const { clock, team } = await place(
    [
      ["dev-1", "dev"],
      ["dev-2", "dev"],
    ],
    more,
  );
  await lose(team, clock, "dev-1");
  await lose(team, clock, "dev-2");
  return { clock, team, owner: team.as("owner") };
}

test("half-open lets one probe in; it has its time to show life, and closes the breaker by any sign", async () => {
  for (const sign of ["poll", "message", "claim"] as const) {
    const { clock, team, owner } = await broken();
    clock.advance(119_999);
    assert.equal(refusedFor(await owner.register({ agent: "dev-9", role: "dev" })), "breaker-open");
    clock.advance(1);
    accepted(await owner.register({ agent: "dev-9", role: "dev" }));
    const trying = await breakerOf(team);
    assert.deepEqual([trying.state, trying.probe, trying.spawn], ["half-open", "dev-9", "task"]);
    assert.equal(refusedFor(await owner.register({ agent: "dev-8", role: "dev" })), "breaker-open");
    clock.advance(59_999);
    const probe = team.as("dev-9");
    if (sign === "poll") assert.ok((await probe.inbox()).ok);
    if (sign === "message") accepted(await probe.send("here", { to: ["lead-1"] }));
    if (sign === "claim") tokenOf(await probe.claim({ task: "1-1-T1" }));
    const closed = await breakerOf(team);
    assert.deepEqual([closed.state, closed.failures, closed.spawn], ["closed", 0, "teammate"], sign);
    accepted(await owner.register({ agent: "dev-8", role: "dev" }));
  }
});

test("a probe that stays silent opens it again, for as long as before", async () => {
  const { clock, team, owner } = await broken();
  clock.advance(120_000);
  accepted(await owner.register({ agent: "dev-9", role: "dev" }));
  clock.advance(60_000);
  assert.equal((await breakerOf(team)).state, "open");
  const barred = await team.as("dev-9").claim({ task: "1-1-T1" });
  assert.equal(barred.granted ? null : barred.reason, "breaker-open");
  clock.advance(120_000);
  assert.equal((await breakerOf(team)).state, "half-open");
});

test("an agent of the team file that shows itself while nobody tries is the probe", async () => {
  const { clock, team } = await place([
    ["dev-1", "dev"],
    ["dev-2", "dev"],
    ["dev-4", "dev"],
  ]);
  for (const agent of ["dev-1", "dev-2"]) await lose(team, clock, agent);
  clock.advance(120_000);
  tokenOf(await team.as("dev-4").claim({ task: "1-1-T1" }));
  assert.equal((await breakerOf(team)).state, "closed");
});

test("each department has its own, and the file's numbers hold", async () => {
  const clock = manualClock();
  const department = (agent: string, name: "backend" | "frontend", role: Role = "dev") => {
    return { agent, role, department: name };
  };
  const team = await testTeam({
    clock,
    dialects: ["yolo/1"],
    agents: [
      department("b-lead", "backend", "lead"),
      department("f-lead", "frontend", "lead"),
      department("b-1", "backend"),
      department("f-1", "frontend"),
    ],
    limits: { breakerFailures: 1, breakerOpenSeconds: 10, disappearSeconds: 6, breakerProbeSeconds: 5 },
  });
  const attended = await team.as("b-1", "p").attend();
  assert.deepEqual(attended, { ok: true, value: { everyMs: 3_000 } });
  clock.advance(9_999);
  assert.ok((await fireDue(team.context)).ok);
  assert.equal((await agentsOf(team))["b-1"], "idle");
  clock.advance(1);
  const found = await team.as("owner").breakers();
  assert.ok(found.ok);
  assert.deepEqual(
    found.value.map((each) => [each.department, each.state]),
    [
      ["backend", "open"],
      ["frontend", "closed"],
    ],
  );
  assert.deepEqual((await lastEntry(team)).entry.receivers, ["b-lead"], "the lead of its own department");
  const owner = team.as("owner");
  assert.equal(refusedFor(await owner.register(department("b-2", "backend"))), "breaker-open");
  accepted(await owner.register(department("f-2", "frontend")));
  clock.advance(10_000);
  accepted(await owner.register(department("b-2", "backend")));
});

test("a team in task mode has no breaker", async () => {
  const { team, owner } = await broken({ teamMode: "task" });
  assert.deepEqual(await owner.breakers(), { ok: true, value: [] });
  accepted(await owner.register({ agent: "dev-9", role: "dev" }));
  assert.equal((await agentsOf(team))["dev-1"], "disappeared");
});

test("the record in the form of the wire is what yolo/1 accepts, and an agent that sends it is refused", async () => {
  const { clock, team, owner } = await broken({ dialects: ["yolo/1"] });
  clock.advance(120_000);
  accepted(await owner.register({ agent: "dev-9", role: "dev" }));
  assert.ok((await team.as("dev-9").inbox()).ok);
  assert.ok((await team.as("dev-1", "dev-1-program").inbox()).ok);
  accepted(await owner.retire("dev-9"));
  const health = await owner.healthRecord("health");
  const breakers = await owner.healthRecord("breaker");
  assert.ok(health.ok && breakers.ok);
  const of = (agent: string) =>
    health.value
      .filter((each) => each.agent_id === agent)
      .map(({ state, prev_state, timeout_triggered }) => [prev_state, state, timeout_triggered]);
  assert.deepEqual(of("dev-1"), [
    ["stop", "start", false],
    ["start", "idle", false],
    ["idle", "disappeared", true],
    ["disappeared", "idle", false],
  ]);
  assert.deepEqual(
    of("dev-9").map(([, state]) => state),
    ["start", "stop"],
  );
  assert.deepEqual(
    breakers.value.map(({ dept, state, failure_count }) => [dept, state, failure_count]),
    [
      ["backend", "closed", 1],
      ["backend", "open", 2],
      ["backend", "half-open", 2],
      ["backend", "half-open", 2],
      ["backend", "closed", 0],
    ],
  );
  const dialect = team.context.dialectOf("yolo/1");
  for (const each of [...health.value, ...breakers.value]) {
    const read = dialect?.read(each);
    assert.equal(read?.answer, "accepted", JSON.stringify([each, read]));
    for (const agent of ["dev-1", "lead-1"]) {
      const sent = await team.as(agent).send(JSON.stringify(each), { to: ["lead-1"] });
      const isAnothers = typeof each.agent_id === "string" && each.agent_id !== agent;
      assert.equal(refusedFor(sent), isAnothers ? "identity-mismatch" : "sender-not-authorised", JSON.stringify(each));
    }
  }
});
