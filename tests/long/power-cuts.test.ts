/** The long power-cut campaign: several traces, thousands of images. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { journalUnderPowerCuts } from "../crash/journal-power-cuts.ts";
import { cutPower, type PowerCutReport } from "../crash/power-cuts.ts";
import { chosenSeed } from "../crash/seed.ts";
import { writeLogMissing } from "../crash/write-log.ts";
import { record } from "./record.ts";

const skip = writeLogMissing() ?? false;

test("10,000 power cuts lose nothing acknowledged; without the syncs they do, and it is reported", {
  skip,
}, async () => {
  const seed = chosenSeed(131);
  const reports: PowerCutReport[] = [];
  for (let trace = 0; trace < 5; trace++) {
    const subject = journalUnderPowerCuts({ durability: "fsync", verifyEvery: 10 });
    reports.push(await cutPower(subject, { images: 2_000, seed: seed + trace }));
  }
  const unreported: string[] = [];
  const relaxed = journalUnderPowerCuts({ durability: "os", verifyEvery: 1, unreported });
  const control = await cutPower(relaxed, { images: 1_000, seed });
  const sum = (of: (report: PowerCutReport) => number): number => reports.reduce((all, report) => all + of(report), 0);
  record(
    "power-cuts",
    "All writes and syncs of three writers are logged. Each image keeps what was synced before the cut, and of the rest some writes whole, some torn at 512 bytes, some not at all.",
    [
      ["traces, events", `${reports.length}, ${sum((report) => report.events)}`],
      ["acknowledged", sum((report) => report.acknowledged)],
      ["images", sum((report) => report.images)],
      ["images that lost anything acknowledged, durability fsync", sum((report) => report.wrongImages)],
      [
        "control: images that lost something, durability os (synchronous=NORMAL)",
        `${control.wrongImages} of ${control.images}`,
      ],
      ["of these losses, not reported to who presents a receipt", unreported.length],
      ["seed", seed],
    ],
  );
  assert.deepEqual(
    reports.flatMap((report) => report.examples),
    [],
  );
  assert.ok(control.wrongImages > 0);
  assert.deepEqual(unreported, []);
});
