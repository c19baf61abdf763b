import assert from "node:assert/strict";
import { test } from "node:test";
import { lazyMap } from "./dialect-table.ts";

test("values are made once, when they are asked for; keys cost nothing", () => {
  const made: string[] = [];
  const map = lazyMap(["b", "a"], (key) => {
    made.push(key);
    return key.toUpperCase();
  });
  assert.deepEqual([map.size, map.has("a"), map.has("toString"), [...map.keys()]], [2, true, false, ["b", "a"]]);
  assert.deepEqual(made, []);
  assert.deepEqual([map.get("a"), map.get("a"), map.get("constructor")], ["A", "A", undefined]);
  assert.deepEqual(made, ["a"]);
  assert.deepEqual(
    [...map],
    [
      ["b", "B"],
      ["a", "A"],
    ],
  );
  assert.deepEqual([...map.values()], ["B", "A"]);
  const seen: string[] = [];
  map.forEach((value, key) => {
    seen.push(key + value);
  });
  assert.deepEqual(seen, ["bB", "aA"]);
  assert.deepEqual(made, ["a", "b"]);
});
