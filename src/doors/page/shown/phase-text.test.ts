import assert from "node:assert/strict";
import { test } from "node:test";
import { shareDone } from "./phase-text.ts";

test("a phase that goes on is never done whole, however many of its plans are", () => {
  const steps = (over: number) =>
    Array.from({ length: 11 }, (_, at) => ({ step: "qa", state: at < over ? "complete" : "pending" }) as const);
  const part = (status: "running" | "ended", over: number, plans: number) =>
    ({ status, steps: steps(over), plansComplete: plans, plansTotal: 9 }) as const;
  for (const [parts, share] of [
    [[part("running", 5, 9)], 70],
    [[part("running", 11, 9)], 99],
    [[part("ended", 11, 9)], 100],
    [[part("ended", 11, 9), part("running", 0, 0)], 50],
    [[], 0],
  ] as const)
    assert.equal(shareDone(parts), share);
});
