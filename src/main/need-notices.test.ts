import assert from "node:assert/strict";
import { test } from "node:test";
import type { Need } from "../needs/view/need-ranking.ts";
import { dueIn, type Told } from "./need-notices.ts";

const minute = 60_000;
const startMs = Date.parse("2026-02-12T10:00:00Z");
const at = (minutes: number) => new Date(startMs + minutes * minute).toISOString();

/** A need that waits since the start, due after so many minutes. */
function need(id: string, dueMinutes: number | null = null): Need {
  // Of a need only these fields are read.
  return { id, since: at(0), dueAt: dueMinutes === null ? null : at(dueMinutes) } as Need;
}

/** What is said at each of these minutes, of the needs that wait then. */
function saidAt(looks: readonly (readonly [minutes: number, needs: readonly Need[]])[]): readonly string[] {
  let told: Told = { atMs: 0, needs: {} };
  return looks.map(([minutes, needs]) => {
    const due = dueIn(needs, told, startMs + minutes * minute);
    told = due.told ?? told;
    return due.say.map(({ id }) => id).join(" ");
  });
}

test("each need is said once and again at half of its time, at most one message a minute", () => {
  const [a, b, c] = [need("a"), need("b"), need("c")];
  const urgent = need("d", 10);
  const rows: readonly (readonly [string, Parameters<typeof saidAt>[0], readonly string[]])[] = [
    [
      "once",
      [
        [0, [a]],
        [1, [a]],
        [60, [a]],
      ],
      ["a", "", ""],
    ],
    [
      "a burst together",
      [
        [0, [a]],
        [0.5, [a, b]],
        [0.9, [a, b, c]],
        [1, [a, b, c]],
      ],
      ["a", "", "", "b c"],
    ],
    [
      "what is decided meanwhile not at all",
      [
        [0, [a]],
        [0.5, [a, b]],
        [1, [a]],
      ],
      ["a", "", ""],
    ],
    [
      "what comes back again",
      [
        [0, [a]],
        [1, []],
        [2, [a]],
      ],
      ["a", "", "a"],
    ],
    [
      "half of its time",
      [
        [0, [urgent]],
        [4.9, [urgent]],
        [5, [urgent]],
        [7, [urgent]],
      ],
      ["d", "", "d", ""],
    ],
    [
      "near its end",
      [
        [8, [urgent]],
        [8.5, [urgent]],
        [9.5, [urgent]],
        [11, [urgent]],
      ],
      ["d", "", "d", ""],
    ],
    [
      "a clock that was put back",
      [
        [100, [a]],
        [1, [a, b]],
      ],
      ["a", "b"],
    ],
  ];
  for (const [what, looks, said] of rows) assert.deepEqual(saidAt(looks), said, what);
});
