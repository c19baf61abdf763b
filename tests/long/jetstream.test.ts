/** A cluster of NATS servers whose leader is killed. Results go to docs/verification.md. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { killLeaders, sendWrongId } from "../engines/nats/journals.ts";
import { skip } from "../engines/nats/server.ts";
import { record } from "./record.ts";

const kills = Number(process.env.BATON_TEST_KILLS ?? 100);

test(`${kills} killed leaders of a cluster lose nothing acknowledged and repeat nothing`, {
  skip: kills === 0 ? "no kills were asked for" : skip,
}, async () => {
  const found = await killLeaders(kills);
  const pauses = found.pausesMs.toSorted((one, other) => one - other);
  const seconds = (ms: number | undefined) => `${((ms ?? 0) / 1_000).toFixed(1)} s`;
  record(
    "jetstream",
    "Three NATS servers on one machine hold three copies and write to the disk before they acknowledge. The leader of the log is killed with signal 9 under two processes with ten commits under way each, and started again.",
    [
      ["kills", found.kills],
      ["acknowledged", found.acknowledged],
      ["lost, by hash", found.lost],
      ["recorded twice, by id", found.doubled],
      ["longest pause without an acknowledgement, median", seconds(pauses[Math.floor(pauses.length / 2)])],
      ["longest pause without an acknowledgement, of all", seconds(pauses.at(-1))],
      ["control: lost by the same check without the last ten entries", found.control],
    ],
  );
  assert.deepEqual(found.problems, []);
  assert.deepEqual([found.lost, found.doubled], [0, 0]);
  assert.ok(found.control > 0);
});

test("what a message with a wrong expected id does to a stream of three copies is recorded", { skip }, async () => {
  const { version, refusal, taken, control } = await sendWrongId();
  record(
    "jetstream-header",
    "One plain message with a wrong `Nats-Expected-Last-Msg-Id` is sent to a stream of three copies, and then ten without it. Baton never sends this header; whoever may publish to the log can.",
    [
      ["nats-server", version],
      ["answer to the wrong message", refusal],
      ["of ten messages after it, taken", taken],
      ["control: of ten messages before it, taken", control],
      ["so the log is safe from it only where hubs alone may publish", taken < 10 ? "yes" : "no"],
    ],
  );
  assert.equal(control, 10);
});
