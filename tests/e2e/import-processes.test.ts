/** An import beside others: while a hub runs on the journal, and cut off by kill -9 in the middle. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { teamName } from "../../src/base/ids.ts";
import { openTeamJournal } from "../../src/runtime/open.ts";
import { baton, expectCode, folder, jsonLines, problemCodes, start, team, update } from "./command.ts";
import { startHub, tokenOf, towards } from "./hub-process.ts";

const texts = (count: number) =>
  Array.from({ length: count }, (_, index) => `${update(["src/feature.js"], { id: `old-${index}` })}\n`).join("");

test("while a hub runs an import is safe, and the hub knows at once what came", async () => {
  const place = team();
  const hub = await startHub(place);
  const dev = towards(hub, tokenOf(place, "dev-1"));
  const owner = towards(hub, tokenOf(place, "owner"));
  writeFileSync(join(place, "old.jsonl"), texts(600));
  const importing = start(place, ["journal", "import", "old.jsonl", "--json"]);
  const ended = once(importing, "close");
  // The hub writes while the import does.
  for (const words of ["One.", "Two.", "Three."])
    assert.equal(baton(place, ["send", "--to", "lead-1"], words, dev).code, 0);
  assert.equal((await ended)[0], 0);
  const log = jsonLines(baton(place, ["log", "--type", "execution_update", "--json"], "", owner));
  assert.equal(log.length, 600);
  assert.deepEqual(
    jsonLines(baton(place, ["inbox", "--json"], "", towards(hub, tokenOf(place, "lead-1")))).map(
      ({ sender }) => sender,
    ),
    ["dev-1", "dev-1", "dev-1"],
  );
  const again = jsonLines(expectCode(0, place, ["journal", "import", "old.jsonl", "--json"]))[0];
  assert.deepEqual([again?.imported, again?.known], [0, 600]);
  expectCode(0, place, ["journal", "verify"]);

  // Another team's entries under the same name are refused, and so is an import through the hub.
  const other = team();
  expectCode(0, other, ["send", "--as", "dev-1", "--to", "lead-1"], "From elsewhere.");
  const exported = expectCode(0, other, ["journal", "export"]).stdout;
  const taken = baton(place, ["journal", "import", "-", "--json"], exported);
  assert.deepEqual([taken.code, problemCodes(taken)], [2, ["already-exists"]]);
  const refused = baton(place, ["journal", "import", "old.jsonl", "--json"], "", owner);
  assert.deepEqual([refused.code, problemCodes(refused)], [64, ["wrong-usage"]]);
  const named = ["journal", "import", "old.jsonl", "--journal", "sqlite:.baton/journal.db", "--json"];
  assert.equal(baton(place, named, "", owner).code, 0);
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
  ["history", (): string => texts(1_500)],
  ["entries", exportedEntries],
] as const) {
  test(`an import of ${what} that is killed is completed by the next, each text once`, async () => {
    const place = what === "history" ? team() : folder();
    mkdirSync(join(place, ".baton"), { recursive: true });
    if (what === "history") expectCode(0, place, ["status"]);
    const text = lines();
    writeFileSync(join(place, "old.jsonl"), text);
    const total = text.split("\n").length - 1 + (what === "history" ? 1 : 0);
    let cut = 0;
    for (const entries of [2, 400, 900]) {
      const held = await killedAt(place, "old.jsonl", entries);
      if (held < total) cut += 1;
      expectCode(0, place, ["journal", "verify"]);
    }
    assert.ok(cut > 0, "at least one import was cut off in the middle");
    expectCode(0, place, ["journal", "import", "old.jsonl"]);
    const exported = expectCode(0, place, ["journal", "export"]).stdout;
    if (what === "entries") assert.equal(exported, text);
    else assert.equal(new Set(exported.match(/\\"id\\":\\"old-\d+/g)).size, 1_500);
    assert.equal(exported.trimEnd().split("\n").length, total);
    expectCode(0, place, ["journal", "verify"]);
  });
}

/** The lines of a journal with some history in it. */
function exportedEntries(): string {
  const place = team();
  writeFileSync(join(place, "old.jsonl"), texts(1_500));
  expectCode(0, place, ["journal", "import", "old.jsonl"]);
  return expectCode(0, place, ["journal", "export"]).stdout;
}
