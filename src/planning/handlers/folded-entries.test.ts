/** Entries in memory are given only when all of them are there; else the journal must be read. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Entry } from "../../journal/entry.ts";
import { initialState } from "../../perform/state.ts";
import { foldedAfter, keepFolded } from "./folded-entries.ts";

/** Only the place of an entry matters here. */
const entry = (seq: number) => ({ seq }) as Entry;
const seqs = (entries: readonly Entry[] | null) => entries?.map(({ seq }) => seq) ?? null;

test("entries are kept from the first question on, and each once for who has seen those before", () => {
  const state = initialState();
  keepFolded(state, entry(1));
  assert.equal(foldedAfter(state, 0), null, "nobody had asked");
  for (const seq of [2, 3, 4]) keepFolded(state, entry(seq));
  assert.equal(foldedAfter(state, 0), null, "entry 1 is not there");
  assert.equal(foldedAfter(state, 4), null, "and what was there is gone");
  for (const seq of [5, 6]) keepFolded(state, entry(seq));
  assert.deepEqual(seqs(foldedAfter(state, 4)), [5, 6]);
  assert.deepEqual(seqs(foldedAfter(state, 5)), [6]);
  keepFolded(state, entry(7));
  assert.deepEqual(seqs(foldedAfter(state, 6)), [7]);
  assert.equal(foldedAfter(initialState(), 6), null, "another state has its own");
});

test("who is too far behind is sent to the journal", () => {
  const state = initialState();
  foldedAfter(state, 0);
  for (let seq = 1; seq <= 2_001; seq += 1) keepFolded(state, entry(seq));
  assert.equal(foldedAfter(state, 0), null);
  keepFolded(state, entry(2_002));
  assert.deepEqual(seqs(foldedAfter(state, 2_001)), [2_002]);
});
