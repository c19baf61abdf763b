/** Many processes open the same journal while a deadline passes: it is recorded once, by the first of them. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import { type TestContext, test } from "node:test";
import { timestampOf } from "../../src/base/clock.ts";
import { openTeam } from "../../src/perform/open.ts";
import { typedMessage } from "../../src/testing/fixtures.ts";
import { bundledProgram } from "../apart/program.ts";

const program = await bundledProgram("tests/runtime/deadline-process.ts", "esm");
const processes = 6;
const rounds = 5;
const text = "version: 1\nteam: deadlines\ndialects: [vbw/2]\nagents:\n  lead-1: {role: lead}\n  dev-1: {role: dev}\n";

interface Comer {
  readonly child: ChildProcess;
  readonly lines: Interface;
}

async function comers(t: TestContext, journal: string, how: string): Promise<readonly Comer[]> {
  return await Promise.all(
    Array.from({ length: processes }, async () => {
      const child = spawn(process.execPath, [program, journal, how], { stdio: ["pipe", "pipe", "inherit"] });
      t.after(() => child.kill("SIGKILL"));
      const lines = createInterface(child.stdout);
      await once(lines, "line");
      return { child, lines };
    }),
  );
}

async function tell(all: readonly Comer[], line: string): Promise<void> {
  const answered = all.map(({ lines }) => once(lines, "line"));
  for (const { child } of all) child.stdin?.write(`${line}\n`);
  await Promise.all(answered);
}

async function place(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), "baton-deadlines-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const journal = join(folder, "journal.db");
  const opened = await openTeam({ journal, agent: "dev-1", create: true, teamFile: { path: "team.yaml", text } });
  assert.ok(opened.ok, JSON.stringify(opened));
  const dev = opened.value;
  t.after(() => dev[Symbol.asyncDispose]());
  const timers = async () => {
    const seqs: number[] = [];
    for await (const line of dev.log({ kinds: ["timer"] })) if (line.ok) seqs.push(line.value.seq);
    return seqs.length;
  };
  return { journal, dev, timers };
}

test(`${processes} processes that open the journal at a deadline record it once`, async (t) => {
  const { journal, dev, timers } = await place(t);
  const all = await comers(t, journal, "team");
  for (let round = 1; round <= rounds; round++) {
    const [timestamp, deadline] = [timestampOf(0), timestampOf(100)];
    const request = typedMessage("approval_request", { deadline }, { id: `ask-${round}`, timestamp });
    assert.equal((await dev.send(JSON.stringify(request))).outcome, "accepted");
    await tell(all, `ask-${round}`);
    assert.equal(await timers(), round, "one event a deadline");
  }
});

test("control: processes that decide by what they have read record it once each, and are counted", async (t) => {
  const { journal, timers } = await place(t);
  const all = await comers(t, journal, "unlocked");
  await tell(all, "read");
  await tell(all, "record");
  assert.equal(await timers(), processes);
});
