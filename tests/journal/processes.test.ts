/**
 * Several processes on one journal: nothing lost, nothing twice, nobody refused, nobody kept waiting silent. Source:
 * docs/protocol/record.md, sections 1, 3, 4 and 12.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { createInterface } from "node:readline";
import { type TestContext, test } from "node:test";
import { systemClock } from "../../src/base/clock.ts";
import { openSqliteJournal } from "../../src/journal/sqlite/index.ts";
import { bundledProgram } from "../apart/program.ts";
import { inLongRun } from "../run-size.ts";
import { attempt, must, mustRecord, tally, team } from "./journal-subject.ts";

const alpha = team("alpha");
const program = await bundledProgram("tests/journal/writer.ts", "esm");
/** How long a lock is held while others wait for it. */
const heldMs = 2_000;

function scratch(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "baton-processes-"));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "journal.db");
}

interface Started {
  readonly lines: AsyncIterator<string>;
  readonly ended: Promise<number | null>;
  /** Writes a line to its standard input. */
  tell(line: string): void;
  /** Ends its standard input. */
  release(): void;
}

function start(...words: readonly string[]): Started {
  const child = spawn(process.execPath, [program, ...words], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ended = new Promise<number | null>((resolve) => child.on("exit", resolve));
  return { lines, ended, tell: (line) => child.stdin.write(`${line}\n`), release: () => child.stdin.end() };
}

async function next<Value>(lines: AsyncIterator<string>): Promise<Value> {
  const line = await lines.next();
  assert.ok(line.done !== true, "the process says something more");
  return JSON.parse(line.value) as Value; // Our own program printed it.
}

/** How often each of them commits. */
const commits = inLongRun(500, 150);

test(`8 processes x ${commits} commits: gapless, exactly once, none refused`, async (t) => {
  const file = scratch(t);
  const processes = Array.from({ length: 8 }, (_, index) => start("commit", file, `dev-${index}`, `${commits}`));
  const reports = await Promise.all(processes.map(({ lines }) => next<{ seqs: number[]; refused: string[] }>(lines)));
  assert.deepEqual(
    await Promise.all(processes.map(({ ended }) => ended)),
    processes.map(() => 0),
  );
  assert.deepEqual(
    reports.flatMap(({ refused }) => refused),
    [],
  );
  const seqs = reports.flatMap((report) => report.seqs).sort((a, b) => a - b);
  assert.deepEqual(
    seqs,
    Array.from({ length: 8 * commits }, (_, index) => index + 1),
  );
  const journal = must(await openSqliteJournal(file, tally));
  const { state } = must(await journal.state(alpha));
  assert.deepEqual(
    [...state.byAgent.values()],
    reports.map(() => commits),
  );
  const report = await journal.verify();
  assert.deepEqual([report.problems, report.teams[0]?.entries], [[], 8 * commits]);
  await journal.close();
});

test("4 processes send the same 1,500 ids: each is recorded once, regardless of who indexes them", async (t) => {
  const file = scratch(t);
  const processes = Array.from({ length: 4 }, () => start("commit", file, "dev-0", "1500"));
  const reports = await Promise.all(processes.map(({ lines }) => next<{ seqs: number[]; refused: string[] }>(lines)));
  const seqs = reports.flatMap((report) => report.seqs).sort((a, b) => a - b);
  assert.deepEqual(
    seqs,
    Array.from({ length: 1_500 }, (_, index) => index + 1),
  );
  const others = reports.flatMap(({ refused }) => refused);
  assert.deepEqual([others.length, ...new Set(others)], [4_500, "duplicate"]);
  const journal = must(await openSqliteJournal(file, tally));
  assert.deepEqual((await journal.verify()).problems, []);
  await journal.close();
});

test("follow sees what another process appends, in order, each once, within 50 ms of its receipt", async (t) => {
  const file = scratch(t);
  const journal = must(await openSqliteJournal(file, tally));
  mustRecord(await journal.commit(alpha, attempt()));
  const count = 40;
  const { lines, ended } = start("follow", file, String(count));
  assert.equal(await next(lines), "following");
  assert.equal((await next<{ seq: number }>(lines)).seq, 1);
  // Another process tells what the machine itself takes to wake one that waits, however busy it is.
  const control = start("echo");
  assert.equal(await next(control.lines), "listening");
  const [latenessUs, controlUs]: [number[], number[]] = [[], []];
  for (let seq = 2; seq <= count; seq += 1) {
    mustRecord(await journal.commit(alpha, attempt()));
    const recordedAt = Number(process.hrtime.bigint() / 1000n);
    const seen = await next<{ seq: number; at: number }>(lines);
    assert.equal(seen.seq, seq);
    latenessUs.push(seen.at - recordedAt);
    const toldAt = Number(process.hrtime.bigint() / 1000n);
    control.tell("now");
    controlUs.push((await next<{ at: number }>(control.lines)).at - toldAt);
  }
  assert.equal(await ended, 0);
  control.release();
  assert.equal(await control.ended, 0);
  await journal.close();
  // The machine may be busy with other tests, so the middle counts, not the worst.
  const median = middleOf(latenessUs) - middleOf(controlUs);
  t.diagnostic(`half of the entries came within ${median} microseconds more than a line of a pipe`);
  assert.ok(median < 50_000, `half of the entries came ${median} microseconds later than a line of a pipe`);
});

function middleOf(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[times.length >> 1] ?? assert.fail("there are times");
}

test("a lock that another process holds for 2 s makes commits wait, not fail, and never stops the event loop", async (t) => {
  const file = scratch(t);
  const journal = must(await openSqliteJournal(file, tally));
  mustRecord(await journal.commit(alpha, attempt()));
  const { lines, ended, release } = start("hold", file);
  assert.equal(await next(lines), "held");
  let recorded = 0;
  const commit = async () => {
    const { seq } = mustRecord(await journal.commit(alpha, attempt()));
    recorded += 1;
    return seq;
  };
  const waiting = Promise.all(Array.from({ length: 50 }, commit));
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const reading = must(await journal.read(alpha));
  assert.equal(reading.entries.length, 1, "reading does not wait for the writer");
  for (const start = performance.now(); performance.now() - start < heldMs; ) await systemClock.wait(10);
  delay.disable();
  assert.equal(recorded, 0, "the lock was really held");
  release();
  const seqs = await waiting;
  assert.deepEqual(
    seqs,
    seqs.map((_, index) => index + 2),
  );
  assert.equal(await next(lines), "freed");
  assert.equal(await ended, 0);
  await journal.close();
  // The machine may be busy with other tests and hold up a single turn, but waiting for the lock would hold up them all.
  const [usual, longest] = [delay.percentile(90), delay.max].map((ns) => ns / 1e6) as [number, number]; // two in, two out
  t.diagnostic(`nine of ten turns came within ${usual} ms, the last within ${longest} ms`);
  assert.ok(
    usual < 100 && longest < heldMs / 2,
    `the event loop stood still for ${usual} ms, and once for ${longest} ms`,
  );
});
