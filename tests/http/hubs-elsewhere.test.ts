/** Hubs of a project that run on another journal than a command uses: each is named, and no second journal begins. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
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
    ["token", "create", "owner"],
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
  const { stdout } = await run(0, "token", "create", "owner", "--journal", address);
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

test("no command begins a journal in a file where the folder was used with one in a server", async (t) => {
  const folder = teamFolder(t);
  const state = join(folder, ".baton");
  const run = async (...words: readonly string[]) => {
    const { code, stdout, stderr } = await runBaton(folder, words);
    return { code, stdout, said: stderr.replaceAll(/\s+/g, " ") };
  };
  // Nobody answers there: the folder notes which journal was named, and the head stands for one that had answered.
  await run("status", "--journal", "nats://shop:secret@127.0.0.1:9/team_1?wait=1");
  const noted = readdirSync(state).find((name) => name.endsWith(".address"));
  assert.ok(noted !== undefined, "the address is noted");
  const commands = [["token", "create", "owner"], ["status"], ["up", "--port", "0"], ["journal", "verify"]];
  assert.notEqual((await run("status")).code, 3, "a journal of which nothing was seen holds nobody up");
  for (const name of readdirSync(state)) if (name.startsWith("journal.db")) rmSync(join(state, name));
  writeFileSync(join(state, noted.replace(".address", ".head")), "{}\n");
  for (const words of commands) {
    const { code, stdout, said } = await run(...words);
    assert.deepEqual([code, stdout], [3, ""], `${words}: ${said}`);
    assert.match(said, /journal-missing.*has used a journal in a server: nats:\/\/shop@127\.0\.0\.1:9\/team_1/);
    assert.match(said, /add --journal '?nats:\/\/shop@127\.0\.0\.1:9\/team_1/);
    assert.doesNotMatch(said, /secret/);
    assert.equal(existsSync(join(state, "journal.db")), false, `${words}: no journal begins`);
  }
  // Who wants a journal in a file names it, and from then on it is the folder's.
  const own = `sqlite:${join(state, "journal.db")}`;
  assert.equal((await run("agent", "register", "dev-1", "--role", "dev", "--journal", own)).code, 0);
  assert.equal((await run("status")).code, 0);
});

test("stop names the hub of another journal with the command that ends it", async (t) => {
  const { hub, address, run } = await project(t);
  const { said } = await run(3, "stop");
  assert.doesNotMatch(said, /No hub/);
  assert.ok(said.includes(`${hub.url} (pid ${hub.pid}) on ${address}`), said);
  assert.ok(said.includes(`baton stop --journal ${address}`), said);
  assert.equal(hub.child.exitCode, null, "it still runs");
  assert.match((await run(1, "start", "--link")).said, /on another journal/);
  const { stdout } = await run(0, "stop", "--json", "--journal", address);
  const { ended, others: left } = JSON.parse(stdout);
  assert.deepEqual([ended, left], [[{ url: hub.url, pid: hub.pid }], []]);
  assert.deepEqual(await endOf(hub.child), { code: 0, signal: null });
  assert.match((await run(0, "stop")).said, /No hub of this journal runs/);
});

test("stop ends the hub of the journal and names the other one", async (t) => {
  const { hub, address, run, own } = await project(t);
  await run(0, "agent", "register", "dev-1", "--role", "dev", "--journal", `sqlite:${own}`);
  const folder = join(own, "../..");
  const second = await startUp(t, folder);
  const { stdout, said } = await run(0, "stop", "--json");
  const others = [{ url: hub.url, pid: hub.pid, journal: address }];
  const { ended, others: left } = JSON.parse(stdout);
  assert.deepEqual([ended, left], [[{ url: second.url, pid: second.pid }], others]);
  assert.ok(said.includes(`baton stop --journal ${address}`), said);
});
