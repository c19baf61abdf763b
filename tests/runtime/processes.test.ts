/** Agents in as many processes race for tasks through one journal: read, checked, authorised, decided, recorded, delivered. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { openTeam } from "../../src/perform/open.ts";
import { bundledProgram } from "../apart/program.ts";
import { temporaryFolder } from "../crash/folder.ts";
import { inLongRun } from "../run-size.ts";

const racer = await bundledProgram("tests/runtime/racer.ts", "esm");
const rounds = inLongRun(500, 40);
const tasks = 10;
const agents = Array.from({ length: inLongRun(8, 4) }, (_, index) => `dev-${index + 1}`);
const text = `version: 1\nteam: greeters\ndialects: [vbw/2]\nagents:\n  lead-1: {role: lead}\n${agents.map((agent) => `  ${agent}: {role: dev}\n`).join("")}`;

/** An answer that a racer printed. */
interface Answer {
  readonly act: "claim" | "send" | "release";
  readonly agent: string;
  readonly task: string;
  readonly outcome: "accepted" | "refused";
  /** Absent where a refusal that repeats is only counted. */
  readonly receipt?: { readonly seq: number; readonly id: string } | null;
  readonly problems?: readonly { readonly code: string }[];
}

/** What each agent was answered in a race that all begin together. */
async function race(journal: string): Promise<readonly Answer[]> {
  const children = agents.map((agent) =>
    spawn(process.execPath, [racer, journal, agent, String(rounds), String(tasks)], {
      stdio: ["pipe", "pipe", "inherit"],
    }),
  );
  const lines = children.map(({ stdout }) => createInterface(stdout)[Symbol.asyncIterator]());
  const ended = children.map((child) => once(child, "close"));
  for (const each of lines) assert.equal((await each.next()).value, "ready");
  for (const { stdin } of children) stdin.end("go\n");
  const answers = await Promise.all(lines.map((each) => Array.fromAsync({ [Symbol.asyncIterator]: () => each })));
  for (const [code] of await Promise.all(ended)) assert.equal(code, 0);
  return answers.flat().map((line) => JSON.parse(line) as Answer); // the children's own words
}

test(`${agents.length} agents in as many processes race ${rounds} times for ${tasks} tasks: no task or file has two holders`, async (t) => {
  using folder = temporaryFolder("memory");
  const journal = join(folder.path, "journal.db");
  const opened = await openTeam({ journal, agent: "lead-1", create: true, teamFile: { path: "team.yaml", text } });
  assert.ok(opened.ok, JSON.stringify(opened));
  await using lead = opened.value;
  // Two neighbours share a folder.
  const pairOf = (task: string) => Number(task.slice(5)) >> 1;
  for (let number = 1; number <= tasks; number += 1) {
    const task = `1-1-T${number}`;
    const added = await lead.addTask({ task, files: [`src/${number}.ts`, `lib/${pairOf(task)}/`] });
    assert.equal(added.outcome, "accepted");
  }
  const answers = await race(journal);
  const recorded = answers.flatMap(({ receipt, ...answer }) => (receipt == null ? [] : [{ ...answer, ...receipt }]));
  const counted = answers.filter(({ receipt }) => receipt == null);
  assert.deepEqual(
    [...new Set(counted.map(({ act, outcome }) => `${act} ${outcome}`))].join(),
    counted[0] ? "claim refused" : "",
  );
  const inOrder = recorded.toSorted((one, other) => one.seq - other.seq);
  const held = new Map<string, string>();
  const counts = { granted: 0, denied: 0 };
  for (const { act, agent, task, outcome, seq, problems } of inOrder) {
    const others = [...held].filter(([other, holder]) => holder !== agent && pairOf(other) === pairOf(task));
    if (act !== "claim") assert.equal(outcome, "accepted", JSON.stringify(problems));
    if (act === "release") held.delete(task);
    if (act !== "claim") continue;
    // As the entries lie, each grant had nobody in its way, and each denial somebody.
    assert.equal(outcome === "accepted", others.length === 0, `entry ${seq}: ${JSON.stringify(problems)}`);
    if (outcome === "accepted") held.set(task, agent);
    counts[outcome === "accepted" ? "granted" : "denied"] += 1;
  }
  t.diagnostic(JSON.stringify(counts));
  assert.ok(counts.granted > rounds && counts.denied > agents.length / 2, JSON.stringify(counts));
  const delivered: string[] = [];
  for (let after = 0; ; ) {
    const page = await lead.inbox({ after, limit: 1_000 });
    assert.ok(page.ok);
    const last = page.value.deliveries.at(-1);
    if (last === undefined) break;
    for (const { seq, id } of page.value.deliveries) delivered.push(`${seq} ${id}`);
    after = last.seq;
  }
  const sent = inOrder.filter(({ act }) => act === "send").map(({ seq, id }) => `${seq} ${id}`);
  assert.deepEqual(delivered, sent);
});
