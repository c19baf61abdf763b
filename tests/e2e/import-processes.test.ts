/** An import beside others: while a hub runs on the journal, and cut off by kill -9 in the middle. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { teamName } from "../../src/base/ids.ts";
import { openTeamJournal } from "../../src/runtime/open.ts";
import { called, calledWithCode } from "./called.ts";
import { folder, jsonLines, problemCodes, start, team, update } from "./command.ts";
import { startHub, tokenOf, towards } from "./hub-process.ts";

const texts = (count: number) =>
  Array.from({ length: count }, (_, index) => `${update(["src/feature.js"], { id: `old-${index}` })}\n`).join("");

test("while a hub runs an import is safe, and the hub knows at once what came", async () => {
  const place = team();
  const hub = await startHub(place);
  const dev = towards(hub, await tokenOf(place, "dev-1"));
  const owner = towards(hub, await tokenOf(place, "owner"));
  writeFileSync(join(place, "old.jsonl"), texts(600));
  const importing = start(place, ["journal", "import", "old.jsonl", "--json"]);
  const ended = once(importing, "close");
  // The hub writes while the import does.
  for (const words of ["One.", "Two.", "Three."])
    assert.equal((await called(place, ["send", "--to", "lead-1"], words, dev)).code, 0);
  assert.equal((await ended)[0], 0);
  const log = jsonLines(await called(place, ["log", "--type", "execution_update", "--json"], "", owner));
  assert.equal(log.length, 600);
  assert.deepEqual(
    jsonLines(await called(place, ["inbox", "--json"], "", towards(hub, await tokenOf(place, "lead-1")))).map(
      ({ sender }) => sender,
    ),
    ["dev-1", "dev-1", "dev-1"],
  );
  const again = jsonLines(await calledWithCode(0, place, ["journal", "import", "old.jsonl", "--json"]))[0];
  assert.deepEqual([again?.imported, again?.known], [0, 600]);
  await calledWithCode(0, place, ["journal", "verify"]);

  // Another team's entries under the same name are refused, and so is an import through the hub.
  const other = team();
  await calledWithCode(0, other, ["send", "--as", "dev-1", "--to", "lead-1"], "From elsewhere.");
  const exported = (await calledWithCode(0, other, ["journal", "export"])).stdout;
  const taken = await called(place, ["journal", "import", "-", "--json"], exported);
  assert.deepEqual([taken.code, problemCodes(taken)], [2, ["already-exists"]]);
  const refused = await called(place, ["journal", "import", "old.jsonl", "--json"], "", owner);
  assert.deepEqual([refused.code, problemCodes(refused)], [64, ["wrong-usage"]]);
  const named = ["journal", "import", "old.jsonl", "--journal", "sqlite:.baton/journal.db", "--json"];
  assert.equal((await called(place, named, "", owner)).code, 0);
});

/** Starts the import and kills it as soon as the journal holds that many entries. Answers how many it holds then. */
async function killedAt(place: string, file: string, entries: number): Promise<number> {
  const name = teamName("web");
  assert.ok(name !== null);
  const opened = await openTeamJournal(join(place, ".baton/journal.db"), { create: true });
  assert.ok(opened.ok);
  await using journal = opened.value;
  const importing = start(place, ["journal", "import", file]);
  const ended = once(importing, "exit");
  const head = async () => {
    const folded = await journal.state(name);
    assert.ok(folded.ok);
    return folded.value.head.seq;
  };
  while ((await head()) < entries && importing.exitCode === null) await new Promise(setImmediate);
  importing.kill("SIGKILL");
  await ended;
  return await head();
}

for (const [what, lines] of [
  ["history", async () => await Promise.resolve(texts(1_500))],
  ["entries", exportedEntries],
] as const) {
  test(`an import of ${what} that is killed is completed by the next, each text once`, async () => {
    const place = what === "history" ? team() : folder();
    mkdirSync(join(place, ".baton"), { recursive: true });
    if (what === "history") await calledWithCode(0, place, ["status"]);
    const text = await lines();
    writeFileSync(join(place, "old.jsonl"), text);
    const total = text.split("\n").length - 1 + (what === "history" ? 1 : 0);
    let cut = 0;
    for (const entries of [2, 400, 900]) {
      const held = await killedAt(place, "old.jsonl", entries);
      if (held < total) cut += 1;
      await calledWithCode(0, place, ["journal", "verify"]);
    }
    assert.ok(cut > 0, "at least one import was cut off in the middle");
    await calledWithCode(0, place, ["journal", "import", "old.jsonl"]);
    const exported = (await calledWithCode(0, place, ["journal", "export"])).stdout;
    if (what === "entries") assert.equal(exported, text);
    else assert.equal(new Set(exported.match(/\\"id\\":\\"old-\d+/g)).size, 1_500);
    assert.equal(exported.trimEnd().split("\n").length, total);
    await calledWithCode(0, place, ["journal", "verify"]);
  });
}

/** The lines of a journal with some history in it. */
async function exportedEntries(): Promise<string> {
  const place = team();
  writeFileSync(join(place, "old.jsonl"), texts(1_500));
  await calledWithCode(0, place, ["journal", "import", "old.jsonl"]);
  return (await calledWithCode(0, place, ["journal", "export"])).stdout;
}
