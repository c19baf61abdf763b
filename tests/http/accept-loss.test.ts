/** Accepting a loss through a hub over a line that is cut: recorded once, and answered with the first receipt. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { connectHub } from "../../src/doors/http/client/client.ts";
import { ask, testHub } from "./hub.ts";
import { cutter } from "./line.ts";

test("a loss that is accepted over a line cut after the hub is accepted once", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "baton-loss-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const before = await testHub(t, { folder });
  const token = await before.token("owner");
  const copy = await fetch(`${before.url}/api/journal/backup`, { headers: { authorization: `Bearer ${token}` } });
  const older = Buffer.from(await copy.arrayBuffer());
  const body = { message: "This will be lost.", to: ["dev-1"] };
  assert.equal((await ask(before.url, "/api/teams/web/messages", { as: token, body })).status, 201);
  await before.hub.stop();
  for (const end of ["-wal", "-shm"]) rmSync(`${before.journal}${end}`, { force: true });
  writeFileSync(before.journal, older);

  const hub = await testHub(t, { folder });
  let sends = 0;
  const url = await cutter(
    t,
    () => hub.port,
    ({ method }) => (method === "POST" && ++sends <= 2 ? "after" : "never"),
  );
  const { signal } = new AbortController();
  const connected = await connectHub({ url, token, team: null, agent: null, say: () => undefined, signal });
  assert.ok(connected.ok, JSON.stringify(connected));
  const record = connected.value.record();
  assert.equal(record.condition().condition, "regressed");
  const [team] = ((found) => (found.ok ? found.value : []))(await record.teams());
  assert.ok(team !== undefined);
  const done = await record.acceptLoss(team, "an old copy was put back");
  assert.ok(done.ok, JSON.stringify(done));
  assert.deepEqual([sends, done.value.duplicate, done.value.epoch], [3, true, 2]);

  const path = "/api/journal/accept-loss";
  const again = { team, reason: "an old copy was put back", id: done.value.id };
  const repeated = await ask(hub.url, path, { as: token, body: again });
  assert.deepEqual([repeated.status, repeated.body], [200, done.value]);
  const other = await ask(hub.url, path, { as: token, body: { ...again, reason: "another" } });
  assert.deepEqual([other.status, other.body.code], [409, "id-conflict"]);
  const unfit = await ask(hub.url, path, { as: token, body: { ...again, id: "not an id" } });
  assert.deepEqual([unfit.status, unfit.body.code], [422, "invalid-id"]);
  const unnamed = await ask(hub.url, path, { as: token, body: { team, reason: again.reason } });
  assert.deepEqual([unnamed.status, unnamed.body.code], [400, "wrong-usage"], "the control: without its id it is new");
  const { body: page } = await ask(hub.url, "/api/teams/web/messages?kind=epoch", { as: token });
  assert.equal(page.entries.length, 1);
  const report = await ask(hub.url, "/api/journal/verify", { as: token, body: {} });
  assert.equal(report.body.ok, true, JSON.stringify(report.body));
});
