import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "../json.ts";
import type { Problem } from "../problem.ts";
import { addWrongMoments, momentsOf } from "./timestamp.ts";
import type { ValueForm } from "./value-form.ts";

const form: ValueForm = {
  is: "object",
  fields: {
    at: { is: "text", time: "timestamp" },
    rounds: {
      is: "list",
      entry: { is: "object", fields: { ends: { is: "list", entry: { is: "text", time: "date-time" } } } },
    },
  },
};

function pathsOf(value: Json): readonly string[] {
  const found: Problem[] = [];
  addWrongMoments(found, momentsOf(form), value);
  return found.map(({ path, code }) => `${code} ${path}`);
}

test("moments are found in lists of objects and lists within them, and each wrong one is named", () => {
  const good = "2026-03-04T10:00:00Z";
  assert.deepEqual(pathsOf({ at: "2026-03-04", rounds: [{ ends: [good] }, { ends: [] }] }), []);
  assert.deepEqual(
    pathsOf({ at: "soon", rounds: [{ ends: [good, "2026-03-04"] }, { ends: ["2026-02-30T10:00:00Z"] }] }),
    ["wrong-format $.at", "wrong-format $.rounds[0].ends[1]", "wrong-format $.rounds[1].ends[0]"],
  );
});

test("what is not there or of another type is the validator's to tell", () => {
  for (const value of [null, [], {}, { at: 3 }, { at: null, rounds: {} }, { rounds: [null, 1, { ends: {} }] }]) {
    assert.deepEqual(pathsOf(value), []);
  }
});
