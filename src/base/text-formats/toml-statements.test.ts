import assert from "node:assert/strict";
import { test } from "node:test";
import { tomlStatements, tomlString } from "./toml-statements.ts";

const text = `# top
title = "a # b" # c
long = """
[not.a.table] ""\\" x
""""
raw = '''\r
[nor.this]'''
[ a . "b.c" ]
d.'e' = [1, { f = 2024-01-01 10:00:00Z, g = [ # in it
  "]", ] }, 0x1F ]
\t[[list]]
h = -inf`;

test("every statement is found where it is, and quoted strings hide none and create none", () => {
  const read = tomlStatements(text);
  assert.ok(read.ok, JSON.stringify(read));
  assert.deepEqual(
    read.value.map(({ kind, path }) => [kind, path.join("|")]),
    [
      ["comment", ""],
      ["pair", "title"],
      ["pair", "long"],
      ["pair", "raw"],
      ["table", "a|b.c"],
      ["pair", "a|b.c|d|e"],
      ["tables", "list"],
      ["pair", "list|h"],
    ],
  );
  for (const { from, to, text: piece } of read.value) assert.ok(text.slice(from, to).startsWith(piece));
  assert.equal(read.value.at(-1)?.to, text.length);
});

test("what is no TOML is refused where it begins to be none", () => {
  const cases: readonly (readonly [text: string, at: number])[] = [
    ["a", 1],
    ["a = ", 4],
    ["a = 1 b = 2", 6],
    ['a = "x', 6],
    ["a = 'x\n'", 6],
    ['a = """x"" ', 11],
    ["[a", 2],
    ["[[a]", 3],
    ["[]", 1],
    ["a = [1 2]", 7],
    ["a = {b}", 6],
    ["= 1", 0],
    [`a = ${"[".repeat(300)}`, 204],
  ];
  for (const [wrong, at] of cases) {
    const read = tomlStatements(wrong);
    assert.ok(!read.ok, wrong);
    assert.equal(read.error.at, at, wrong);
  }
});

test("a written string is read as the key it stands for", () => {
  for (const name of ["plain", 'with "quotes"', "back\\slash", "tab\t\u007f\u0001", "Ünï"]) {
    const read = tomlStatements(`${tomlString(name)} = 1`);
    assert.ok(read.ok, name);
    assert.deepEqual(read.value[0]?.path, [name]);
  }
});
