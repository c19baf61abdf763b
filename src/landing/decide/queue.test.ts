/** What waits: work that was reported before it might begin. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { add, adopt, after, judge, report, type WorkCommand, work } from "../../../tests/work/orders.ts";
import type { WorkEvent } from "../../tasks/state/task-events.ts";
import { queueOf } from "./queue.ts";

const rules = { listed: undefined, answers: new Map(), wanted: new Map() };
const place = { at: "branch", branch: "baton/dev-1", since: null, isChanged: false } as const;
const taken = { commits: ["a".repeat(40)], files: [], count: 1 };
/** The task is reported on a branch, and verified. */
const done = (task: string): readonly WorkCommand[] => [
  report(task, "dev-1"),
  judge(task, "verified", { place, work: taken }),
];
const found = (events: readonly WorkEvent[], ...named: readonly string[]) => {
  const { ready, waits } = queueOf(events.reduce(work.evolve, work.initial()), rules, named);
  return [...ready.map(({ task }) => task), ...waits.map(({ task, why }) => `${task}: ${why}`)];
};

test("verified work of a plan that was refused, or before what it depends on, lands only by its name", () => {
  const denied = { by: "architect-1", reason: "Too wide" };
  const asked = { request: "ask-1", requester: "lead-1", denied, seq: 5 };
  const held: WorkEvent = { event: "plan-held", plan: "1-1", ...asked };
  const early = [...after(adopt("1-1", ["1-1-T1"]), ...done("1-1-T1")), held];
  const [why] = found(early);
  assert.match(
    why ?? "",
    /^1-1-T1: lead-1 asked by ask-1 .* said no: Too wide.*To land it now, .*: baton land 1-1-T1\.$/,
  );
  assert.deepEqual(found(early, "1-1-T1"), ["1-1-T1"]);
  assert.deepEqual(found([...early, { event: "plan-released", plan: "1-1", by: "owner", seq: 50 }]), ["1-1-T1"]);
  const before = after(adopt("1-1", ["1-1-T1"]), add("1-2-T1", { dependsOn: ["1-1-T1"] }), ...done("1-2-T1"));
  assert.deepEqual(found(before), ["1-2-T1: It waits for 1-1-T1. To land it now, name it: baton land 1-2-T1."]);
});
