import assert from "node:assert/strict";
import { test } from "node:test";
import type { HandoffDetail } from "../../../handoffs/operations.ts";
import { filesWord, foundFiles } from "./outcome-text.ts";

const accepted = { by: "dev-1", task: null, token: null, seq: 2, atMs: 0 };

test("what is known of a handoff's files is said in a few words", () => {
  for (const [status, files, acceptance, says] of [
    ["issued", 0, null, "no files"],
    ["issued", 1, null, "1 file to verify"],
    ["issued", 3, null, "3 files to verify"],
    ["rejected", 3, null, "3 files"],
    ["accepted", 0, { ...accepted, files: 0, weak: 0 }, "no files"],
    ["accepted", 3, { ...accepted, files: 3, weak: 0 }, "3 files ok"],
    ["completed", 3, { ...accepted, files: 3, weak: 2 }, "1 file ok, 2 weak"],
  ] as const) {
    assert.equal(filesWord({ status, files, acceptance }), says);
  }
});

test("a file of a handoff is what was found of it last", () => {
  const document = {
    handoff: { dependencies: { required_files: ["a.ts", "b.ts"] }, validation: { file_checksums: { "c.ts": "0" } } },
  };
  const makeProblem = (code: string, path: string) => ({ code, path, message: "" });
  const refused = [
    { act: "complete-handoff", problems: [makeProblem("file-missing", "a.ts")] },
    { act: "accept-handoff", problems: [makeProblem("file-changed", "b.ts"), makeProblem("file-outside", "c.ts")] },
    { act: "accept-handoff", problems: [makeProblem("file-missing", "a.ts")] },
  ];
  const found = (acceptance: { readonly weak: number } | null) =>
    // Only what is read of them.
    foundFiles({ handoff: { acceptance }, document } as unknown as HandoffDetail, refused).map(({ state }) => state);
  assert.deepEqual(found(null), [null, "changed", "outside"]);
  assert.deepEqual(found({ weak: 0 }), ["ok", "ok", "ok"]);
  assert.deepEqual(found({ weak: 1 }), [null, null, null]);
});
