/** A server whose replica could be promoted without the last entries is no place for a journal. */
import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { test } from "node:test";
import { openPostgresJournal } from "../../../src/journal/postgres/open.ts";
import { attempt, must, mustRecord, tally } from "../../journal/journal-subject.ts";
import { alpha } from "../held.ts";
import { skip, startServer, until } from "./server.ts";
import { sql } from "./sql.ts";

const newFolder = () => mkdtempSync("/dev/shm/baton-postgres-");

test("refuses a server whose replica would lose acknowledged entries, and says what to set", { skip }, async (t) => {
  const first = await startServer(newFolder());
  t.after(() => first.stop());
  const url = first.newUrl();
  const journal = must(await openPostgresJournal(url, tally));
  mustRecord(await journal.commit(alpha, attempt()));
  await journal.close();
  await sql(url, "CREATE ROLE plain LOGIN PASSWORD 'only-for-tests'");
  const second = await first.standby(newFolder(), first.port);
  t.after(() => second.stop());
  await until(async () => (await sql(url, "SELECT FROM pg_stat_replication")).length > 0);
  const asked = async (more = "", role = "baton") => {
    const done = await openPostgresJournal(`${url.replace("//baton:", `//${role}:`)}${more}`, tally);
    if (!done.ok) return { refused: done.error };
    const { engine } = must(await done.value.stats());
    await done.value.close();
    return { engine };
  };
  // A role that sees of a replica only that it is there is told the same.
  for (const role of ["baton", "plain"]) {
    const { refused } = await asked("", role);
    assert.equal(refused?.code, "journal-cannot-open");
    assert.match(refused?.message ?? "", /synchronous_standby_names is empty/);
    assert.match(refused?.hint ?? "", /ALTER SYSTEM SET synchronous_standby_names = .*\?replicas=async/s);
  }
  const accepted = (await asked("&replicas=async")).engine;
  assert.deepEqual([accepted?.replicas, accepted?.survivesServerLoss], [1, false]);
  const set = async (names: string, commit: string) => {
    await sql(
      url,
      `ALTER SYSTEM SET synchronous_standby_names = '${names}'`,
      `ALTER SYSTEM SET synchronous_commit = '${commit}'`,
      "SELECT pg_reload_conf()",
    );
    const wanted = async () => {
      const [row] = await sql(
        url,
        "SELECT current_setting('synchronous_standby_names') AS names, current_setting('synchronous_commit') AS commit",
      );
      return row?.names === names && row?.commit === commit;
    };
    await until(wanted);
  };
  for (const commit of ["local", "remote_write"]) {
    await set("*", commit);
    const { refused } = await asked();
    assert.match(refused?.message ?? "", new RegExp(`synchronous_commit is ${commit}`));
  }
  await set("*", "on");
  const safe = (await asked()).engine;
  assert.deepEqual([safe?.replicas, safe?.survivesServerLoss], [1, true]);
  // The control: without a replica the same settings lose nothing.
  await set("", "local");
  assert.ok((await asked()).refused !== undefined);
  await second.stop();
  await until(async () => (await sql(url, "SELECT FROM pg_stat_replication")).length === 0);
  const alone = (await asked()).engine;
  assert.deepEqual([alone?.replicas, alone?.survivesServerLoss], [0, false]);
  const wrong = await asked("&replicas=few");
  assert.equal(wrong.refused?.code, "wrong-usage");
});
