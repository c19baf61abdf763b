/** An import next to other processes: while a hub runs on the journal, and cut off by kill -9 in the middle. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openTeam } from "../../src/perform/open.ts";
import { injectionMissing } from "../crash/system-calls.ts";
import { called, calledWithCode } from "./called.ts";
import { commandMsMax, environment, folder, jsonLines, mainBundle, problemCodes, start, team } from "./command.ts";
import { startHub, tokenOf, towards } from "./hub-process.ts";

const skip = injectionMissing() ?? false;

/** A team with so many messages in its journal. */
async function filled(count: number, name = "web"): Promise<string> {
  const place = folder();
  mkdirSync(join(place, ".baton"));
  const agents = "agents:\n  lead-1: {role: lead}\n  dev-1: {role: dev}\n";
  writeFileSync(join(place, ".baton/team.yaml"), `version: 1\nteam: ${name}\ndialects: [vbw/2]\n${agents}`);
  await calledWithCode(0, place, ["status"]);
  await fill(place, count);
  return place;
}

async function fill(place: string, count: number): Promise<void> {
  const opened = await openTeam({ journal: join(place, ".baton/journal.db"), create: false, agent: "dev-1" });
  assert.ok(opened.ok);
  await using dev = opened.value;
  for (let index = 0; index < count; index += 1) await dev.send(`Note ${index}.`, { to: [{ role: "lead" }] });
}

const exportOf = async (place: string) => (await calledWithCode(0, place, ["journal", "export"])).stdout;

test("while a hub runs an import is safe, and the hub knows at once what came", async () => {
  const place = team();
  const hub = await startHub(place);
  const dev = towards(hub, await tokenOf(place, "dev-1"));
  const old = await filled(600, "old");
  const token = await tokenOf(old, "lead-1");
  writeFileSync(join(place, "old.jsonl"), await exportOf(old));
  const importing = start(place, ["journal", "import", "old.jsonl", "--json"]);
  const ended = once(importing, "close");
  // The hub writes while the import does.
  for (const words of ["One.", "Two.", "Three."])
    assert.equal((await called(place, ["send", "--to", "lead-1"], words, dev)).code, 0);
  assert.equal((await ended)[0], 0);
  const restored = await called(place, ["inbox", "--team", "old", "--json"], "", towards(hub, token));
  assert.match(restored.stdout, /Note 0\./);
  assert.deepEqual(
    jsonLines(await called(place, ["inbox", "--json"], "", towards(hub, await tokenOf(place, "lead-1")))).map(
      ({ sender }) => sender,
    ),
    ["dev-1", "dev-1", "dev-1"],
  );
  const again = await calledWithCode(0, place, ["journal", "import", "old.jsonl", "--json"]);
  assert.match(again.stdout, /"fresh":0/);
  await calledWithCode(0, place, ["journal", "verify"]);

  // Another team's entries under the same name are refused, and so is an import through the hub.
  const taken = await called(place, ["journal", "import", "-", "--json"], await exportOf(await filled(1)));
  assert.deepEqual([taken.code, problemCodes(taken)], [2, ["already-exists"]]);
  const refused = await called(place, ["journal", "import", "old.jsonl", "--json"], "", dev);
  assert.deepEqual([refused.code, problemCodes(refused)], [64, ["wrong-usage"]]);
  const named = ["journal", "import", "old.jsonl", "--journal", "sqlite:.baton/journal.db", "--json"];
  assert.equal((await called(place, named, "", dev)).code, 0);
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

test("an import that is killed is completed by the next, each entry once", { skip }, async () => {
  const place = folder();
  mkdirSync(join(place, ".baton"));
  const text = await exportOf(await filled(1_500));
  writeFileSync(join(place, "old.jsonl"), text);
  const total = text.split("\n").length - 1;
  let before = 0;
  // Making a journal takes two syncs of its log; then each ends a part of the import.
  for (const sync of [4, 2]) {
    const held = await killedAt(place, "old.jsonl", sync);
    assert.ok(before < held && held < total, `${held} of ${total} entries, ${before} before`);
    before = held;
    await calledWithCode(0, place, ["journal", "verify"]);
  }
  await calledWithCode(0, place, ["journal", "import", "old.jsonl"]);
  assert.equal(await exportOf(place), text);
  await calledWithCode(0, place, ["journal", "verify"]);
});

test("an import that is killed lets in nobody who was the owner elsewhere, then and later", { skip }, async () => {
  const origin = await filled(0);
  const token = await tokenOf(origin, "owner");
  await fill(origin, 1_500);
  const exported = await exportOf(origin);
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
