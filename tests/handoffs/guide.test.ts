/** The guide to handoff documents does what it says: its lines are run as they are, in a fresh folder. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { runTour } from "../e2e/guide-tour.ts";

test("the guide's lines run to their end and show what its comments promise", () => {
  const { stdout, said } = runTour("handoff-documents");
  assert.equal(stdout.match(/^exit 2$/gm)?.length, 2, said);
  assert.match(stdout, /^changed {2}docs\/story\.md/m, said);
  assert.match(stdout, /\n {2}after +\S+\n/, said);
});
