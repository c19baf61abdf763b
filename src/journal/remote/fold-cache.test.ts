import assert from "node:assert/strict";
import { test } from "node:test";
import { emptyHead } from "../chain.ts";
import { noHeldIds } from "../fold.ts";
import { isSnapshotDue } from "./fold-cache.ts";

const seq = (at: number) => ({
  head: { ...emptyHead, seq: at },
  state: 0,
  inboxes: new Map(),
  held: noHeldIds(0),
});

const cases: readonly (readonly [what: string, at: number, last: number, characters: number, isDue: boolean])[] = [
  ["a short team", 999, 0, 0, false],
  ["the first thousand entries", 1_000, 0, 0, true],
  ["a small snapshot of a long team, soon", 101_000, 100_000, 100_000, true],
  ["a snapshot of 600 kB after 2,900 entries", 102_900, 100_000, 600_000, false],
  ["a snapshot of 600 kB after 3,000 entries", 103_000, 100_000, 600_000, true],
  ["a snapshot of 100 MB, an eighth of the entries later", 114_300, 100_000, 100_000_000, true],
  ["a snapshot of 100 MB before that", 114_200, 100_000, 100_000_000, false],
];

for (const [what, at, last, characters, isDue] of cases) {
  test(`whether a snapshot is due: ${what}`, () => {
    assert.equal(isSnapshotDue({ fold: seq(at), snapshot: { seq: last, characters } }), isDue);
  });
}
