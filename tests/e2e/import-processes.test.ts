/** An import next to other processes: while a hub runs on the journal, and cut off by kill -9 in the middle. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { injectionMissing } from "../crash/system-calls.ts";
import { called, calledWithCode } from "./called.ts";
import {
  commandMsMax,
  environment,
  folder,
  jsonLines,
  mainBundle,
  problemCodes,
  start,
  team,
  update,
} from "./command.ts";
import { startHub, tokenOf, towards } from "./hub-process.ts";

const skip = injectionMissing() ?? false;

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

/**
 * Runs the import and kills it at the nth sync of the journal's log, so in the middle of its work. Answers the state of
 * many entries then.
 */
async function killedAt(place: string, file: string, sync: number): Promise<number> {
  const log = join(place, ".baton/journal.db-wal");
  const inject = ["-e", "trace=fsync", "-e", `inject=fsync:signal=KILL:when=${sync}`, "-P", log];
  const words = ["-f", "-qq", "-o", "/dev/null", ...inject, process.execPath, mainBundle, "journal", "import", file];
  const killed = spawnSync("strace", words, { cwd: place, env: environment(), timeout: commandMsMax });
  assert.equal(killed.signal, "SIGKILL", String(killed.stderr));
  const exported = await calledWithCode(0, place, ["journal", "export"]);
  return jsonLines(exported).length;
}

// Making a journal takes two syncs of its log; then each ends a part of the import.
for (const [what, lines, syncs] of [
  ["history", async () => await Promise.resolve(texts(1_500)), [3, 2]],
  ["entries", exportedEntries, [4, 2]],
] as const) {
  test(`an import of ${what} that is killed is completed by the next, each message once`, { skip }, async () => {
    const place = what === "history" ? team() : folder();
    mkdirSync(join(place, ".baton"), { recursive: true });
    if (what === "history") await calledWithCode(0, place, ["status"]);
    const text = await lines();
    writeFileSync(join(place, "old.jsonl"), text);
    const total = text.split("\n").length - 1 + (what === "history" ? 1 : 0);
    let before = 0;
    for (const sync of syncs) {
      const held = await killedAt(place, "old.jsonl", sync);
      assert.ok(before < held && held < total, `${held} of ${total} entries, ${before} before`);
      before = held;
      await calledWithCode(0, place, ["journal", "verify"]);
    }
    await calledWithCode(0, place, ["journal", "import", "old.jsonl"]);
    const exported = (await calledWithCode(0, place, ["journal", "export"])).stdout;
    if (what === "entries") assert.equal(exported, text);
    else assert.equal(new Set(exported.match(/\\"id\\":\\"old-\d+/g)).size, 1_500);
    assert.equal(exported.trimEnd().split("\n").length, total);
    await calledWithCode(0, place, ["journal", "verify"]);
  });
}

test("an import that is killed lets in nobody who was the owner elsewhere, then and later", { skip }, async () => {
  const origin = team();
  const token = await tokenOf(origin, "owner");
  writeFileSync(join(origin, "old.jsonl"), texts(1_500));
  await calledWithCode(0, origin, ["journal", "import", "old.jsonl"]);
  const exported = (await calledWithCode(0, origin, ["journal", "export"])).stdout;
  const enter = async (place: string, by = token) => {
    const hub = await startHub(place);
    const entered = await called(place, ["token", "list", "--json"], "", towards(hub, by));
    await hub.kill();
    return problemCodes(entered);
  };
  // The control: where it was made the token proves the owner.
  assert.deepEqual(await enter(origin), []);

  for (const isContinued of [true, false]) {
    const place = folder();
    mkdirSync(join(place, ".baton"));
    writeFileSync(join(place, "old.jsonl"), exported);
    // Behind the first entry and the note, in the middle of the others.
    assert.ok((await killedAt(place, "old.jsonl", 6)) > 2);
    assert.deepEqual(await enter(place), ["unauthenticated"]);
    // Its file may be lost: then what the owner makes here ends it with what is there.
    if (isContinued) await calledWithCode(0, place, ["journal", "import", "old.jsonl"]);
    const made = await tokenOf(place, "owner");
    assert.deepEqual([await enter(place), await enter(place, made)], [["token-revoked"], []]);
  }
});

/** The lines of a journal with some history in it. */
async function exportedEntries(): Promise<string> {
  const place = team();
  writeFileSync(join(place, "old.jsonl"), texts(1_500));
  await calledWithCode(0, place, ["journal", "import", "old.jsonl"]);
  return (await calledWithCode(0, place, ["journal", "export"])).stdout;
}
