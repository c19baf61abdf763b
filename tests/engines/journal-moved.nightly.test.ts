/** What a journal that was left says of where its teams continue. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { called } from "../e2e/called.ts";
import { contract, folder, team as teamFolder } from "../e2e/command.ts";

test("status and verify of a journal that has moved say where the team continues, and an undo which journal it looked at", async () => {
  const home = teamFolder();
  const to = join(folder(), "to.db");
  const run = async (...words: readonly string[]) => {
    const done = await called(home, words, words[0] === "send" ? contract() : "");
    assert.equal(done.code, 0, `baton ${words.join(" ")}\n${done.said}`);
    return done.stdout;
  };
  const there = ["--journal", `sqlite:${to}`];
  await run("send", "-", "--as", "lead-1");
  assert.equal("moved" in JSON.parse(await run("status", "--json")), false);
  await run("journal", "migrate", "--to", `sqlite:${to}`);
  const moved = { to, isUndone: false };
  assert.match(
    (await run("status")).split("\n")[0] ?? "",
    /^This team has moved: it continues in the journal .*to\.db/,
  );
  assert.deepEqual(JSON.parse(await run("status", "--json")).moved, moved);
  assert.match(await run("journal", "verify"), /\nsound\nteam .*: This team has moved: .*to\.db/);
  const [team] = JSON.parse(await run("journal", "verify", "--json")).moved;
  assert.deepEqual([team.to, team.isUndone], [to, false]);
  for (const words of [["status"], ["journal", "verify"]]) assert.doesNotMatch(await run(...words, ...there), /moved/);
  // The address of a file is one that a command takes.
  const refused = await called(home, ["send", "-", "--as", "dev-1", "--to", "lead-1"], "late");
  const address = /--journal (sqlite:[^`\s]+)/.exec(refused.said)?.[1] ?? assert.fail(refused.said);
  await run("status", "--journal", address);
  const undone = await run("journal", "migrate", "--undo", ...there);
  assert.match(undone, /No team had left this journal, .*to\.db/);
  assert.match(undone, /baton journal migrate --undo --journal URL/);
});
