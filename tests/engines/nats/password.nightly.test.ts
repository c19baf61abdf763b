/** A user who is refused while a hub runs: the hub says so, tries again, and continues when it is let in. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ask } from "../../http/hub.ts";
import { startUp, teamFolder } from "../../http/process.ts";
import { attempt, mustRecord, take } from "../../journal/journal-subject.ts";
import { alpha } from "../held.ts";
import { open } from "./journals.ts";
import { newFolder, skip, startServer, until } from "./server.ts";

const others = { accounts: 'authorization { users: [ { user: baton, password: "another" } ] }' };

test("a running hub and who follows outlive a changed password, say so, and continue when it is as before", {
  skip,
  timeout: 120_000,
}, async (t) => {
  const server = await startServer(newFolder());
  t.after(() => server.stop());
  const url = server.newUrl();
  const journal = await open(t, url, { waitMs: 500 });
  const hub = await startUp(t, teamFolder(t), ["--port", "0", "--journal", url]);
  const readiness = async () => JSON.stringify((await ask(hub.url, "/readyz")).body);
  assert.match(await readiness(), /"status":"ready"/);
  // As an edited configuration does, and as a restart does.
  const change = {
    reload: async (lines: object) => server.reload(lines),
    restart: async (lines: object) => {
      await server.kill();
      await server.start(lines);
    },
  };
  for (const [how, act] of Object.entries(change)) {
    const followed = take(journal.follow(alpha, { after: 0, signal: new AbortController().signal }), 2);
    mustRecord(await journal.commit(alpha, attempt({ id: `before-${how}` })));
    await act(others);
    await until(async () => {
      const said = await readiness();
      return /journal-cannot-open: The server does not let this user in/.test(said) && !/does not answer/.test(said);
    });
    await hub.said(/"code":"journal-cannot-open","why":"The server does not let this user in/);
    const refused = await journal.commit(alpha, attempt());
    assert.ok(!refused.ok, how);
    await act({});
    await until(async () => /"status":"ready"/.test(await readiness()));
    await until(async () => (await journal.commit(alpha, attempt({ id: `after-${how}` }))).ok);
    assert.equal((await followed).length, 2);
  }
  assert.deepEqual(await hub.end("SIGTERM"), { code: 0, signal: null });
  assert.doesNotMatch(hub.words(), /only-for-tests/);
});
