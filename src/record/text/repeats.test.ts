import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { newRepeats } from "./import-items.ts";

test("counts equal strings as a list of them would", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom("a", "b", "c", "d", ""), { maxLength: 60 }), (texts) => {
      const repeats = newRepeats();
      for (const [index, text] of texts.entries())
        assert.equal(repeats.count(text), texts.slice(0, index + 1).filter((each) => each === text).length);
    }),
  );
});

test("still distinguishes strings when it has grown many times", () => {
  const repeats = newRepeats();
  for (let index = 0; index < 20_000; index++) assert.equal(repeats.count(`text ${index}`), 1);
  for (let index = 0; index < 20_000; index += 7) assert.equal(repeats.count(`text ${index}`), 2);
  assert.equal(repeats.count("text 0"), 3);
});
