/** Every storage call, struck by every error. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { faults, type InjectionReport, injectionMissing, storageCalls, strike } from "../crash/system-calls.ts";
import { record } from "./record.ts";

const skip = injectionMissing() ?? false;

test("a kill, EIO and ENOSPC at every storage call lose nothing acknowledged", { skip }, async () => {
  const reports: InjectionReport[] = [];
  for (const call of storageCalls) {
    for (const fault of faults) reports.push(await strike({ call, fault, first: 1, step: 1 }));
  }
  const control = await strike({ call: "pwrite64", fault: "signal=KILL", first: 1, step: 3, early: true });
  const wrong = reports.flatMap((report) => report.wrong);
  const controlLost = control.wrong.filter((each) => each.includes("is lost")).length;
  record(
    "calls",
    "A writer makes a journal, sends six messages and closes, under strace; the Nth call is killed or fails, N = 1, 2, 3 … until a run ends unhit. Afterwards the journal opens, verifies, holds what was acknowledged, and takes every message again exactly once; after an input or output error nothing more is acknowledged by that process.",
    [
      ...reports.map((report) => [`${report.call}, ${report.fault}`, describe(report)] as const),
      ["lost, repeated or written after a failure", wrong.length],
      ["control: lost by a writer that acknowledges before the commit", `${controlLost} in ${control.points} points`],
    ],
  );
  assert.deepEqual(wrong, []);
  assert.ok(controlLost > 0);
});

function describe({ points, problems }: InjectionReport): string {
  const answers = Object.entries(problems).map(([code, count]) => `${code} in ${count}`);
  return `${points} points${answers.length === 0 ? "" : `; answered ${answers.join(", ")}`}`;
}
