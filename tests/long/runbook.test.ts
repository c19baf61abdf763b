/** The failures of docs/guides/when-something-fails.md, each made to happen to a real hub and server. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { systemClock } from "../../src/base/clock.ts";
import { loadDriver } from "../../src/journal/postgres/driver.ts";
import { baton } from "../e2e/command.ts";
import { leading } from "../engines/nats/journals.ts";
import { skip as natsSkip, newFolder, startCluster, startServer as startNats } from "../engines/nats/server.ts";
import { skip as postgresSkip, startServer } from "../engines/postgres/server.ts";
import { ask } from "../http/hub.ts";
import { startUp, teamFolder } from "../http/process.ts";
import { must } from "../journal/journal-subject.ts";

async function sql(url: string, ...statements: readonly string[]): Promise<void> {
  const { Client } = must(await loadDriver(url));
  const client = new Client({
    connectionString: url.replace(/\?.*$/, ""),
    application_name: "test",
    connectionTimeoutMillis: 5_000,
    keepAlive: false,
    pipeline: false,
    query_timeout: 5_000,
  });
  await client.connect();
  for (const text of [`SET search_path TO ${new URL(url).searchParams.get("schema")}`, ...statements])
    await client.query({ text });
  await client.end();
}

/** Runs `baton` on the journal; it must end so, and say this. */
function runsOn(folder: string, url: string) {
  return (code: number, words: readonly string[], said: RegExp, input = "") => {
    const done = baton(folder, [...words, "--journal", url], input);
    const all = done.stdout + done.stderr;
    assert.equal(done.code, code, all);
    assert.match(all, said);
  };
}

const send = (id: string) => ["send", "-", "--as", "dev-1", "--to", "lead-1", "--id", id];

async function readyOf(hub: { readonly url: string }, status: number): Promise<string> {
  for (;;) {
    const ready = await ask(hub.url, "/readyz");
    if (ready.status === status) return JSON.stringify(ready.body);
    await systemClock.wait(50);
  }
}

test("failures of a journal on PostgreSQL are named, and end as the runbook says", {
  skip: postgresSkip,
}, async (t) => {
  const server = await startServer(mkdtempSync("/dev/shm/baton-postgres-"));
  t.after(() => server.stop());
  const url = server.newUrl();
  const folder = teamFolder(t);
  const hub = await startUp(t, folder, ["--port", "0", "--journal", url]);
  const run = runsOn(folder, url);
  run(0, send("m-1"), /entry 3,/, "one");
  // The server is away.
  await server.kill();
  assert.match(await readyOf(hub, 503), /unreachable since/);
  run(1, send("m-2"), /journal-unreachable/, "two");
  await server.start();
  await readyOf(hub, 200);
  run(0, send("m-2"), /entry 4,/, "two");
  // The server does not let the user in.
  await sql(url, "ALTER ROLE baton PASSWORD 'other'");
  run(1, ["status"], /journal-cannot-open[\s\S]*does not let this user in/);
  await sql(url.replace("only-for-tests", "other"), "ALTER ROLE baton PASSWORD 'only-for-tests'");
  // A setting was weakened.
  await sql(url, "ALTER SYSTEM SET synchronous_commit = off", "SELECT pg_reload_conf()");
  await systemClock.wait(500);
  run(1, ["status"], /synchronous_commit is off[\s\S]*ALTER SYSTEM SET synchronous_commit = on/);
  await sql(url, "ALTER SYSTEM RESET synchronous_commit", "SELECT pg_reload_conf()");
  await systemClock.wait(500);
  // The address leads to a server that may only be read.
  await sql(url, "ALTER DATABASE postgres SET default_transaction_read_only = on");
  run(1, send("m-3"), /journal-read-only/, "three");
  await sql(
    url,
    "SET default_transaction_read_only = off",
    "ALTER DATABASE postgres RESET default_transaction_read_only",
  );
  for (const id of ["m-3", "m-4"]) run(0, send(id), /entry/, id);
  run(0, ["journal", "backup", "copy.db"], /Copied/);
  // The server was restored from an older backup: two entries are gone.
  await sql(
    url,
    "DELETE FROM once WHERE seq > 4",
    "DELETE FROM entry WHERE seq > 4",
    "DELETE FROM snapshot",
    "UPDATE team SET seq = 4, hash = (SELECT hash FROM entry WHERE seq = 4)",
  );
  run(2, ["journal", "verify"], /journal-regressed[\s\S]*entry 6 had been acknowledged/);
  assert.match(await readyOf(hub, 503), /regressed/);
  run(1, send("m-5"), /journal-regressed/, "five");
  run(0, ["journal", "accept-loss", "--reason", "restored"], /epoch 2/);
  run(0, send("m-3"), /entry 8/, "m-3");
  await readyOf(hub, 200);
  // An entry was changed in the server.
  await sql(
    url,
    "UPDATE entry SET bytes = convert_to(replace(convert_from(bytes, 'UTF8'), 'two', 'TWO'), 'UTF8') WHERE seq = 4",
  );
  run(2, ["journal", "verify"], /journal-corrupt/);
  // A hub is gone: nobody is answered there, and the next one takes over its work.
  await hub.end("SIGKILL");
  await assert.rejects(ask(hub.url, "/readyz"));
});

/** A server whose disk is small; `fill` leaves so many bytes of room, and `grow` makes room. */
async function smallServer(t: TestContext) {
  const disk = mkdtempSync("/dev/shm/baton-disk-");
  const mount = (...words: readonly string[]) =>
    assert.equal(spawnSync("mount", [...words, disk]).status, 0, "a small disk is mounted");
  mount("-t", "tmpfs", "-o", "size=96m", "tmpfs");
  chmodSync(disk, 0o755);
  const server = await startServer(join(disk, "postgres"));
  t.after(async () => {
    await server.stop();
    spawnSync("umount", [disk]);
    rmSync(disk, { recursive: true, force: true });
  });
  const fill = (left: number) => {
    const { bavail, bsize } = statfsSync(disk);
    writeFileSync(join(disk, "ballast"), Buffer.alloc(Math.max(0, bavail * bsize - left)));
  };
  return { server, fill, grow: () => mount("-o", "remount,size=1g", "tmpfs") };
}

const onlyRoot = process.getuid?.() === 0 ? false : "only root may mount a small disk";

test("a PostgreSQL without room for its tables is named by the hub, and records again once there is room", {
  skip: postgresSkip === false ? onlyRoot : postgresSkip,
}, async (t) => {
  const { server, fill, grow } = await smallServer(t);
  const [url, folder] = [server.newUrl(), teamFolder(t)];
  const hub = await startUp(t, folder, ["--port", "0", "--journal", url]);
  const send = senderOf(hub, await hub.token("dev-1"));
  // The server's log has nearly a whole segment, which is on the disk; so the tables have no room first.
  await sql(url, "SELECT pg_switch_wal()");
  assert.equal(await send("before"), null);
  fill(0);
  let [count, refused] = [0, await send("f-0")];
  while (refused === null && count < 20) {
    count += 1;
    refused = await send(`f-${count}`);
  }
  assert.match(refused ?? "", /journal-full/);
  assert.match(await readyOf(hub, 503), /journal-full/);
  runsOn(folder, url)(0, ["journal", "verify"], /sound/);
  grow();
  assert.equal(await send(`f-${count}`), null);
  await readyOf(hub, 200);
  runsOn(folder, url)(0, ["journal", "verify"], /sound/);
});

test("a PostgreSQL without room for its log ends; what was sent then is in doubt, and can be sent again", {
  skip: postgresSkip === false ? onlyRoot : postgresSkip,
}, async (t) => {
  const { server, fill, grow } = await smallServer(t);
  const [url, folder] = [server.newUrl(), teamFolder(t)];
  const hub = await startUp(t, folder, ["--port", "0", "--journal", url]);
  const send = senderOf(hub, await hub.token("dev-1"));
  assert.equal(await send("before"), null);
  fill(8 * 1024 * 1024);
  // Up to just before the end of the segment, behind which there is room for tables, but for no other segment.
  await sql(
    url,
    `SELECT pg_logical_emit_message(false, 'test', repeat('x', (16777216 - 150000 - mod(pg_current_wal_insert_lsn() - '0/0', 16777216))::int))`,
  );
  const answer = await send("doubtful");
  assert.match(answer ?? "recorded", /journal-failed/, "not that nothing was recorded");
  assert.match(await readyOf(hub, 503), /unreachable since/);
  grow();
  await server.kill();
  await server.start();
  await readyOf(hub, 200);
  assert.equal(await send("doubtful"), null);
  runsOn(folder, url)(0, ["journal", "verify"], /sound/);
});

/** Sends a message of 200,000 characters under the id; answers null or what the hub says. */
function senderOf(hub: { readonly url: string }, as: string): (id: string) => Promise<string | null> {
  return async (id) => {
    const message = `${id} ${"x".repeat(200_000)}`;
    const done = await ask(hub.url, "/api/teams/web/messages", { as, body: { message, to: ["lead-1"], id } });
    return done.status < 300 ? null : JSON.stringify(done.body);
  };
}

test("failures of a journal on a NATS cluster are named, and end as the runbook says", {
  skip: natsSkip,
}, async (t: TestContext) => {
  const disks = [newFolder(), newFolder(), newFolder()];
  const cluster = await startCluster({ folder: (index) => disks[index] ?? null });
  t.after(() => cluster.stop());
  const url = cluster.newUrl();
  const folder = teamFolder(t);
  const run = runsOn(folder, url);
  run(0, send("m-1"), /entry 2/, "one");
  const [first, second] = cluster.servers;
  // One server of three is gone: nothing to do but to start it again.
  await first?.kill();
  run(0, send("m-2"), /entry 3/, "two");
  // Two are gone: nothing is recorded until one is back.
  await second?.kill();
  run(1, send("m-3"), /journal-unreachable/, "three");
  await second?.start();
  run(0, send("m-3"), /entry 4/, "three");
  await first?.start();
  run(0, ["journal", "verify"], /sound/);
  // The disk of one is gone: with an empty one it gets its copies from the others.
  await second?.kill();
  rmSync(join(disks[1] ?? "", "data"), { recursive: true });
  await second?.start();
  await leading(cluster, url);
  run(0, send("m-4"), /entry 5/, "four");
  // A server is too small for the largest entry, or too old.
  const small = await startNats(newFolder(), undefined, { payload: "1MB" });
  t.after(() => small.stop());
  runsOn(folder, small.newUrl())(1, ["status"], /max_payload is 1048576[\s\S]*max_payload: 16MB/);
  // The server has no room: the hub says so, and nothing was recorded half.
  const narrow = await startNats(newFolder(), undefined, { store: "2MB" });
  t.after(() => narrow.stop());
  const [at, place] = [narrow.newUrl(), teamFolder(t)];
  const filling = await startUp(t, place, ["--port", "0", "--journal", at]);
  const filled = senderOf(filling, await filling.token("dev-1"));
  let [count, refused] = [0, await filled("f-0")];
  while (refused === null && count < 20) {
    count += 1;
    refused = await filled(`f-${count}`);
  }
  assert.match(refused ?? "", /journal-full/);
  assert.match(await readyOf(filling, 503), /journal-full/);
  runsOn(place, at)(0, ["journal", "verify"], /sound/);
  await narrow.kill();
  await narrow.start({ store: "64MB" });
  while ((await filled(`f-${count}`)) !== null) await systemClock.wait(50);
  await readyOf(filling, 200);
  // The port of the hub is taken.
  const hub = await startUp(t, folder, ["--port", "0", "--journal", url]);
  runsOn(folder, url)(2, ["up", "--port", String(hub.port)], /port-taken/);
});
