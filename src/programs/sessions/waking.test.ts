/**
 * A free task wakes one idle agent, and an idle agent is woken by every message, also where the disk is slow: SQLite
 * writes a commit into its log before others see it, and whoever looks in between sees nothing. Nobody else writes here, so
 * a wake that is missed never comes.
 */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { ownTurn, systemClock } from "../../base/clock.ts";
import { agentName } from "../../base/ids.ts";
import { systemRandom } from "../../base/random.ts";
import { openTeam } from "../../perform/open.ts";
import { wakeReason } from "./waking.ts";

/** All that is asked of a call on a journal. */
const callIn = (folder: string) =>
  ({
    given: { text: (name: string) => (name === "journal" ? `sqlite:${join(folder, "journal.db")}` : undefined) },
    config: { directory: folder, hub: null, environment: () => ({}) },
  }) as unknown as Parameters<typeof wakeReason>[0];

const teamText =
  "version: 1\nteam: web\ndialects: [vbw/2]\nagents:\n  lead-1: { role: lead }\n  dev-1: { role: dev }\n";

/** Sends a message to dev-1 for each line that it reads, and says when it is durable. */
const sender = `
  import { createInterface } from "node:readline";
  import { openTeam } from ${JSON.stringify(import.meta.resolve("../../perform/open.ts"))};
  const opened = await openTeam({ journal: process.argv[1], agent: "lead-1" });
  await using team = opened.value;
  console.log("ready");
  for await (const line of createInterface({ input: process.stdin })) {
    const reply = await team.send(line, { to: [{ agent: "dev-1" }] });
    console.log(reply.outcome);
  }
`;

/** What a disk that is slow to make durable does. */
const slowDisk = ["-f", "-qq", "-o", "/dev/null", "-e", "trace=fdatasync,fsync"];
const slowly = [...slowDisk, "-e", "inject=fdatasync,fsync:delay_exit=150000"];

test("an idle agent is woken by each of 30 messages that come at odd moments to a slow disk", {
  skip: spawnSync("strace", ["-V"]).error === undefined ? false : "needs strace",
  timeout: 120_000,
}, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "baton-waking-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const journal = join(folder, "journal.db");
  const opened = await openTeam({
    journal,
    agent: "dev-1",
    create: true,
    teamFile: { path: join(folder, "team.yaml"), text: teamText },
  });
  assert.ok(opened.ok, JSON.stringify(opened));
  await using team = opened.value;
  const words = ["--input-type=module-typescript", "--eval", sender, "--", journal];
  const child = spawn("strace", [...slowly, process.execPath, ...words], { stdio: ["pipe", "pipe", "inherit"] });
  t.after(() => void child.stdin.end());
  const said = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  assert.equal((await said.next()).value, "ready");
  const call = callIn(folder);
  const pauses = Array.from({ length: 30 }, () => Math.floor(systemRandom.unit() * 250));
  t.diagnostic(`pauses in ms: ${pauses.join(" ")}`);
  const ending = new AbortController();
  t.after(() => ending.abort());
  for (let number = 1; number <= pauses.length; number++) {
    const page = await team.inbox();
    const last = page.ok ? (page.value.deliveries.at(-1)?.seq ?? 0) : 0;
    if (last > 0) await team.acknowledge(last);
    assert.ok((await team.shown({ context: null, seq: last, idle: true })).ok);
    const woken = wakeReason(call, { team, agent: "dev-1" }, ending.signal);
    await systemClock.wait(pauses[number - 1] ?? 0);
    child.stdin.write(`Message ${number}\n`);
    assert.equal((await said.next()).value, "accepted");
    assert.equal(await woken, "mail", `message ${number}`);
  }
});

test("a free task wakes one idle agent, each at most once, before the person is asked, and the one that it is meant for", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "baton-waking-"));
  const ending = new AbortController();
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  t.after(() => ending.abort());
  const agents = ["dev-1", "dev-2", "gem-1"];
  const devs = agents.map((each) => `  ${each}: { role: dev }\n`).join("");
  const text = `version: 1\nteam: web\ndialects: [vbw/2]\nagents:\n  lead-1: { role: lead }\n${devs}`;
  const as = async (agent: string) => {
    const teamFile = { path: join(folder, "team.yaml"), text };
    const opened = await openTeam({ journal: join(folder, "journal.db"), agent, create: true, teamFile });
    assert.ok(opened.ok, JSON.stringify(opened));
    return opened.value;
  };
  await using owner = await as("owner");
  await using one = await as("dev-1");
  await using two = await as("dev-2");
  await using three = await as("gem-1");
  const idle = { context: null, seq: 0, idle: true } as const;
  const waits = async (team: typeof one) => {
    assert.ok((await team.shown(idle)).ok);
    const { agent } = team.actor;
    return { agent, woken: wakeReason(callIn(folder), { team, agent }, ending.signal) };
  };
  const needs = async () => {
    const found = await owner.needs();
    return found.ok ? found.value.needs.map(({ id, subject }) => `${id} ${subject}`) : [];
  };
  const isReady = async (agent: string) => {
    // Others have their turn in between: a journal of this process answers at once, and their timers would never come.
    for (; ; await ownTurn()) {
      const known = await owner.agents();
      if (known.ok && known.value.find((each) => each.agent === agent)?.delivery.wakes === true) return;
    }
  };
  const add = async (title: string, more: object = {}) =>
    assert.equal((await owner.addTask({ title, ...more })).outcome, "accepted");
  const [first, second] = [await waits(one), await waits(two)];
  await Promise.all(["dev-1", "dev-2"].map(isReady));
  await add("Totals carry tax");
  assert.equal(await first.woken, "task");
  const again = await waits(one);
  assert.equal(await second.woken, "task", "dev-1 stopped without it, so dev-2 is next");
  assert.deepEqual(await needs(), []);
  const other = await waits(two);
  assert.deepEqual(await needs(), ["idle:1 Task 1 waits: dev-1 and dev-2 were woken and did not take it."]);
  assert.ok((await three.shown({ ...idle, wakes: false })).ok);
  await add("Pages show it", { agent: "dev-2" });
  assert.equal(await other.woken, "task");
  assert.equal((await two.claim({ task: "2" })).outcome, "accepted");
  assert.equal((await one.claim({ task: "next" })).outcome, "accepted");
  assert.deepEqual(await needs(), []);
  await add("The book says it");
  assert.deepEqual(await needs(), ["unwoken:3 Task 3 waits: nothing wakes gem-1."]);
  assert.equal((await two.release({ task: "2" })).outcome, "accepted");
  assert.ok((await two.shown(idle)).ok);
  assert.equal(await (await waits(two)).woken, "task", "a task that was given back is free anew");
  ending.abort();
  assert.equal(await again.woken, null);
});

test("whose day was ended is not woken, by its mail or a task, until a hub runs again", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "baton-waking-"));
  const ending = new AbortController();
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  t.after(() => ending.abort());
  const as = async (agent: string) => {
    const teamFile = { path: join(folder, "team.yaml"), text: teamText };
    const opened = await openTeam({ journal: join(folder, "journal.db"), agent, create: true, teamFile });
    assert.ok(opened.ok, JSON.stringify(opened));
    return opened.value;
  };
  await using owner = await as("owner");
  await using lead = await as("lead-1");
  await using dev = await as("dev-1");
  for (const team of [lead, dev]) assert.ok((await team.shown({ context: null, seq: 0, idle: true })).ok);
  const isLooking = async (agent: string) => {
    for (; ; await ownTurn()) {
      const known = await owner.agents();
      if (known.ok && known.value.find((each) => each.agent === agent)?.delivery.wakes === true) return;
    }
  };
  const both = ["dev-1", "lead-1"].flatMap((name) => agentName(name) ?? []).map((agent) => ({ agent }));
  const waits = wakeReason(callIn(folder), { team: lead, agent: "lead-1" }, ending.signal);
  await isLooking("lead-1");
  assert.equal((await owner.startShutdown({ reason: "user_abort" })).outcome, "accepted");
  assert.ok((await owner.passAgents([])).ok);
  const agents = await owner.agents();
  assert.deepEqual(agents.ok && agents.value.map(({ stopped }) => stopped), [true, true]);
  assert.equal((await owner.addTask({ title: "Totals carry tax", agent: "lead-1" })).outcome, "accepted");
  // Who acts again is woken, which shows that the other had as many looks.
  assert.equal((await dev.send("Here again", { to: both.slice(1) })).outcome, "accepted");
  const readAll = async () => {
    const page = await dev.inbox();
    await dev.acknowledge(page.ok ? (page.value.deliveries.at(-1)?.seq ?? 0) : 0);
  };
  for (let count = 0; count < 5; count++) {
    await readAll();
    assert.ok((await dev.shown({ context: null, seq: 0, idle: true, wakes: false })).ok);
    const woken = wakeReason(callIn(folder), { team: dev, agent: "dev-1" }, ending.signal);
    await isLooking("dev-1");
    const sent = await owner.send("One more thing", { to: both });
    assert.equal(sent.outcome, "accepted");
    assert.equal(await woken, "mail");
  }
  await readAll();
  // Who answered is waited for, too: the next day begins a new session for its open window.
  assert.ok((await dev.shown({ context: null, seq: 0, idle: true, wakes: false })).ok);
  const nextDay = wakeReason(callIn(folder), { team: dev, agent: "dev-1" }, ending.signal);
  await isLooking("dev-1");
  assert.equal((await owner.startShutdown({ reason: "user_abort" })).outcome, "accepted");
  assert.equal((await dev.answerShutdown({})).outcome, "accepted");
  assert.ok((await owner.passAgents([])).ok);
  assert.equal((await owner.register({ agent: "dev-1", role: "dev" })).outcome, "accepted");
  assert.equal((await owner.send("Good morning", { to: both })).outcome, "accepted");
  assert.equal(await nextDay, "mail");
  ending.abort();
  assert.equal(await waits, null);
});
