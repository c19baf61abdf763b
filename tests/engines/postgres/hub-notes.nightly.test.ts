/** A hub's folder without a clone: its hub runs on PostgreSQL, and a command that names no journal finds it. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { addressToPaste } from "../../../src/journal/address-to-paste.ts";
import { shownAddress } from "../../../src/journal/engines.ts";
import { git } from "../../evidence/history.ts";
import { runBaton, startUp, teamFolder } from "../../http/process.ts";
import { skip, testServer } from "./server.ts";

test("a command that names no journal issues nothing and names the hub's journal on PostgreSQL", {
  skip,
}, async (t) => {
  const url = (await testServer()).newUrl();
  const folder = teamFolder(t);
  const hub = await startUp(t, folder, ["--port", "0", "--journal", url]);
  const shown = addressToPaste(url);
  const run = async (code: number, ...words: readonly string[]) => {
    const done = await runBaton(folder, words);
    assert.equal(done.code, code, `baton ${words.join(" ")}\n${done.stdout}${done.stderr}`);
    return { ...done, said: done.stderr.replaceAll(/\s+/g, " ") };
  };
  const created = await run(3, "token", "create", "owner");
  assert.equal(created.stdout, "");
  assert.ok(created.said.includes(shown), created.said);
  assert.doesNotMatch(created.said, /only-for-tests/, "no password is shown");
  assert.equal(existsSync(join(folder, ".baton/journal.db")), false);
  const down = await run(3, "stop");
  const line = /End it: baton stop --journal (\S+)/.exec(down.said)?.[1] ?? assert.fail(down.said);
  // As a shell reads it: without the password nobody is asked, and the hub ends all the same.
  const ended = await run(1, "stop", "--journal", line.replaceAll("'", ""));
  assert.match(ended.said, new RegExp(`${hub.url} has ended`));
});

test("a project whose journal moves into a server learns which hub still uses the file", { skip }, async (t) => {
  const url = (await testServer()).newUrl();
  const folder = teamFolder(t);
  git(folder, "init", "-q");
  const run = async (...words: readonly string[]) => {
    const done = await runBaton(folder, words);
    assert.equal(done.code, 0, `baton ${words.join(" ")}\n${done.stdout}${done.stderr}`);
    return done;
  };
  const hub = await startUp(t, folder, ["--port", "0"]);
  await run("journal", "copy", "--to", url);
  const { stdout, stderr } = await run("journal", "place", url);
  assert.equal(stdout.trim(), shownAddress(url));
  assert.match(stderr, /The file \S*journal\.db stays as it is, with the entries from before/);
  assert.match(stderr, new RegExp(`a hub still uses the other journal: ${hub.url} .*End it by .*baton stop`));
  await run("stop", "--journal", `sqlite:${join(folder, ".git/baton/journal.db")}`);
  assert.doesNotMatch((await run("journal", "place", url)).stderr, /a hub still uses/);
});
