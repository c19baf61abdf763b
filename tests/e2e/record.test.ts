/** The record's commands: verify, stats, backup, export, and the way on after a loss. */
import assert from "node:assert/strict";
import { copyFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { called, calledWithCode } from "./called.ts";
import { contract, folder, jsonLines, problemCodes, team, update } from "./command.ts";

async function busyTeam(): Promise<string> {
  const place = team();
  await calledWithCode(0, place, ["send", "--as", "lead-1"], contract());
  await calledWithCode(0, place, ["send", "--as", "dev-1"], update());
  return place;
}

test("a backup is read and takes no entries, until its note is removed", async () => {
  const place = await busyTeam();
  const copy = join(place, "copy.db");
  await calledWithCode(0, place, ["journal", "backup", copy]);
  const there = ["--journal", `sqlite:${copy}`];
  const add = ["task", "add", "1-1-T9", ...there, "--json"];
  const refused = await called(place, add);
  assert.deepEqual([refused.code, problemCodes(refused)], [1, ["journal-copied"]]);
  const read = await calledWithCode(0, place, ["task", "list", ...there]);
  assert.match(read.stderr, /warning: This journal is a backup\. It can be read/);
  assert.doesNotMatch(read.stderr, /\.\.$/m, "one full stop at the end");
  rmSync(`${copy}.backup`);
  await calledWithCode(0, place, add);
});

test("a backup is a whole journal, and never overwrites", async () => {
  const place = await busyTeam();
  const copy = join(folder(), "copy.db");
  await calledWithCode(0, place, ["journal", "backup", copy]);
  const here = jsonLines(await calledWithCode(0, place, ["journal", "verify", "--json"]))[0];
  const there = jsonLines(
    await calledWithCode(0, place, ["journal", "verify", "--json", "--journal", `sqlite:${copy}`]),
  )[0];
  assert.deepEqual(there?.teams, here?.teams);
  assert.deepEqual(problemCodes(await calledWithCode(2, place, ["journal", "backup", copy, "--json"])), [
    "already-exists",
  ]);
});

test("an export has every entry with its links", async () => {
  const place = await busyTeam();
  const entries = jsonLines(await calledWithCode(0, place, ["journal", "export"])) as {
    seq: number;
    hash: string;
    prevHash: string;
  }[]; // as documented
  assert.deepEqual(
    entries.map(({ seq }) => seq),
    entries.map((_, index) => index + 1),
  );
  for (const [index, { prevHash }] of entries.entries()) {
    assert.equal(prevHash, index === 0 ? "0".repeat(64) : entries[index - 1]?.hash);
  }
  const stats = jsonLines(await calledWithCode(0, place, ["journal", "verify", "--json"]))[0] as {
    teams: { team: string; entries: number }[];
  }; // as documented
  assert.deepEqual(
    stats.teams.map(({ team: name, entries: count }) => [name, count]),
    [["web", entries.length]],
  );
  await calledWithCode(3, place, ["journal", "export", "--team", "other"]);
});

test("a receipt that the journal no longer honours is found out", async () => {
  const place = team();
  const receipt = (await calledWithCode(0, place, ["send", "--as", "lead-1", "--json"], contract())).stdout;
  writeFileSync(join(place, "receipt.json"), receipt);
  await calledWithCode(0, place, ["journal", "verify", "--receipt", "receipt.json"]);
  writeFileSync(
    join(place, "forged.json"),
    receipt.replace(/"hash":"./, '"hash":"'.concat(receipt.includes('"hash":"0') ? "1" : "0")),
  );
  await calledWithCode(2, place, ["journal", "verify", "--receipt", "forged.json"]);
  writeFileSync(join(place, "words.json"), "no receipt");
  assert.deepEqual(
    problemCodes(await calledWithCode(2, place, ["journal", "verify", "--receipt", "words.json", "--json"])),
    ["wrong-format"],
  );
});

test("a journal put back to an older copy takes no writes until the loss is accepted", async () => {
  const place = team();
  const inside = join(place, ".baton");
  await calledWithCode(0, place, ["send", "--as", "lead-1"], contract());
  const older = folder();
  await calledWithCode(0, place, ["journal", "backup", join(older, "old.db")]);
  await calledWithCode(0, place, ["send", "--as", "dev-1"], update());
  for (const file of readdirSync(inside)) if (/^journal\.db(-wal|-shm)?$/.test(file)) rmSync(join(inside, file));
  copyFileSync(join(older, "old.db"), join(inside, "journal.db"));

  const refused = await calledWithCode(
    1,
    place,
    ["send", "--as", "dev-1", "--json"],
    update(["src/feature.js"], { id: "u-2" }),
  );
  assert.deepEqual(problemCodes(refused), ["journal-regressed"]);
  assert.match(refused.stderr, /`baton journal accept-loss --reason TEXT`/);
  const log = await calledWithCode(0, place, ["log"]);
  assert.match(log.stdout, /plan_contract/, "it can still be read");
  assert.match(log.stderr, /are missing/, "and reading says that something is gone");
  assert.equal((await called(place, ["journal", "verify"])).code, 2);
  assert.match((await calledWithCode(2, place, ["doctor"])).stdout, /FAIL\s+journal/);
  // What proposes the way on names the journal as the caller named it, and no agent: a person runs it.
  const named = ["--journal", `sqlite:${join(inside, "journal.db")}`];
  const way = `baton journal accept-loss --reason TEXT ${named.join(" ")}`;
  const lines: readonly (readonly [code: number, words: readonly string[]])[] = [
    [1, ["send", "-", "--as", "dev-1", "--to", "lead-1"]],
    [0, ["log", "--as", "dev-1"]],
    [2, ["journal", "verify"]],
    [2, ["doctor"]],
  ];
  for (const [code, words] of lines) {
    const done = await calledWithCode(code, place, [...words, ...named], "hello");
    const said = `${done.stdout}${done.stderr}`.replaceAll(/\s+/g, " ");
    assert.ok(said.includes(way) && !said.includes(`${way} --as`), `${words.join(" ")}: ${said}`);
  }
  assert.equal((await calledWithCode(2, place, ["journal", "accept-loss", "--reason", "no", "--as", "dev-1"])).code, 2);

  const accepting = ["journal", "accept-loss", "--reason", "an old copy was put back", "--id", "loss-1", "--json"];
  const done = await calledWithCode(0, place, accepting);
  assert.doesNotMatch(done.stderr, /accept-loss|are missing/, "it recommends nothing that it does itself");
  const [accepted] = jsonLines(done);
  assert.equal(accepted?.epoch, 2);
  const again = ["journal", "accept-loss", "--id", "loss-1", "--json", "--reason"];
  assert.deepEqual(jsonLines(await calledWithCode(0, place, [...again, "an old copy was put back"])), [
    { ...accepted, duplicate: true },
  ]);
  assert.deepEqual(problemCodes(await calledWithCode(2, place, [...again, "another"])), ["id-conflict"]);
  await calledWithCode(0, place, ["journal", "verify"]);
  await calledWithCode(0, place, ["send", "--as", "dev-1"], update());
  await calledWithCode(3, place, ["journal", "accept-loss", "--reason", "again"]);
});

test("an answer to a typo or a name that nobody has says what was meant", async () => {
  const place = await busyTeam();
  const cases: readonly (readonly [words: readonly string[], code: number, said: RegExp])[] = [
    [["task", "add", "2-1-T 5"], 0, /"2-1-T 5" names no plan.*2-1-T5 is a task of plan 2-1/],
    [["status", "--as", "nobody"], 0, /There is no agent "nobody"/],
    [["log", "--from", "dev-11"], 0, /No entry matches\.\nThere is no agent "dev-11".*Did you mean dev-1\?/],
    [["log", "--kind", "refusal,timer"], 0, /No entry matches\.\n$/],
    [["log", "--task", "T1"], 0, /execution_update/],
    [["log", "--task", "2-1-T9"], 0, /add-task/],
    [["task", "list", "--agent", "dev-1"], 64, /the options are --plan, --state, /],
    [["task", "complete", "2-1-T9", "--commit", "abc1234", "def5678"], 64, /give --commit once for each value/],
    [["journal", "verify"], 0, /indexed up to entry 0; the first search indexes it/],
  ];
  await calledWithCode(0, place, ["task", "add", "2-1-T9"]);
  for (const [words, code, said] of cases) {
    const done = await called(place, words);
    assert.equal(done.code, code, done.said);
    assert.match(done.said, said, words.join(" "));
  }
});
