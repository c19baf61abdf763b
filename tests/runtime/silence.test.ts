/** Silence judged by several connections to one file, and by a hub that was away. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { timestampOf } from "../../src/base/clock.ts";
import { teamName } from "../../src/base/ids.ts";
import { type Hub, openHub } from "../../src/perform/hub.ts";
import { openTeam } from "../../src/perform/open.ts";
import type { Team } from "../../src/perform/team.ts";
import { manualClock, typedMessage } from "../../src/testing/fixtures.ts";
import { expectCode, folder } from "../e2e/command.ts";
import { begin, later, placeFor, silenceFindings, untilSeen } from "./silence-campaign.ts";

const unseenMs = 100_000;
const teamFile = {
  path: "team.yaml",
  text: "version: 1\nteam: web\ndialects: [vbw/2]\nagents: {lead-1: {role: lead}, dev-1: {role: dev}}\n",
};

async function openedHub(options: Parameters<typeof openHub>[0]): Promise<Hub> {
  const hub = await openHub(options);
  assert.ok(hub.ok, JSON.stringify(hub));
  return hub.value;
}

async function opened(
  journal: string,
  clock: ReturnType<typeof manualClock>,
  agent: string,
  program?: string,
): Promise<Team> {
  const speaks = program === undefined ? {} : { program };
  const team = await openTeam({ journal, teamFile, create: true, clock, agent, ...speaks });
  assert.ok(team.ok, JSON.stringify(team));
  return team.value;
}

async function timersOf(team: Team): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const line of team.log({ kinds: ["timer"] })) if (line.ok) lines.push(line.value.summary);
  return lines;
}

test("many who look at once record a disappearance once", async () => {
  const journal = join(folder(), "journal.db");
  const clock = manualClock();
  await using dev = await opened(journal, clock, "dev-1", "p");
  assert.ok((await dev.attend()).ok);
  const others = await Promise.all(Array.from({ length: 8 }, () => opened(journal, clock, "lead-1")));
  clock.advance(unseenMs - 1);
  await Promise.all(others.map((team) => team.status()));
  assert.deepEqual(await timersOf(dev), []);
  clock.advance(1);
  await Promise.all(others.flatMap((team) => [team.status(), team.send("hello", { to: [] }), team.tasks()]));
  const timers = await timersOf(dev);
  assert.equal(timers.length, 1, JSON.stringify(timers));
  assert.match(timers[0] ?? "", /dev-1 has disappeared/);
  for (const team of others) await team[Symbol.asyncDispose]();
});

test("a hub that was away has missed heartbeats, and takes nobody for dead by them", async () => {
  const journal = join(folder(), "journal.db");
  const clock = manualClock();
  const name = teamName("web") ?? assert.fail();
  const hubFor = () => openedHub({ journal, teamFile, create: true, clock });
  const first = await hubFor();
  const team = await first.team(name, { agent: "dev-1", via: "token", program: "p" });
  assert.ok(team.ok && (await team.value.attend()).ok);
  await first[Symbol.asyncDispose]();
  clock.advance(10 * unseenMs);
  await using second = await hubFor();
  const owner = await second.team(name, { agent: "owner", via: "launcher" });
  assert.ok(owner.ok);
  const health = async () => {
    const status = await owner.value.status();
    return status.ok ? status.value.agents.find(({ agent }) => agent === "dev-1")?.health : null;
  };
  assert.equal(await health(), "idle");
  // From here on it listens, and looks every second.
  for (let passed = 0; passed < unseenMs - 1_000; passed += 1_000) {
    clock.advance(1_000);
    assert.ok((await second.fireDue()).ok);
  }
  assert.equal(await health(), "idle");
  clock.advance(1_000);
  assert.equal(await health(), "disappeared");
});

test("a hub that was held up for as long as a sign may be late takes nobody for dead by that", async () => {
  const journal = join(folder(), "journal.db");
  const clock = manualClock();
  const short = { ...teamFile, text: `${teamFile.text}limits: {disappear_seconds: 4}\n` };
  // A beat every 2 s, signs two thirds of a second apart, and the 4 s by which one may be late.
  const [beatMs, unseen] = [2_000, 2_000 + 667 + 4_000];
  await using hub = await openedHub({ journal, teamFile: short, create: true, clock });
  const name = teamName("web") ?? assert.fail();
  const team = await hub.team(name, { agent: "dev-1", via: "token", program: "p" });
  const owner = await hub.team(name, { agent: "owner", via: "launcher" });
  assert.ok(team.ok && (await team.value.attend()).ok && owner.ok);
  const pass = async (ms: number) => {
    clock.advance(ms);
    assert.ok((await hub.fireDue()).ok);
  };
  const health = async () => {
    const status = await owner.value.status();
    return status.ok ? status.value.agents.find(({ agent }) => agent === "dev-1")?.health : null;
  };
  await pass(1_000);
  await pass(beatMs - 1_000 + 600);
  // Just before the next beat reaches it, the hub is held up, for longer than the beat may be late.
  await pass(4_100);
  assert.equal(await health(), "idle", "whoever was not heard meanwhile is not to blame");
  for (let passed = 0; passed + 1_000 < unseen; passed += 1_000) await pass(1_000);
  assert.equal(await health(), "idle", "silence counts from when the hub was back");
  await pass(1_000);
  assert.equal(await health(), "disappeared");
});

test("a hub that stood still, as in a machine that slept, gives claims that much longer, once, and records it", async () => {
  const journal = join(folder(), "journal.db");
  const clock = manualClock();
  const short = { ...teamFile, text: `${teamFile.text}limits: {lease_seconds: 60}\n` };
  await using hub = await openedHub({ journal, teamFile: short, create: true, clock });
  const name = teamName("web") ?? assert.fail();
  const as = async (agent: string) => {
    const team = await hub.team(name, { agent, via: agent === "owner" ? "launcher" : "token" });
    return team.ok ? team.value : assert.fail();
  };
  const [lead, dev, owner] = [await as("lead-1"), await as("dev-1"), await as("owner")];
  const pass = async (seconds: number) => {
    for (let passed = 0; passed < seconds; passed++) {
      clock.advance(1_000);
      assert.ok((await hub.fireDue()).ok);
    }
  };
  for (const task of ["T1", "T2"]) await lead.addTask({ task, files: [`src/${task}.ts`] });
  const held = async () => {
    const tasks = await owner.tasks();
    return tasks.ok ? tasks.value.filter(({ holder }) => holder !== null).map(({ holder }) => holder) : null;
  };
  assert.equal((await dev.claim({ task: "T1" })).outcome, "accepted");
  assert.equal((await lead.claim({ task: "T2" })).outcome, "accepted");
  const deadline = timestampOf(clock.now() + 60_000);
  const asked = await dev.send(JSON.stringify(typedMessage("approval_request", { deadline }, { id: "ask-1" })));
  assert.equal(asked.outcome, "accepted", JSON.stringify(asked));
  const request = async () => {
    const approvals = await owner.approvals();
    return approvals.ok && approvals.value[0]?.status;
  };
  await pass(20);
  clock.advance(90_000);
  // Whoever is first after the pause, another agent here, takes nothing from anybody.
  assert.equal((await lead.claim({ task: "T1" })).outcome, "refused");
  await pass(1);
  assert.deepEqual(await held(), ["dev-1", "lead-1"]);
  assert.equal(await request(), "open", "its deadline waits, too");
  const timers = (await timersOf(owner)).filter((line) => line.includes("stood still"));
  assert.deepEqual(timers, ["the hub stood still for 90 s; dev-1 keep their claims for as much longer"]);
  // It is in the record: a process without the hub counts so, too.
  await using beside = await opened(journal, clock, "lead-1");
  assert.deepEqual((await beside.tasks()).ok && (await held()), ["dev-1", "lead-1"]);
  await pass(120);
  assert.equal(await request(), undefined, "and passes once its time is over");
  assert.deepEqual(await held(), [], "the control: who stays silent loses its claim");
});

test("without a hub a process that was stopped past its lease has lost its claim, alone, and learns of it when it goes on", async () => {
  const { directory, names } = placeFor({ lease_seconds: 3 }, 2);
  const [sleeper = "", awake = ""] = names;
  for (const task of ["T1", "T2"]) expectCode(0, directory, ["task", "add", task, "--files", `src/${task}.ts`]);
  const journal = join(directory, ".baton", "journal.db");
  const as = async (agent: string): Promise<Team> => {
    const team = await openTeam({ journal, agent });
    return team.ok ? team.value : assert.fail(JSON.stringify(team));
  };
  await using own = await as(sleeper);
  await using other = await as(awake);
  const life = begin(directory, sleeper);
  try {
    await untilSeen(other, sleeper);
    for (const [team, task] of [
      [own, "T1"],
      [other, "T2"],
    ] as const)
      assert.equal((await team.claim({ task })).outcome, "accepted");
    life.child.kill("SIGSTOP");
    let refusals = 0;
    const mine = async () => (await other.claim({ task: "T1" })).outcome === "accepted";
    for (; !(await mine()); refusals++) {
      assert.equal((await other.renew({ task: "T2" })).outcome, "accepted");
      await later(50);
    }
    assert.ok(refusals > 0, "its last heartbeat held the claim for a lease");
    life.child.kill("SIGCONT");
    await untilSeen(other, sleeper);
    const late = await own.complete({ task: "T1", commit: "abc1234" });
    assert.ok(late.outcome === "refused" && late.problems.some(({ message }) => message.includes(awake)));
    const tasks = await own.tasks();
    assert.deepEqual(tasks.ok && tasks.value.map(({ task, holder }) => [task, holder]), [
      ["T1", awake],
      ["T2", awake],
    ]);
  } finally {
    life.child.kill("SIGKILL");
  }
});

test("the campaign's check finds what is planted", () => {
  const death = { agent: "a", how: "killed", atMs: 1_000, forMs: null } as const;
  const pause = { agent: "b", how: "paused", atMs: 1_000, forMs: 500 } as const;
  const report = (found: readonly { readonly agent: string; readonly atMs: number }[]) => {
    return silenceFindings({ limitMs: 6_000, silenced: [pause, death], found });
  };
  assert.deepEqual(report([{ agent: "a", atMs: 13_000 }]), []);
  assert.equal(report([]).length, 1);
  assert.equal(report([{ agent: "a", atMs: 13_001 }]).length, 1);
  assert.equal(
    report([
      { agent: "a", atMs: 999 },
      { agent: "a", atMs: 5_000 },
    ]).length,
    1,
  );
  assert.equal(
    report([
      { agent: "a", atMs: 5_000 },
      { agent: "a", atMs: 9_000 },
    ]).length,
    1,
  );
  assert.equal(
    report([
      { agent: "b", atMs: 5_000 },
      { agent: "a", atMs: 9_000 },
    ]).length,
    1,
  );
});
