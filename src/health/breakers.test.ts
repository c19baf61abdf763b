import assert from "node:assert/strict";
import { test } from "node:test";
import {
  accepted,
  agentsOf,
  breakerOf,
  lastEntry,
  lose,
  place,
  refusedFor,
  tokenOf,
} from "../../tests/runtime/health-place.ts";
import type { Role } from "../messages/role.ts";
import { fireDue } from "../perform/timers.ts";
import { leaseMsOf, signsApartMsOf } from "../team/state/definition.ts";
import { manualClock } from "../testing/fixtures.ts";
import { type TestTeamOptions, testTeam } from "../testing/test-team.ts";

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
  const refused = await team.as("lead-1").register({ agent: "dev-9", role: "dev" });
  assert.equal(refusedFor(refused), "breaker-open");
  assert.match(refused.outcome === "refused" ? (refused.problems[0]?.hint ?? "") : "", /spawn: task/);
  accepted(await asOwner.register({ agent: "dev-8", role: "dev", mode: "task" }));
  tokenOf(await team.as("dev-8").claim({ task: "1-1-T2" }));
  accepted(await team.as("dev-8").release({ task: "1-1-T2" }));
  // In the team file all along, and never at work before.
  const barred = await team.as("dev-4").claim({ task: "1-1-T2" });
  assert.equal(barred.outcome === "refused" ? barred.denial?.reason : null, "breaker-open");
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

test("the person's own registration is not refused: the agent is let in to try, and its first sign closes the breaker", async () => {
  const { team, owner } = await broken();
  accepted(await owner.register({ agent: "dev-9", role: "dev" }));
  assert.deepEqual([(await breakerOf(team)).state, (await breakerOf(team)).probe], ["half-open", "dev-9"]);
  tokenOf(await team.as("dev-9").claim({ task: "1-1-T1" }));
  assert.equal((await breakerOf(team)).state, "closed");
});

test("the person closes a breaker with a reason, and nobody else does", async () => {
  const { team, owner } = await broken();
  const reason = "the network was down";
  assert.equal(refusedFor(await team.as("lead-1").closeBreaker({ reason })), "human-required");
  assert.equal(refusedFor(await owner.closeBreaker({ reason: " " })), "missing-field");
  assert.equal(refusedFor(await owner.closeBreaker({ scope: "backend", reason })), "not-found");
  assert.equal((await breakerOf(team)).state, "open");
  accepted(await owner.closeBreaker({ reason }, { id: "close-1" }));
  accepted(await owner.closeBreaker({ reason }, { id: "close-1" }));
  const closed = await breakerOf(team);
  assert.deepEqual([closed.state, closed.failures, closed.spawn], ["closed", 0, "teammate"]);
  assert.match((await lastEntry(team)).summary, /closed the circuit breaker of team: the network was down/);
  accepted(await team.as("lead-1").register({ agent: "dev-9", role: "dev" }));
  assert.equal(refusedFor(await owner.closeBreaker({ scope: "team", reason })), "not-found");
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

test("an agent that was given a task and disappeared before it ever acted is a new one when it returns", async () => {
  const { clock, team } = await place([
    ["dev-1", "dev"],
    ["dev-3", "dev"],
  ]);
  const [lead, given] = [team.as("lead-1"), team.as("dev-3")];
  tokenOf(await lead.claim({ task: "1-1-T1" }));
  accepted(await lead.reassign({ task: "1-1-T1", to: "dev-3" }));
  clock.advance(leaseMsOf(null) + signsApartMsOf(null));
  assert.ok((await fireDue(team.context)).ok);
  assert.equal((await agentsOf(team))["dev-3"], "disappeared");
  await lose(team, clock, "dev-1");
  assert.equal((await breakerOf(team)).state, "open");
  assert.ok((await given.inbox()).ok);
  assert.equal((await agentsOf(team))["dev-3"], "idle");
  for (const when of ["before its first entry", "after it"]) {
    const barred = await given.claim({ task: "1-1-T1" });
    assert.equal(barred.outcome === "refused" ? barred.denial?.reason : null, "breaker-open", when);
  }
  clock.advance(120_000);
  tokenOf(await given.claim({ task: "1-1-T1" }));
  assert.equal((await breakerOf(team)).state, "closed", "it was the probe");
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
  assert.equal(refusedFor(await team.as("b-lead").register(department("b-2", "backend"))), "breaker-open");
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
  accepted(await owner.retire({ agent: "dev-9" }));
  const health = await owner.agentEvents();
  const breakers = await owner.breakerEvents();
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
      assert.equal(refusedFor(sent), "sender-not-authorised", JSON.stringify(each));
    }
  }
});
