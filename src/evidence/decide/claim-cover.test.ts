import assert from "node:assert/strict";
import { test } from "node:test";
import { turnsDuring } from "../../../tests/evidence/turns.ts";
import type { ChangedPath } from "../git/changes.ts";
import { forecastNotes, heldProblems, holdersOf } from "./claim-cover.ts";
import { judgeChanges } from "./scope-judgement.ts";

const change = (path: string): ChangedPath => ({
  path,
  isText: true,
  change: "added",
  mode: { before: "000000", after: "100644" },
  content: { before: "0".repeat(40), after: "1".repeat(40) },
});

test("a claim covers what one of its globs matches; one that cannot be read covers nothing", async () => {
  const changed = ["src/a.ts", "src/b/c.ts", "docs/a.md"].map(change);
  const held = [
    { holder: "dev-2", task: "T2", files: [] },
    { holder: "dev-4", task: "T4", files: ["src/**", "../x"] },
    { holder: "dev-3", task: "T3", files: ["src/b/**"] },
  ];
  const holders = await holdersOf(changed, held);
  assert.deepEqual(
    heldProblems(changed, holders).map(({ path, message }) => [path, message]),
    [["src/b/c.ts", "dev-3 has claimed this file for T3."]],
  );
  const notes = forecastNotes(changed, ["src/a.ts"], holders);
  assert.deepEqual(
    notes.map(({ message }) => message),
    ["The task did not name these files: docs/a.md."],
    "what another holds is a problem, and no note",
  );
});

const many = Array.from({ length: 6_000 }, (_, at) => change(`src/w/f${at}aaaaaaaaaaaaaaaaaaaa`));
const slow = [...Array.from({ length: 60 }, (_, at) => `src/*/*aa*aa*ab${at}`), "src/**"];

test("many files and globs hold up nobody, and all of them are judged", async () => {
  const judging = await turnsDuring(async () => {
    assert.deepEqual(await judgeChanges(many, { contract: null, claim: slow }, null), []);
  });
  assert.ok(judging > 25, `${judging} turns`);
});
