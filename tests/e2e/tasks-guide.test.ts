/** The guide to tasks does what it says: its lines are run as they are, in a fresh folder. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { runTour } from "./guide-tour.ts";

test("the guide's lines run to their end and show what its comments promise", () => {
  const { stdout, said } = runTour("tasks");
  assert.match(stdout, /"granted":true,"task":"1","token":\d+,"expiresAt":"/, said);
  assert.match(stdout, /"granted":false,"reason":"overlap","holder":"dev-1","paths":\["src\/names/, said);
  assert.equal(stdout.match(/^exit 2$/gm)?.length, 3, said);
  assert.match(stdout, /tasks: 1 available, 1 claimed, 1 reported/, said);
});
