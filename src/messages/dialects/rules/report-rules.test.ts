import assert from "node:assert/strict";
import { test } from "node:test";
import { workRules } from "./rules.ts";

const { check } = workRules["must-fix-names-changes"];

/** Which of the places is reported as none of the changes'; null: all are. */
function stray(changes: readonly (readonly [f: string, ln: number])[], mustFix: readonly string[]): string | null {
  const fields = { changes: changes.map(([f, ln]) => ({ f, ln, issue: "", fix: "" })), must_fix: mustFix };
  return check(fields, "$")?.path ?? null;
}

test("a place that must be fixed is that of a change, however the two write the path", () => {
  const spellings = ["src/a.ts", "./src/a.ts", "src//a.ts", "src/./a.ts"];
  for (const change of spellings) {
    for (const named of spellings) assert.equal(stray([[change, 42]], [`${named}:42`]), null, `${change} ${named}`);
  }
  assert.equal(stray([["a:7", 3]], ["a:7:3"]), null);
  assert.equal(stray([["../a.ts", 3]], ["../a.ts:3"]), null, "what is no path is compared as written");
});

test("another line, another file, or no line at all is no place of a change", () => {
  for (const named of ["src/a.ts:43", "src/b.ts:42", "src/a.ts", "SRC/a.ts:42", "src/a.ts:042x", "42"]) {
    assert.equal(stray([["src/a.ts", 42]], ["src/a.ts:42", named]), "$.must_fix[1]", named);
  }
});

test("many places and many changes are compared once each", () => {
  const changes = Array.from({ length: 5_000 }, (_, line) => [`./src/a${line}.ts`, line] as const);
  const started = process.cpuUsage();
  assert.equal(
    stray(
      changes,
      changes.map(([f, ln]) => `${f.slice(2)}:${ln}`),
    ),
    null,
  );
  assert.ok(process.cpuUsage(started).user < 2_000_000);
});
