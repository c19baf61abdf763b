import assert from "node:assert/strict";
import { test } from "node:test";
import {
  accepted,
  agentsOf,
  attend,
  breakerOf,
  eventsOf,
  lastEntry,
  limitMs,
  logOf,
  lose,
  place,
  refusedFor,
  tokenOf,
  unseenMs,
} from "../../tests/runtime/health-place.ts";
import { fireDue } from "../perform/timers.ts";
import { typedMessage } from "../testing/fixtures.ts";

test("an agent starts, is idle, works and stops", async () => {
  const { team } = await place();
  const seen = [(await agentsOf(team))["dev-1"]];
  assert.ok((await team.as("dev-1").inbox()).ok);
  seen.push((await agentsOf(team))["dev-1"]);
  tokenOf(await team.as("dev-1").claim({ task: "1-1-T1" }));
  seen.push((await agentsOf(team))["dev-1"]);
  accepted(await team.as("dev-1").release({ task: "1-1-T1" }));
  seen.push((await agentsOf(team))["dev-1"]);
  accepted(await team.as("lead-1").retire({ agent: "dev-1" }));
  seen.push((await agentsOf(team))["dev-1"]);
  assert.deepEqual(seen, ["start", "idle", "working", "idle", "stop"]);
});

test("a disappearance is one entry: claims released, task available, lead told, breaker fed", async () => {
  const { clock, team } = await place();
  await attend(team, "dev-1");
  tokenOf(await team.as("dev-1", "dev-1-program").claim({ task: "1-1-T1" }));
  clock.advance(unseenMs - 1);
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
    /^"dev-1 has disappeared and lost 1-1-T1: its program is silent\..*Its last heartbeat was 1 min before\."/,
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
  const seen = (await logOf(team)).filter(({ kind }) => kind === "timer");
  assert.ok(seen.length <= 31, `one look in about a hundred seconds, not ${seen.length} in 3,000`);
});

test("a pause shorter than the limit is no death, wherever it begins between two signs", async () => {
  for (const into of [0, 9_999, 10_000, 29_999]) {
    const { clock, team } = await place();
    await attend(team, "dev-1");
    clock.advance(into);
    assert.ok((await team.as("dev-1", "dev-1-program").heartbeat()).ok);
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

test("without a lead the owner is notified", async () => {
  const { clock, team } = await place();
  await lose(team, clock, "lead-1");
  assert.deepEqual((await lastEntry(team)).entry.receivers, ["owner"]);
});

test("who comes back late is known to be there; what was granted to another since is refused, with its old token too", async () => {
  const { clock, team } = await place();
  await attend(team, "dev-1");
  const dev = team.as("dev-1", "dev-1-program");
  const old = tokenOf(await dev.claim({ task: "1-1-T1" }));
  clock.advance(unseenMs);
  const taken = tokenOf(await team.as("dev-2").claim({ task: "1-1-T1" }));
  assert.equal((await agentsOf(team))["dev-1"], "disappeared");
  const late = await dev.complete({ task: "1-1-T1", token: old, commit: "abc1234" });
  assert.equal(refusedFor(late), "fenced-claim");
  assert.equal((await agentsOf(team))["dev-1"], "idle");
  const update = typedMessage("execution_update", { task_id: "1-1-T1" });
  assert.equal(refusedFor(await dev.send(JSON.stringify(update))), "fenced-claim");
  accepted(await team.as("dev-2").release({ task: "1-1-T1" }));
  const again = tokenOf(await dev.claim({ task: "1-1-T1" }));
  assert.ok(again > taken && taken > old);
  assert.equal(refusedFor(await dev.complete({ task: "1-1-T1", token: old, commit: "abc1234" })), "fenced-claim");
  accepted(await dev.complete({ task: "1-1-T1", token: again, commit: "abc1234" }));
});

test("a second program takes the agent's place: the first is refused at each operation, learns why, and keeps nobody alive", async () => {
  const { clock, team } = await place();
  await attend(team, "dev-1", "first");
  const first = team.as("dev-1", "first");
  const token = tokenOf(await first.claim({ task: "1-1-T1" }));
  await attend(team, "dev-1", "second");
  const second = team.as("dev-1", "second");
  const told = [
    refusedFor(await first.send("hello", { to: ["lead-1"] })),
    refusedFor(await first.claim({ task: "1-1-T2" })),
    refusedFor(await first.complete({ task: "1-1-T1", token, commit: "abc1234" })),
    refusedFor(await first.acknowledge(1)),
    refusedFor(await first.release({ task: "1-1-T1" })),
  ];
  const looks = [await first.inbox(), await first.heartbeat(), await first.attend(), await first.tasks()];
  assert.deepEqual(
    [...told, ...looks.map((each) => (each.ok ? null : each.error.code))],
    Array(9).fill("session-replaced"),
  );
  assert.equal((await agentsOf(team))["dev-1"], "working", "the claim is the agent's, and the second goes on with it");
  clock.advance(unseenMs - 1);
  assert.equal(refusedFor(await first.send("hello again", { to: ["lead-1"] })), "session-replaced");
  clock.advance(1);
  assert.ok((await fireDue(team.context)).ok);
  assert.equal((await agentsOf(team))["dev-1"], "disappeared", "the first's word is no sign of life of the second");
  accepted(await second.send("hello", { to: ["lead-1"] }));
  accepted(await team.as("dev-1").send("a command comes and goes", { to: ["lead-1"] }));
});

test("a program that has ended keeps out those whose place it took, and no other", async () => {
  const { team } = await place();
  await attend(team, "dev-1", "first");
  await attend(team, "dev-1", "second");
  const say = async (program: string) => await team.as("dev-1", program).send("hello", { to: ["lead-1"] });
  assert.equal(refusedFor(await say("new")), "session-replaced", "while the second runs");
  assert.ok((await team.as("dev-1", "second").leave()).ok);
  assert.equal(refusedFor(await say("first")), "session-replaced");
  accepted(await say("new"));
  await attend(team, "dev-1", "third");
  for (const program of ["first", "second", "new"]) assert.equal(refusedFor(await say(program)), "session-replaced");
  assert.ok((await team.as("dev-1", "third").leave()).ok);
  assert.equal(refusedFor(await say("first")), "session-replaced", "it never ended, and others took its place");
});

test("a program that ends in order leaves nothing to be expected, unless it leaves work behind", async () => {
  const { clock, team } = await place();
  for (const agent of ["dev-1", "dev-2"]) await attend(team, agent);
  tokenOf(await team.as("dev-2").claim({ task: "1-1-T2" }));
  for (const agent of ["dev-1", "dev-2"]) assert.ok((await team.as(agent, `${agent}-program`).leave()).ok);
  clock.advance(unseenMs);
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
