/** Agents that a round need not wait for: whose program has ended, who never began, who waits for input with empty hands. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { agentLook } from "../doors/page/shown/look.ts";
import { teamHandle } from "../perform/handle.ts";
import { seenText, stateText } from "../team/text/agents-text.ts";
import { manualClock, typedMessage } from "../testing/fixtures.ts";
import { type TestTeam, testTeam } from "../testing/test-team.ts";

const names = ["dev-1", "dev-2", "dev-3", "dev-4", "dev-5", "dev-6"];

/** dev-1, dev-4 and dev-5 hold a task each, dev-3 waits for input, dev-2 was never seen, dev-6 only as commands acted. */
async function place() {
  const clock = manualClock();
  const devs = names.map((agent) => ({ agent, role: "dev" }) as const);
  const agents = [{ agent: "lead-1", role: "lead" } as const, ...devs];
  const team = await testTeam({ clock, agents });
  const lead = team.as("lead-1");
  for (const [at, agent] of ["dev-1", "dev-4", "dev-5"].entries()) {
    const task = `1-1-T${at + 1}`;
    await lead.addTask({ task, plan: "1-1", files: [`src/${at}.ts`] });
    assert.equal((await team.as(agent, `program-${agent}`).attend()).ok, true);
    assert.equal((await team.as(agent, `program-${agent}`).claim({ task })).outcome, "accepted");
  }
  for (const agent of ["dev-3", "dev-6"]) await team.as(agent).send("Here", { to: ["lead-1"] });
  const idle = { context: "c1", seq: 0, idle: true };
  for (const agent of ["dev-3", "dev-4"])
    assert.deepEqual(await team.as(agent).shown(idle), { ok: true, value: undefined });
  return { clock, team };
}

async function stop(team: TestTeam, as: string) {
  const agents = { agents: names };
  const reply = await team.as(as).startShutdown({ reason: "user_abort", ...agents }, { id: "stop-1" });
  assert.equal(reply.outcome, "accepted", JSON.stringify(reply));
}

async function round(team: TestTeam) {
  const found = await team.as("owner").shutdowns({ round: "stop-1" });
  assert.ok(found.ok);
  return found.value[0] ?? assert.fail("no round");
}

async function holders(team: TestTeam) {
  const tasks = await team.as("owner").tasks();
  assert.ok(tasks.ok);
  return tasks.value.flatMap(({ holder }) => holder ?? []);
}

test("in the person's round nobody waits for who has ended, never began, runs no program, or is idle with empty hands", async () => {
  const { team } = await place();
  await using _ = team;
  await stop(team, "owner");
  assert.deepEqual(await team.as("owner").passAgents(["dev-1"]), { ok: true, value: 4 });
  assert.deepEqual(await team.as("owner").passAgents(["dev-1"]), { ok: true, value: 0 });
  const { agents, outcome } = await round(team);
  const ended = agents.map(({ agent, outcome: how }) => `${agent} ${how}`);
  assert.deepEqual(ended, ["dev-1 gone", "dev-2 gone", "dev-3 idle", "dev-4 null", "dev-5 null", "dev-6 gone"]);
  assert.equal(outcome, "open");
  assert.deepEqual(agents[0]?.openClaims, ["1-1-T1"]);
  const shown = await team.as("owner").agents();
  assert.ok(shown.ok);
  const stopped = shown.value.flatMap(({ agent, stopped: has }) => (has === true ? [agent] : []));
  assert.deepEqual(stopped, ["dev-1", "dev-2", "dev-3", "dev-6"]);
});

test("an agent's round waits for everybody but those whose program has ended", async () => {
  const { team } = await place();
  await using _ = team;
  await stop(team, "lead-1");
  assert.deepEqual(await team.as("owner").passAgents(["dev-1"]), { ok: true, value: 1 });
  const waited = (await round(team)).agents.filter(({ outcome }) => outcome === null);
  assert.deepEqual(
    waited.map(({ agent }) => agent),
    names.slice(1),
  );
});

test("who is gone is no stopped agent: it keeps its task over night, and goes on without being registered", async () => {
  const { team, clock } = await place();
  await using _ = team;
  await stop(team, "owner");
  await team.as("owner").passAgents(["dev-1", "dev-4", "dev-5"]);
  const { outcome } = await round(team);
  assert.equal(outcome, "incomplete", "tasks are left in hand");
  clock.advance(12 * 3_600_000);
  assert.deepEqual(await holders(team), ["dev-1", "dev-4", "dev-5"]);
  // The next hub listens since now, and gives everybody a lease to come back.
  const sinceMs = clock.now();
  const next = teamHandle(
    { ...team.context, listeningSinceMs: () => sinceMs },
    { agent: "owner", via: "launcher" },
    () => Promise.resolve(),
  );
  const held = async () => {
    const tasks = await next.tasks();
    assert.ok(tasks.ok);
    return tasks.value.flatMap(({ holder }) => holder ?? []);
  };
  assert.deepEqual(await held(), ["dev-1", "dev-4", "dev-5"]);
  const sent = await team.as("dev-4", "program-tomorrow").send("Here again", { to: ["lead-1"] });
  assert.equal(sent.outcome, "accepted", JSON.stringify(sent));
  clock.advance(200_000);
  assert.equal((await team.as("dev-4").send("Still here", { to: ["lead-1"] })).outcome, "accepted");
  clock.advance(200_000);
  assert.deepEqual(await held(), ["dev-4"], "who did not come back in a lease has lost its task");
});

test("an agent whose program comes back during the round works on", async () => {
  const { team } = await place();
  await using _ = team;
  await stop(team, "owner");
  await team.as("owner").passAgents(["dev-1"]);
  assert.equal((await team.as("dev-1", "program-2").attend()).ok, true);
  const done = await team.as("dev-1", "program-2").complete({ task: "1-1-T1", commit: "a".repeat(40) });
  assert.equal(done.outcome, "accepted", JSON.stringify(done));
  assert.equal((await round(team)).agents[0]?.outcome, "gone");
});

test("who stopped with everybody is back with the next hub or its own next program; who was asked alone stays stopped", async () => {
  const { team } = await place();
  await using _ = team;
  const owner = team.as("owner");
  assert.equal(
    (await owner.startShutdown({ reason: "plan_complete", agents: ["dev-5"] }, { id: "one" })).outcome,
    "accepted",
  );
  assert.equal((await team.as("dev-5").answerShutdown({})).outcome, "accepted");
  assert.equal((await owner.startShutdown({ reason: "user_abort" }, { id: "stop-1" })).outcome, "accepted");
  assert.equal((await team.as("dev-4", "program-dev-4").answerShutdown({})).outcome, "accepted");
  assert.deepEqual(await owner.resumeAgents(), { ok: true, value: 0 }, "the round goes on");
  assert.equal((await team.as("lead-1").answerShutdown({})).outcome, "accepted");
  await owner.passAgents(["dev-1"]);
  assert.equal((await round(team)).outcome, "incomplete");
  const say = (agent: string, program?: string) => team.as(agent, program).send("Good morning", { to: ["dev-2"] });
  assert.equal((await team.as("dev-4", "program-dev-4").attend()).ok, true);
  assert.equal((await say("dev-4", "program-dev-4")).outcome, "refused", "the program that was told to stop");
  assert.equal((await team.as("dev-4", "program-2").attend()).ok, true);
  assert.equal((await say("dev-4", "program-2")).outcome, "accepted");
  assert.deepEqual(await owner.resumeAgents(), { ok: true, value: 1 });
  assert.deepEqual(await owner.resumeAgents(), { ok: true, value: 0 });
  assert.equal((await say("lead-1")).outcome, "accepted");
  assert.equal((await say("dev-5")).outcome, "refused");
});

for (const [way, wakeUp] of [
  ["the next hub", (owner: ReturnType<TestTeam["as"]>) => owner.resumeAgents()],
  ["its name", (owner: ReturnType<TestTeam["as"]>) => owner.register({ agent: "dev-4", role: "dev" })],
] as const) {
  test(`a window that stayed open overnight goes on with ${way}, until another takes its place`, async () => {
    const { team } = await place();
    await using _ = team;
    const [owner, open] = [team.as("owner"), team.as("dev-4", "program-dev-4")];
    assert.equal((await owner.startShutdown({ reason: "user_abort" }, { id: "stop-1" })).outcome, "accepted");
    assert.equal((await open.answerShutdown({})).outcome, "accepted");
    assert.equal((await team.as("lead-1").answerShutdown({})).outcome, "accepted");
    await owner.passAgents(["dev-1", "dev-5"]);
    await wakeUp(owner);
    const say = async (as: typeof open) => (await as.send("Good morning", { to: ["dev-2"] })).outcome;
    assert.equal(await say(open), "accepted");
    assert.ok((await open.attend()).ok);
    const second = team.as("dev-4", "program-2");
    assert.ok((await second.attend()).ok);
    assert.deepEqual([await say(open), await say(second)], ["refused", "accepted"]);
  });
}

test("a request to stop whose round is over waits in no inbox, and what came after it does", async () => {
  const { team } = await place();
  await using _ = team;
  await stop(team, "owner");
  assert.equal((await team.as("lead-1").send("One thing more", { to: ["dev-1"] })).outcome, "accepted");
  const types = async (limit: number) => {
    const page = await team.as("dev-1").inbox({ limit });
    assert.ok(page.ok);
    return [page.value.unread, ...page.value.deliveries.map(({ type }) => type)];
  };
  assert.deepEqual(await types(9), [2, "shutdown_request", null]);
  await team.as("owner").passAgents(names);
  assert.equal((await round(team)).outcome, "incomplete");
  assert.deepEqual(await types(1), [1, null]);
});

test("who holds a task and whose program has ended does not count as at work, and the person reads how it goes on", async () => {
  const { team } = await place();
  await using _ = team;
  const needs = async () => {
    const found = await team.as("owner").needs();
    assert.ok(found.ok);
    return found.value.needs.map(({ kind, target, subject }) => `${kind} ${target}: ${subject}`);
  };
  assert.deepEqual(await needs(), []);
  assert.equal((await team.as("dev-1", "program-dev-1").leave()).ok, true);
  assert.deepEqual(await needs(), ["unresponsive dev-1: The program of dev-1 has ended, and dev-1 holds 1-1-T1."]);
  const agents = await team.as("owner").agents();
  assert.ok(agents.ok);
  assert.deepEqual(
    agents.value.flatMap(({ agent, ended }) => (ended === true ? [agent] : [])),
    ["dev-1"],
  );
  assert.equal((await team.as("dev-1", "program-2").attend()).ok, true);
  assert.deepEqual(await needs(), []);
});

test("a program that waits on after the stop of the day is shown as idle, and its end begins no day", async () => {
  const { team, clock } = await place();
  await using _ = team;
  const dev = team.as("dev-3", "program-dev-3");
  assert.equal((await dev.attend()).ok, true);
  assert.deepEqual(await dev.shown({ context: "c1", seq: 0, idle: true }), { ok: true, value: undefined });
  await stop(team, "owner");
  await team.as("owner").passAgents(["dev-1", "dev-4", "dev-5"]);
  const shown = async () => {
    const agents = await team.as("owner").agents();
    const agent = agents.ok ? agents.value.find((each) => each.agent === "dev-3") : undefined;
    assert.ok(agent !== undefined);
    return [agent.stopped, stateText(agent)];
  };
  assert.deepEqual(await shown(), [true, "stopped"]);
  clock.advance(60_000);
  assert.equal((await dev.attend()).ok, true);
  assert.deepEqual(await shown(), [true, "idle"]);
  assert.equal((await dev.leave()).ok, true);
  assert.deepEqual(await shown(), [true, "stopped"], "who ends it later has not begun another day");
});

test("programs that wait on after the stop of the day, and are gone without a word, are no false alarm next morning", async () => {
  const clock = manualClock();
  const agents = ["dev-1", "dev-2"].map((agent) => ({ agent, role: "dev" }) as const);
  await using team = await testTeam({ clock, agents });
  const owner = team.as("owner");
  const devs = agents.map(({ agent }) => team.as(agent, `program-${agent}`));
  for (const dev of devs) {
    assert.ok((await dev.attend()).ok);
    assert.ok((await dev.shown({ context: "c1", seq: 0, idle: true })).ok);
  }
  assert.equal((await owner.startShutdown({ reason: "user_abort" }, { id: "stop-1" })).outcome, "accepted");
  assert.ok((await owner.passAgents([])).ok);
  // Who was woken by the request answers too late.
  const late = await devs[0]?.answerShutdown({});
  const [problem] = late?.outcome === "refused" ? late.problems : [];
  assert.match(problem?.hint ?? "", /The day was stopped meanwhile: end your turn/);
  const said = await devs[1]?.send(JSON.stringify(typedMessage("shutdown_response", { request_id: "stop-1" })));
  assert.equal(said?.outcome, "accepted", JSON.stringify(said));
  // Their windows stay open for a while; then the machine is switched off.
  clock.advance(60_000);
  for (const dev of devs) assert.ok((await dev.attend()).ok);
  clock.advance(12 * 3_600_000);
  assert.equal((await owner.addTask({ title: "Good morning" })).outcome, "accepted");
  const [status, needs] = [await owner.status(), await owner.needs()];
  assert.ok(status.ok && needs.ok);
  assert.deepEqual(
    [status.value.agents.map(stateText), status.value.breakers.map(({ state }) => state), needs.value.needs],
    [["idle", "idle"], ["closed"], []],
  );
  // Who is back is awaited again.
  const back = team.as("dev-1", "program-2");
  assert.ok((await back.attend()).ok);
  assert.equal((await back.claim({ task: "1" })).outcome, "accepted");
  clock.advance(600_000);
  assert.equal((await owner.addTask({ title: "And another" })).outcome, "accepted");
  const later = await owner.agents();
  assert.deepEqual(later.ok && later.value.map(({ health }) => health), ["disappeared", "idle"]);
});

test("who ended its turn with a task in hand is at its prompt however its program beats, and needs the person after a lease", async () => {
  const clock = manualClock();
  await using team = await testTeam({ clock, agents: [{ agent: "dev-1", role: "dev" }] });
  const owner = team.as("owner");
  const dev = team.as("dev-1", "program-1");
  const shown = async () => {
    const [agents, needs] = [await owner.agents(), await owner.needs()];
    assert.ok(agents.ok && needs.ok);
    const [agent = assert.fail()] = agents.value;
    assert.equal(agentLook(agent).word, stateText(agent), "the page has the same word");
    assert.equal(agentLook({ ...agent, waits: true }).word, "waits for an answer");
    return [stateText(agent), seenText(agent).split(" ")[0], needs.value.needs.map(({ id }) => id)];
  };
  assert.equal((await owner.addTask({ title: "Totals carry tax" })).outcome, "accepted");
  assert.ok((await dev.attend()).ok);
  assert.equal((await dev.claim({ task: "1" })).outcome, "accepted");
  assert.deepEqual(await shown(), ["working", "last", []]);
  const waits = async (idle: boolean) => assert.ok((await dev.shown({ context: "c1", seq: 0, idle })).ok);
  await waits(true);
  assert.deepEqual(await shown(), ["at its prompt", "idle", []]);
  for (let beats = 0; beats < 11; beats += 1) {
    clock.advance(30_000);
    assert.ok((await dev.attend()).ok);
    await waits(true);
  }
  assert.deepEqual(await shown(), ["at its prompt", "idle", ["paused:dev-1"]]);
  await waits(false);
  assert.deepEqual(await shown(), ["working", "last", []]);
});
