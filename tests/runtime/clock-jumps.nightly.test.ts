/**
 * The wall clock is set while leases, approvals, a shutdown round and a level's silence run: nothing fires early, in
 * processes that were there, in new ones and in a hub, and what is due fires in its own time. The control goes by the
 * wall clock alone and is caught.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type TestContext, test } from "node:test";
import { openTeam } from "../../src/perform/open.ts";
import { typedMessage } from "../../src/testing/fixtures.ts";
import { bundledProgram } from "../apart/program.ts";
import { fakeTimeMissing, type WallClock, wallClock } from "./fake-time.ts";

const skip = fakeTimeMissing() ?? false;
const program = await bundledProgram("tests/runtime/clock-process.ts", "esm");
/** Longer than any test runs, shorter than each jump. */
const waitS = 1_800;
const text = `version: 1
team: clocks
dialects: [vbw/2]
limits: { lease_seconds: ${waitS}, escalation_seconds: ${waitS} }
agents:
  lead-1: { role: lead }
  dev-1: { role: dev }
  dev-2: { role: dev }
`;

interface Looked {
  readonly wallMs: number;
  readonly timers: readonly number[];
}

interface Looker {
  /** Sends a string, or only looks, and says what it saw. */
  tell(line: string): Promise<Looked>;
  end(): Promise<void>;
}

async function looker(t: TestContext, how: string, journal: string, clock: WallClock): Promise<Looker> {
  const child: ChildProcess = spawn(process.execPath, [program, how, journal, "dev-1"], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, ...clock.variables },
  });
  t.after(() => child.kill("SIGKILL"));
  const { stdin, stdout } = child;
  assert.ok(stdin !== null && stdout !== null);
  const lines = createInterface(stdout);
  await once(lines, "line");
  return {
    async tell(line) {
      const answered = once(lines, "line");
      stdin.write(`${line}\n`);
      return JSON.parse(String((await answered)[0])) as Looked;
    },
    async end() {
      stdin.end();
      if (child.exitCode === null) await once(child, "exit");
    },
  };
}

/** A team in which everything that has a deadline waits for it. */
async function waitingTeam(t: TestContext, deadlineMs = waitS * 1_000) {
  const folder = mkdtempSync(join(tmpdir(), "baton-jumps-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const journal = join(folder, "journal.db");
  const open = async (agent: string) => {
    const opened = await openTeam({ journal, agent, create: true, teamFile: { path: "team.yaml", text } });
    assert.ok(opened.ok, JSON.stringify(opened));
    return opened.value;
  };
  await using lead = await open("lead-1");
  await using dev = await open("dev-1");
  await using other = await open("dev-2");
  await lead.addTask({ task: "1-1-T1", plan: "1-1", files: ["src/a.ts"] });
  await lead.addTask({ task: "1-1-T2", plan: "1-1", files: ["src/b.ts"] });
  assert.equal((await dev.claim({ task: "1-1-T1" })).outcome, "accepted");
  const until = { timestamp: "2026-02-12T10:00:00Z" };
  const deadline = { deadline: "2026-02-12T10:30:00Z" };
  for (const message of [
    typedMessage("approval_request", deadline, until),
    typedMessage("blocker_report", { task_id: "1-1-T2" }, { task: "1-1-T2" }),
  ]) {
    const sent = await other.send(JSON.stringify(message));
    assert.equal(sent.outcome, "accepted", JSON.stringify(sent));
  }
  const round = await lead.startShutdown({ reason: "phase_complete", deadlineMs }, { id: "shut-1" });
  assert.equal(round.outcome, "accepted");
  return { folder, journal };
}

/** Sets the clock back and forth; `look` says how many deadlines are recorded after each time. */
async function jump(clock: WallClock, first: Looked, look: (line: string) => Promise<readonly Looked[]>) {
  const seen: number[] = [];
  for (const [index, [offset, jumpMs]] of jumps.entries()) {
    clock.set(offset);
    for (const { wallMs, timers } of await look(`Still here ${index}`)) {
      const movedMs = wallMs - first.wallMs;
      assert.ok(
        Math.abs(movedMs - jumpMs) < waitS * 1_000,
        `the clock of a process moved by ${movedMs} ms, not ${jumpMs}`,
      );
      seen.push(timers.length);
    }
  }
  return seen;
}

const hourMs = 3_600_000;
const jumps: readonly (readonly [string, number])[] = [
  ["+1h", hourMs],
  ["-1h", -hourMs],
  ["+10y", 10 * 365 * 24 * hourMs],
  ["+0", 0],
];

test("a clock that is set by +1 h, -1 h and +10 y fires nothing early, in any process", { skip }, async (t) => {
  const { folder, journal } = await waitingTeam(t);
  const clock = wallClock(folder);
  const hub = await looker(t, "hub", journal, clock);
  const long = await looker(t, "team", journal, clock);
  const seen = await jump(clock, await long.tell("look"), async (line) => {
    // One that was there sends a heartbeat, another comes again, and the hub looks by itself.
    const before = await long.tell(line);
    const fresh = await looker(t, "team", journal, clock);
    const looked = [before, await fresh.tell("look"), await hub.tell("look")];
    await fresh.end();
    return looked;
  });
  assert.equal(seen.length, 3 * jumps.length);
  assert.deepEqual(
    seen.filter((timers) => timers > 0),
    [],
  );
  await long.end();
  await hub.end();
});

test("control: who goes by the wall clock fires early, and is seen to", { skip }, async (t) => {
  const { folder, journal } = await waitingTeam(t);
  const clock = wallClock(folder);
  const wall = await looker(t, "wall", journal, clock);
  const seen = await jump(clock, await wall.tell("look"), async () => [await wall.tell("look")]);
  assert.ok(seen.some((timers) => timers > 0));
  await wall.end();
});

test("a deadline passes in its own time although the clock is set back meanwhile", { skip }, async (t) => {
  const { folder, journal } = await waitingTeam(t, 1_500);
  const clock = wallClock(folder);
  clock.set("-1h");
  const hub = await looker(t, "hub", journal, clock);
  const opened = await openTeam({ journal, agent: "owner", create: false, readOnly: true });
  assert.ok(opened.ok);
  await using watcher = opened.value;
  const stop = new AbortController();
  for await (const line of watcher.follow({ after: 0, signal: stop.signal })) if (line.kind === "timer") stop.abort();
  assert.equal((await hub.tell("look")).timers.length > 0, true);
  await hub.end();
});
