/**
 * An idle agent is woken by every message, also where the disk is slow: SQLite writes a commit into its log before others
 * see it, and whoever looks in between sees nothing. Nobody else writes here, so a wake that is missed never comes.
 */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { systemClock } from "../../base/clock.ts";
import { systemRandom } from "../../base/random.ts";
import { openTeam } from "../../perform/open.ts";
import { mailWhileIdle } from "./waking.ts";

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
  const call = {
    given: { text: (name: string) => (name === "journal" ? `sqlite:${journal}` : undefined) },
    config: { directory: folder, hub: null, environment: () => ({}) },
  } as unknown as Parameters<typeof mailWhileIdle>[0]; // all that is asked of a call on a journal
  const pauses = Array.from({ length: 30 }, () => Math.floor(systemRandom.unit() * 250));
  t.diagnostic(`pauses in ms: ${pauses.join(" ")}`);
  const ending = new AbortController();
  t.after(() => ending.abort());
  for (let number = 1; number <= pauses.length; number++) {
    const page = await team.inbox();
    const last = page.ok ? (page.value.deliveries.at(-1)?.seq ?? 0) : 0;
    if (last > 0) await team.acknowledge(last);
    assert.ok((await team.shown({ context: null, seq: last, idle: true })).ok);
    const woken = mailWhileIdle(call, { team, agent: "dev-1" }, ending.signal);
    await systemClock.wait(pauses[number - 1] ?? 0);
    child.stdin.write(`Message ${number}\n`);
    assert.equal((await said.next()).value, "accepted");
    assert.equal(await woken, true, `message ${number}`);
  }
});
