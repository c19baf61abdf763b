/** Exporting for the folders of phases. Entries as lines are in `journal-import.test.ts` and `import-round-trip.test.ts`. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openTeam } from "../../src/perform/open.ts";
import { calledWithCode } from "./called.ts";
import { contract, folder, jsonLines, problemCodes, team, update } from "./command.ts";

async function spoken(): Promise<string> {
  const place = team();
  await calledWithCode(0, place, ["send", "--as", "lead-1"], contract());
  await calledWithCode(0, place, ["send", "--as", "dev-1"], update());
  return place;
}

/** Records rows of a phase's file as taking a project over does. */
async function takenOver(place: string, file: string, rows: readonly string[]): Promise<void> {
  const opened = await openTeam({ journal: join(place, ".baton/journal.db"), create: false });
  assert.ok(opened.ok);
  await using owner = opened.value;
  for (const [index, text] of rows.entries()) {
    const message = { dialect: null, type: null, rung: "markdown", wireId: null, text, fact: null } as const;
    assert.ok((await owner.remember({ message, notes: [], origin: { source: "phase", file, id: `${index}` } })).ok);
  }
}

test("the folders of phases get what came from such and a line for each plan that is done", async () => {
  const place = await spoken();
  const rows = ['{"id":"C1","sev":"major"}', '{"id":"C2", "sev":"minor"}'];
  await takenOver(place, "01-start/critique.jsonl", rows);
  const told = jsonLines(await calledWithCode(0, place, ["journal", "export", "--out", "new", "--json"]));
  assert.deepEqual(told.find(({ file }) => file === "01-start/critique.jsonl")?.rows, 2);
  const written = (file: string) => readFileSync(join(place, "new/01-start", file), "utf8");
  const [summary] = written("summary.jsonl").trimEnd().split("\n");
  const facts = { p: "01", n: "01", t: "Implement feature X", s: "complete", tc: 1, tt: 1, ch: ["abc1234"] };
  assert.partialDeepStrictEqual(JSON.parse(summary ?? "{}"), { ...facts, fm: ["src/feature.js"] });
  assert.equal(written("critique.jsonl"), rows.map((row) => `${row}\n`).join(""));
  const again = await calledWithCode(2, place, ["journal", "export", "--out", "new", "--json"]);
  assert.deepEqual(problemCodes(again), ["already-exists"]);
  mkdirSync(join(place, "trap"));
  symlinkSync(folder(), join(place, "trap/01-start"));
  const trapped = await calledWithCode(2, place, ["journal", "export", "--out", "trap", "--json"]);
  assert.deepEqual(problemCodes(trapped), ["invalid-path"]);
  writeFileSync(join(place, "taken"), "a file");
  // Below /proc no folder can be made, and to try for ever is what Node's own way does.
  for (const nowhere of ["taken", "taken/deeper", "/proc/phases"])
    await calledWithCode(3, place, ["journal", "export", "--out", nowhere]);
  assert.equal(readFileSync(join(place, "taken"), "utf8"), "a file");
});
