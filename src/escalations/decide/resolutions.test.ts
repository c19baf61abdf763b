import assert from "node:assert/strict";
import { test } from "node:test";
import type { FactBodies } from "../../messages/fact-bodies.ts";
import { foldEvents, given } from "../../testing/given.ts";
import { type ResolutionCommand, resolutionLike, resolutions } from "./escalations.ts";

const body: FactBodies["resolution"] = {
  originalEscalation: "ESC-02-01-T2",
  decision: "Keep codes in the database",
  rationale: "Two servers",
  actionItems: ["Move the store", "Delete the memory store"],
  resolvedBy: "user",
};

function record(sender: string, changes: Partial<FactBodies["resolution"]> = {}): ResolutionCommand {
  return { command: "record-resolution", body: { ...body, ...changes }, sender, seq: 7 };
}

const first = resolutions.decide(record("owner"), resolutions.initial());
assert.ok(first.ok);
const before = first.value.events;

test("the first of its words is recorded with who decided, the next only repeats it", () => {
  const { state } = given(resolutions, []).when(record("owner")).thenEvents(before);
  assert.deepEqual(resolutionLike(state, body), { resolvedBy: "user", sender: "owner", seq: 7 });
  given(resolutions, before).when(record("lead-1")).thenNothing("resolution-repeated");
});

const changes: readonly Partial<FactBodies["resolution"]>[] = [
  { originalEscalation: "ESC-02-01-T3" },
  { decision: "Keep codes in memory" },
  { rationale: "" },
  { actionItems: ["Move the store"] },
  { actionItems: ["Delete the memory store", "Move the store"] },
  { resolvedBy: "architect" },
];

for (const change of changes) {
  test(`other words are another resolution: ${JSON.stringify(change)}`, () => {
    assert.equal(resolutionLike(foldEvents(resolutions, before), { ...body, ...change }), null);
  });
}
