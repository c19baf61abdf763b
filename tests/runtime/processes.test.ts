/** Whole messages from many processes through one journal: read, checked, authorised, decided, recorded, delivered. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Receipt } from "../../src/journal/entry.ts";
import { openTeam } from "../../src/perform/open.ts";
import type { Team } from "../../src/perform/team.ts";
import { typedMessage } from "../../src/testing/fixtures.ts";
import { bundledProgram } from "../apart/program.ts";
import { inLongRun } from "../run-size.ts";

const sender = await bundledProgram("tests/runtime/sender.ts", "esm");
const processes = 8;
const sendsEach = inLongRun(500, 150);
const agents = Array.from({ length: processes }, (_, index) => `dev-${index + 1}`);
const teamFile = {
  path: "team.yaml",
  text: `version: 1\nteam: greeters\ndialects: [vbw/2]\nagents:\n  lead-1: {role: lead}\n${agents.map((agent) => `  ${agent}: {role: dev}\n`).join("")}`,
};

function scratch(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "baton-sends-"));
  t.after(() => rmSync(folder, { recursive: true }));
  return join(folder, "journal.db");
}

async function open(journal: string, agent: string): Promise<Team> {
  const opened = await openTeam({ journal, agent, teamFile, create: true });
  assert.ok(opened.ok, JSON.stringify(opened));
  return opened.value;
}

async function linesOf(journal: string, agent: string): Promise<readonly Receipt[]> {
  const child = spawn(process.execPath, [sender, journal, agent, String(sendsEach)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (part: string) => {
    text += part;
  });
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  assert.equal(code, 0);
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Receipt); // the child's own words
}

test(`${processes} agents in as many processes send ${sendsEach} messages each: gapless, exactly once, all delivered in order`, async (t) => {
  const journal = scratch(t);
  await using lead = await open(journal, "lead-1");
  const contract = await lead.send(JSON.stringify(typedMessage("plan_contract")));
  assert.ok(contract.outcome === "accepted");
  const receipts = (await Promise.all(agents.map((agent) => linesOf(journal, agent)))).flat();

  const first = contract.receipt.seq + 1;
  const seqs = receipts.map((receipt) => receipt.seq).toSorted((a, b) => a - b);
  assert.deepEqual(
    seqs,
    Array.from({ length: processes * sendsEach }, (_, index) => first + index),
  );
  assert.ok(receipts.every((receipt) => !receipt.duplicate));

  const delivered: string[] = [];
  for (let after = 0; ; ) {
    const page = await lead.inbox({ after, limit: 1_000 });
    assert.ok(page.ok);
    const last = page.value.deliveries.at(-1);
    if (last === undefined) break;
    for (const delivery of page.value.deliveries) delivered.push(`${delivery.seq} ${delivery.id}`);
    after = last.seq;
  }
  const wanted = receipts.toSorted((a, b) => a.seq - b.seq).map((receipt) => `${receipt.seq} ${receipt.id}`);
  assert.deepEqual(delivered, wanted);
});
