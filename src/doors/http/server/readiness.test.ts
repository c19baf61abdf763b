import assert from "node:assert/strict";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { must, team } from "../../../../tests/journal/journal-subject.ts";
import { systemClock } from "../../../base/clock.ts";
import { makeProblem } from "../../../base/problem.ts";
import { err, ok } from "../../../base/result.ts";
import { misfit } from "../../../base/schema/answer-form.ts";
import type { Journal, JournalCondition } from "../../../journal/journal.ts";
import { openMemoryJournal } from "../../../journal/memory.ts";
import { ownersEntry } from "../../../perform/content.ts";
import { type OpenedJournal, openTeamJournal } from "../../../perform/open.ts";
import { namedForms } from "../../../perform/operations/generated/answers.ts";
import { teamProjection } from "../../../perform/projection.ts";
import { manualClock } from "../../../testing/fixtures.ts";
import { newReadiness } from "./monitoring.ts";

const problem = makeProblem("journal-unreachable", "postgres://db/baton", "The server of the journal does not answer.");
const away: JournalCondition = { condition: "unreachable", since: "2026-02-12T10:00:00.000Z", problem: problem };

test("a hub whose journal cannot be reached is not ready, says since when, and is ready once it can", async () => {
  let condition: JournalCondition = away;
  const memory: Journal<unknown> = openMemoryJournal(teamProjection);
  const journal = { ...memory, condition: () => condition } as OpenedJournal; // of the runtime's projection, above
  const readiness = newReadiness({ journal }, manualClock());
  const checkOf = async () => (await readiness.checks()).find(({ name }) => name === "journal");
  assert.deepEqual(await checkOf(), {
    name: "journal",
    ok: false,
    detail: "unreachable since 2026-02-12T10:00:00.000Z: The server of the journal does not answer.",
  });
  condition = { condition: "ready" };
  assert.equal((await checkOf())?.ok, true);
});

test("why nothing can be written is logged once, where the journal's condition does not say it", async () => {
  const memory: Journal<unknown> = openMemoryJournal(teamProjection);
  const weak = makeProblem("journal-cannot-open", "nats://db/baton", "sync_interval of n2 is not always.");
  let [probed, condition]: [ReturnType<typeof err<typeof weak>> | null, JournalCondition] = [
    err(weak),
    { condition: "ready" },
  ];
  const parts = { probe: async () => probed ?? ok(undefined), condition: () => condition };
  const said: string[] = [];
  const note = (facts: object, words: string) => void said.push(`${words} ${JSON.stringify(facts)}`);
  const clock = manualClock();
  const readiness = newReadiness({ journal: { ...memory, ...parts } as OpenedJournal }, clock, {
    debug: note,
    info: note,
    warn: note,
    error: note,
  });
  await readiness.checks();
  await readiness.checks();
  assert.deepEqual(said.splice(0), [
    'the hub is not ready {"why":"journal-cannot-open: sync_interval of n2 is not always."}',
  ]);
  probed = null;
  await readiness.checks();
  assert.deepEqual(said.splice(0), ["the hub is ready again {}"]);
  // The control: that the server is away is reported by the watch on deadlines.
  [probed, condition] = [err(problem), away];
  clock.advance(2_000);
  await readiness.checks();
  assert.deepEqual(said, []);
});

test("a client takes the condition of a journal that cannot be reached, and no unknown one", () => {
  assert.equal(misfit("@JournalCondition", away, namedForms), null);
  assert.notEqual(misfit("@JournalCondition", { ...away, condition: "asleep" }, namedForms), null);
});

test("a hub that found no room is not ready, though a probe finds some, until a write succeeds or half a minute is over", async () => {
  const memory: Journal<unknown> = openMemoryJournal(teamProjection);
  const clock = manualClock();
  const readiness = newReadiness({ journal: memory as OpenedJournal }, clock);
  const writeOf = async () => (await readiness.checks()).find(({ name }) => name === "write");
  const full = makeProblem("journal-full", "postgres://db/baton", "The server has no room.");
  assert.equal((await writeOf())?.ok, true);
  readiness.failed(full);
  clock.advance(5_000);
  assert.deepEqual(await writeOf(), { name: "write", ok: false, detail: "journal-full: The server has no room." });
  clock.advance(25_000);
  assert.equal((await writeOf())?.ok, true);
  readiness.failed(full);
  readiness.recorded();
  clock.advance(5_000);
  assert.equal((await writeOf())?.ok, true);
  // The control: after any other failure the probe decides.
  readiness.failed(problem);
  assert.equal((await writeOf())?.ok, true);
});

test("a hub says why deadlines wait, and is ready for messages", async () => {
  const memory: Journal<unknown> = openMemoryJournal(teamProjection);
  let why: string | null = "the server's clock jumped by 3600 s";
  const journal = { ...memory, clock: { ...memory.clock, distrust: () => why } } as OpenedJournal; // as above
  const checks = async () =>
    (await newReadiness({ journal }, manualClock()).checks()).filter(({ name }) => name === "clock");
  assert.deepEqual(await checks(), [{ name: "clock", ok: true, detail: `deadlines wait: ${why}` }]);
  why = null;
  assert.deepEqual(await checks(), [{ name: "clock", ok: true, detail: "known" }]);
});

const alpha = team("alpha");
const note = { once: null, decide: () => ownersEntry({ command: { name: "enter-journal" } }) };

test("a hub whose journal has lost entries is not ready, names the command, and is ready once another process has accepted that", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "baton-readiness-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "journal.db");
  for (let count = 1; count <= 2; count += 1) {
    await using journal = must(await openTeamJournal(file));
    must(await journal.commit(alpha, note));
    await journal.close();
    if (count === 1) copyFileSync(file, `${file}.old`);
  }
  copyFileSync(`${file}.old`, file);
  await using journal = must(await openTeamJournal(file));
  const readiness = newReadiness({ journal }, systemClock);
  // Also where the last entry was recorded just now, before it was lost.
  readiness.recorded();
  readiness.verified(await journal.verify());
  for (let count = 0; count < 2; count += 1) {
    const checks = await readiness.checks();
    assert.deepEqual(
      checks.map(({ name, ok }) => [name, ok]),
      [
        ["journal", false],
        ["write", false],
        ["verify", false],
      ],
    );
    assert.match(checks[0]?.detail ?? "", /ends at entry 1, but entry 2 .* baton journal accept-loss --reason TEXT/);
    assert.match(checks[1]?.detail ?? "", /^journal-regressed: /);
    assert.doesNotMatch(JSON.stringify(checks.slice(0, 2)), /alpha/, "anybody may ask");
  }
  {
    await using other = must(await openTeamJournal(file));
    must(await other.acceptLoss(alpha, { agent: "owner", role: "owner", via: "launcher" }, "the disk died"));
  }
  assert.deepEqual(
    (await readiness.checks()).map(({ name, ok }) => [name, ok]),
    [
      ["journal", true],
      ["write", true],
      ["verify", true],
    ],
  );
});

test("a hub whose teams an older version moved away is not ready, and is in the journal to which they moved", async () => {
  const leave = (to: string) => ({
    once: null,
    decide: () => ownersEntry({ command: { name: "leave-journal", to } }),
  });
  const checksOf = async (to: string) => {
    const journal = openMemoryJournal(teamProjection);
    must(await journal.commit(alpha, leave(to)));
    const checks = await newReadiness({ journal }, manualClock()).checks();
    return checks.find(({ name }) => name === "write");
  };
  const left = await checksOf("postgres://db/baton");
  assert.equal(left?.ok, false);
  assert.match(left?.detail ?? "", /^journal-moved: .*postgres:\/\/db\/baton/);
  assert.equal((await checksOf("memory"))?.ok, true);
});
