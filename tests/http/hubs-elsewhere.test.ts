/** Hubs of a project that run on another journal than a command uses: each is named, and no second journal begins. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { endOf, runBaton, startUp, teamFolder } from "./process.ts";

/** A folder whose hub runs on another journal than the folder's own, which is not there. */
async function project(t: Parameters<typeof teamFolder>[0]) {
  const folder = teamFolder(t);
  const address = `sqlite:${join(folder, ".baton/shop.db")}`;
  const hub = await startUp(t, folder, ["--port", "0", "--journal", address]);
  const run = async (code: number, ...words: readonly string[]) => {
    const done = await runBaton(folder, words);
    assert.equal(done.code, code, `baton ${words.join(" ")}\n${done.stdout}${done.stderr}`);
    return { ...done, said: done.stderr.replaceAll(/\s+/g, " ") };
  };
  return { hub, address, run, own: join(folder, ".baton/journal.db") };
}

test("no command begins a new journal where a hub of the folder runs on another one", async (t) => {
  const { hub, address, run, own } = await project(t);
  const commands = [
    ["token", "create", "verifier:ci-1"],
    ["agent", "register", "dev-1", "--role", "dev"],
    ["status"],
    ["journal", "accept-loss", "--reason", "none"],
    ["up", "--port", "0"],
  ];
  for (const words of commands) {
    const { stdout, said } = await run(3, ...words);
    assert.equal(stdout, "", `${words}: nothing is issued`);
    assert.match(said, /journal-missing/);
    assert.ok(said.includes(`${hub.url} (pid ${hub.pid}) on ${address}`), said);
    assert.ok(said.includes(`--journal ${address}`), said);
    assert.equal(existsSync(own), false, `${words}: no journal begins`);
  }
  const { stdout } = await run(0, "token", "create", "verifier:ci-1", "--journal", address);
  assert.match(stdout, /baton_/);
  // Who wants a second journal names it. From then on the owner's commands warn.
  await run(0, "agent", "register", "dev-1", "--role", "dev", "--journal", `sqlite:${own}`);
  const { said } = await run(0, "token", "create", "dev-1");
  assert.match(
    said,
    /warning: this command uses the journal .*journal\.db, but a hub of this project runs on another one/,
  );
  assert.ok(said.includes(`--journal ${address}`), said);
});

test("down names the hub of another journal with the command that ends it", async (t) => {
  const { hub, address, run } = await project(t);
  const { said } = await run(3, "down");
  assert.doesNotMatch(said, /No hub/);
  assert.ok(said.includes(`${hub.url} (pid ${hub.pid}) on ${address}`), said);
  assert.ok(said.includes(`baton down --journal ${address}`), said);
  assert.equal(hub.child.exitCode, null, "it still runs");
  assert.match((await run(1, "open")).said, /on another journal/);
  const { stdout } = await run(0, "down", "--json", "--journal", address);
  assert.deepEqual(JSON.parse(stdout), { ended: [{ url: hub.url, pid: hub.pid }], others: [] });
  assert.deepEqual(await endOf(hub.child), { code: 0, signal: null });
  assert.match((await run(0, "down")).said, /No hub of this journal runs/);
});

test("down ends the hub of the journal and names the other one", async (t) => {
  const { hub, address, run, own } = await project(t);
  await run(0, "agent", "register", "dev-1", "--role", "dev", "--journal", `sqlite:${own}`);
  const folder = join(own, "../..");
  const second = await startUp(t, folder);
  const { stdout, said } = await run(0, "down", "--json");
  const others = [{ url: hub.url, pid: hub.pid, journal: address }];
  assert.deepEqual(JSON.parse(stdout), { ended: [{ url: second.url, pid: second.pid }], others });
  assert.ok(said.includes(`baton down --journal ${address}`), said);
});
