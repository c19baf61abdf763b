import assert from "node:assert/strict";
import { test } from "node:test";
import { add, claim, report, type WorkCommand, work } from "../../../tests/work/orders.ts";
import { evolveCoordination, initialCoordination } from "../../perform/coordination-state.ts";
import { callsIn } from "./calls.ts";

test("who was woken in vain is woken only by what came since, also where two tasks are free", () => {
  let state = initialCoordination();
  const does = (command: WorkCommand) => {
    const decided = work.decide(command, state.work);
    assert.ok(decided.ok, JSON.stringify(decided));
    for (const event of decided.value.events) state = evolveCoordination(state, event);
  };
  let called: string | null = null;
  /** The task for which dev-1 is woken next; what it is woken for it does not take. */
  const woken = () => {
    const delivery = { idle: true, wakes: true, called };
    const [call] = callsIn(state, [{ agent: "dev-1", role: "dev", status: "active", delivery }], false);
    called = call?.way === "woken" ? call.call : called;
    return call === undefined ? null : `${call.way} ${call.task.task}`;
  };
  does(add("1-1-T1", { seq: 1 }));
  does(add("1-1-T2", { seq: 2 }));
  assert.deepEqual(
    [woken(), woken(), woken(), woken()],
    ["woken 1-1-T1", "woken 1-1-T2", "declined 1-1-T1", "declined 1-1-T1"],
  );
  does(add("1-1-T3", { seq: 30 }));
  assert.deepEqual([woken(), woken()], ["woken 1-1-T3", "declined 1-1-T1"]);
  does(claim("1-1-T3", "dev-1", { seq: 31 }));
  does(report("1-1-T3", "dev-1", { seq: 32 }));
  assert.equal(woken(), "woken 1-1-T1", "it took the last one");
});
