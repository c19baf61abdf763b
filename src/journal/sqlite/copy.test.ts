import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { attempt, must, mustRecord, tally, team } from "../../../tests/journal/journal-subject.ts";
import { makeProblem } from "../../base/problem.ts";
import { err } from "../../base/result.ts";
import { copyJournal, openJournal } from "../engines.ts";
import type { Journal } from "../journal.ts";
import { openMemoryJournal } from "../memory.ts";

test("a copy that cannot be completed leaves no file, and the next one starts again", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "baton-copy-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const [alpha, beta] = [team("alpha"), team("beta")];
  await using whole = openMemoryJournal(tally);
  for (const name of [alpha, beta]) mustRecord(await whole.commit(name, attempt()));
  const gone = makeProblem("journal-busy", "memory", "The second team cannot be read.");
  const broken: Journal<unknown> = {
    ...whole,
    read: async (name, options) => (name === beta ? err(gone) : await whole.read(name, options)),
  };
  const file = join(folder, "copy.db");
  // What a killed process has left of another copy.
  writeFileSync(`${file}.part`, "half a copy");
  assert.deepEqual(await copyJournal(broken, file), err(gone));
  assert.deepEqual(readdirSync(folder), []);
  must(await copyJournal(whole, file));
  await using copy = must(await openJournal(file, tally, { create: false }));
  assert.deepEqual(must(await copy.teams()), [alpha, beta]);
  const nowhere = await copyJournal(whole, join(folder, "no-folder", "copy.db"));
  assert.equal(!nowhere.ok && nowhere.error.code, "journal-cannot-open");
});
