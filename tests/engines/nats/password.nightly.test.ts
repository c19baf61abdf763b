/** A user who is refused while a hub runs or starts: the hub says so, tries again, and continues when it is let in. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readNatsAddress } from "../../../packages/engines/nats/address.ts";
import { connectTo } from "../../../packages/engines/nats/connection.ts";
import { askSubject } from "../../../packages/engines/nats/permissions.ts";
import { systemClock } from "../../../src/base/clock.ts";
import { hearAsks } from "../../../src/journal/engines.ts";
import { attempt, must, mustRecord, take } from "../../../src/testing/journal-subject.ts";
import { ask } from "../../http/hub.ts";
import { startUp, teamFolder } from "../../http/process.ts";
import { alpha } from "../held.ts";
import { open } from "./journals.ts";
import { newFolder, skip, startServer, until } from "./server.ts";

const letIn = { accounts: 'authorization { users: [ { user: baton, password: "only-for-tests" } ] }' };
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

test("a hub that is not let in as it starts receives asks once it is let in", { skip, timeout: 60_000 }, async (t) => {
  const server = await startServer(newFolder(), undefined, others);
  t.after(() => server.stop());
  const url = server.newUrl();
  const problems: (string | null)[] = [];
  const over = new AbortController();
  let seen: string | null = null;
  const answer = async ({ agent }: { readonly agent: string }) => (seen = agent);
  const hearing = hearAsks(url, answer, (problem) => problems.push(problem?.code ?? null), over.signal);
  await until(() => problems.length > 0);
  assert.equal(problems[0], "journal-cannot-open");
  await server.kill();
  await until(() => problems.includes("journal-unreachable"));
  await server.start(letIn);
  const address = must(readNatsAddress(url));
  const agent = must(await connectTo(address, systemClock.monotonic() + 5_000));
  t.after(() => agent.close());
  await until(() => {
    agent.tell(askSubject(address, { team: "web", agent: "dev-1", type: "progress" }), "{}");
    return seen !== null;
  });
  assert.deepEqual([seen, problems.at(-1)], ["dev-1", null]);
  over.abort();
  await hearing;
});
