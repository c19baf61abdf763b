import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { addDeadline, type Deadlines, dropEnded, passedDeadlines } from "./deadlines.ts";

const seed = 31;

test(`gives the earliest of what waits, and all that has passed, whatever was added and ended (seed ${seed})`, () => {
  const act = fc.oneof(
    fc.record({ add: fc.integer({ min: 0, max: 50 }) }),
    fc.record({ end: fc.nat() }),
    fc.record({ passed: fc.integer({ min: 0, max: 60 }) }),
  );
  const property = fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
    const heap: Deadlines = [];
    const waiting = new Map<string, number>();
    let made = 0;
    for (const each of acts) {
      if ("add" in each) {
        made += 1;
        waiting.set(`k${made}`, each.add);
        addDeadline(heap, each.add, `k${made}`);
      } else if ("end" in each) {
        waiting.delete([...waiting.keys()][each.end % Math.max(1, waiting.size)] ?? "");
        dropEnded(heap, (key) => waiting.has(key));
      } else {
        const passed = passedDeadlines(heap, each.passed).filter((key) => waiting.has(key));
        const wanted = [...waiting].filter(([, due]) => due <= each.passed).map(([key]) => key);
        assert.deepEqual(passed.toSorted(), wanted.toSorted());
      }
      assert.equal(heap[0]?.[0] ?? null, waiting.size === 0 ? null : Math.min(...waiting.values()));
    }
  });
  fc.assert(property, { seed, numRuns: 500 });
});
