/** Of several standbys one may lack an acknowledged entry: which one to promote, by the statement that the runbook gives. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openPostgresJournal } from "../../../src/journal/postgres/open.ts";
import { hasEachReplicaAll, readStandbyNames } from "../../../src/journal/postgres/server.ts";
import { called } from "../../e2e/called.ts";
import { team as teamFolder } from "../../e2e/command.ts";
import { attempt, must, mustRecord, tally } from "../../journal/journal-subject.ts";
import { alpha } from "../held.ts";
import { skip, startServer, until } from "./server.ts";
import { sql } from "./sql.ts";

const newFolder = () => mkdtempSync("/dev/shm/baton-postgres-");

/** The setting, whether each of two replicas has everything, and of one. */
const settings: readonly (readonly [setting: string, ofTwo: boolean, ofOne: boolean])[] = [
  ["*", false, false],
  ["a", false, true],
  ["a, b", false, false],
  ["1 (a, b)", false, false],
  ["FIRST 2 (a, b)", true, true],
  ["ANY 1 (a, b)", false, false],
  ['any 2 (a, "b, (c)")', true, true],
  ["ANY 2 (a, b, c)", false, false],
  ["ANY 2 (a, *)", false, false],
];

test("only where the server waits for all standbys that it names each has every entry", () => {
  assert.equal(readStandbyNames(""), null);
  for (const [setting, ...expected] of settings) {
    const waiting = readStandbyNames(setting) ?? assert.fail(setting);
    assert.deepEqual([hasEachReplicaAll(waiting, 2), hasEachReplicaAll(waiting, 1)], expected, setting);
  }
});

test("of two standbys of which one confirms, the furthest has what was acknowledged", {
  skip,
  timeout: 90_000,
}, async (t) => {
  const first = await startServer(newFolder());
  t.after(() => first.stop());
  const url = first.newUrl();
  const a = await first.standby(newFolder(), first.port, "a");
  t.after(() => a.stop());
  const b = await first.standby(newFolder(), first.port, "b");
  t.after(() => b.stop());
  const follow = async () => (await sql(url, "SELECT FROM pg_stat_replication WHERE state = 'streaming'")).length;
  await until(async () => (await follow()) === 2);
  const waitFor = async (names: string) => {
    await sql(url, `ALTER SYSTEM SET synchronous_standby_names = '${names}'`, "SELECT pg_reload_conf()");
    const shown = async () => (await sql(url, "SHOW synchronous_standby_names"))[0]?.synchronous_standby_names;
    await until(async () => (await shown()) === names);
  };
  await waitFor("ANY 2 (a, b)");
  const failoverTo = async () => {
    const opened = must(await openPostgresJournal(url, tally));
    const { engine } = must(await opened.stats());
    await opened.close();
    return [engine.survivesServerLoss, engine.failoverTo];
  };
  assert.deepEqual(await failoverTo(), [true, "each replica"]);
  await waitFor("ANY 1 (a, b)");
  assert.deepEqual(await failoverTo(), [true, "furthest replica"]);
  const doctor = await called(teamFolder(), ["doctor", "--journal", url]);
  assert.match(
    doctor.said.replaceAll(/\s+/g, " "),
    /promote only the replica that is furthest: docs\/guides\/when-something-fails\.md/,
  );

  const journal = must(await openPostgresJournal(url, tally));
  mustRecord(await journal.commit(alpha, attempt({ id: "m-0" })));
  // One is away for a moment, an entry is acknowledged, and the server is lost.
  await b.kill();
  const { hash } = mustRecord(await journal.commit(alpha, attempt({ id: "m-1" })));
  await first.crash();
  await journal.close();
  await b.start();
  const at = (port: number) => url.replace(`:${first.port}/`, `:${port}/`);
  const statement = /^SELECT greatest\(.*;$/m.exec(runbook())?.[0] ?? assert.fail("the runbook has it");
  const looked = await called(teamFolder(), ["doctor", "--journal", at(a.port)]);
  assert.equal(looked.code, 2, looked.said);
  assert.match(looked.said.replaceAll(/\s+/g, " "), /but its server is a standby, which can only be read/);
  const reached = async ({ port }: { readonly port: number }) =>
    String(Object.values((await sql(at(port), statement))[0] ?? {})[0]);
  const [ofA, ofB] = [await reached(a), await reached(b)];
  const [{ ahead } = { ahead: null }] = await sql(at(a.port), `SELECT '${ofA}'::pg_lsn > '${ofB}'::pg_lsn AS ahead`);
  assert.equal(ahead, true, `${ofA} is further than ${ofB}`);
  const has = async ({ port }: { readonly port: number }) =>
    (await sql(at(port), `SELECT FROM entry WHERE hash = '${hash}'`)).length;
  await a.promote();
  assert.deepEqual([await has(a), await has(b)], [1, 0], "the other one would have lost it");
});

function runbook(): string {
  return readFileSync(join(import.meta.dirname, "../../../docs/guides/when-something-fails.md"), "utf8");
}
