/** The owner's sessions are in the journal: they hold at each of its hubs, and end at each. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { ask, testHub } from "./hub.ts";

const idOf = (cookie: string): string => cookie.split("=")[1] ?? "";

test("a session holds at every hub of the journal and after a restart, and ends at all of them", async (t) => {
  const first = await testHub(t);
  const other = await testHub(t, { folder: first.folder });
  /** The cookie of `hub` by the name that its port gives it, with the id of a session that another hub opened. */
  const at = (hub: typeof first, cookie: string) => `baton-${hub.port}=${idOf(cookie)}`;
  const code = async (hub: typeof first, cookie: string, method = "GET") => {
    const headers = { origin: hub.url };
    return (await ask(hub.url, "/api/session", { as: at(hub, cookie), method, headers })).status;
  };
  assert.deepEqual([await code(first, first.cookie), await code(other, first.cookie)], [200, 200]);
  assert.equal(await code(other, "x=baton_guess"), 401);

  await first.hub.stop();
  const again = await testHub(t, { folder: first.folder });
  assert.equal(await code(again, first.cookie), 200, "after a restart");

  // The record names the operation, and holds nothing that opens a session.
  const status = await ask(again.url, "/api/journal/export", { as: again.cookie });
  const record = String(status.body);
  assert.ok(record.includes("session-opened"));
  assert.ok(![first, other, again].some(({ cookie }) => record.includes(idOf(cookie))), "no id is in the record");
  assert.ok(!existsSync(`${first.journal}.sessions`));

  assert.equal(await code(other, first.cookie, "DELETE"), 200);
  assert.deepEqual([await code(again, first.cookie), await code(other, first.cookie)], [401, 401], "ended everywhere");
  assert.equal(await code(again, other.cookie), 200, "and no other session with it");
});
