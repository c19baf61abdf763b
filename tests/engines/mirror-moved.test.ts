/** A mirror of a journal whose teams continue in another one. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { called } from "../e2e/called.ts";
import { contract, folder, team as teamFolder } from "../e2e/command.ts";

test("a mirror of a journal that has moved says where, and continues with the new one", async () => {
  const home = teamFolder();
  const [to, mirror] = [join(folder(), "to.db"), join(folder(), "mirror.db")];
  const run = async (words: readonly string[], input = "", code = 0) => {
    const done = await called(home, words, input);
    assert.equal(done.code, code, `baton ${words.join(" ")}\n${done.said}`);
    return done;
  };
  const there = ["--journal", `sqlite:${to}`];
  await run(["send", "-", "--as", "lead-1"], contract());
  const before = await run(["journal", "mirror", "--once", "--json", mirror]);
  assert.equal(JSON.parse(before.stdout).teams[0].moved, null);
  const { said } = await run(["journal", "verify", "--journal", `sqlite:${mirror}`]);
  assert.match(said, /This journal is a mirror\. .*Record in the journal that it follows/);
  await run(["journal", "migrate", "--to", `sqlite:${to}`]);
  // Once it gets what was recorded up to the move, and each time it says that nothing more comes.
  for (const behind of [1, 0]) {
    const { stdout, said } = await run(["journal", "mirror", "--once", mirror], "", 1);
    assert.match(stdout, new RegExp(`was ${behind} entr(y|ies) behind, .*; continues in sqlite:.*to\\.db`));
    assert.match(said, /journal-moved.*\n.*continues in the journal sqlite:.*to\.db/);
  }
  const told = await run(["journal", "mirror", "--once", "--json", mirror], "", 1);
  const [line] = told.stdout.split("\n");
  assert.deepEqual(JSON.parse(line ?? "").teams[0].moved, { to, isUndone: false });
  // One that is kept up ends by itself.
  await run(["journal", "mirror", mirror], "", 1);
  await run(["send", "-", "--as", "dev-1", "--to", "lead-1", ...there], "there");
  const after = await run(["journal", "mirror", "--once", mirror, ...there]);
  assert.match(after.stdout, /was 2 entries behind/);
  // The journal whose migration was taken back is no longer mirrored either, and this copy is its witness.
  await run(["journal", "migrate", "--undo"]);
  const undone = await run(["journal", "mirror", "--once", mirror, ...there], "", 1);
  assert.match(undone.said.replaceAll(/\s+/g, " "), /Keep this copy: .* Begin a new mirror/);
});

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
