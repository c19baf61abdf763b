/** The first two guides: their lines run as they are, from `baton start` to `baton stop`, and do what they promise. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { runTour } from "./guide-tour.ts";

const promises: Readonly<Record<string, readonly RegExp[]>> = {
  "five-minutes": [
    /^Team shop: lead .*, dev-1 .*, dev-2 /m,
    /^Added 2 tasks/m,
    /^Claimed: 1, token \d+/m,
    /dev-1 holds src\/cart\.js for 1\./,
    /^Disputed: the repository contradicts the report/m,
    /^Verified: the repository confirms 1 /m,
    /Merge 1: Totals carry tax \(dev-1\)$/m,
    /^Claimed: 2, token \d+[\s\S]*^export const total = \(sum\) => sum \* 1\.2;$/m,
    /^Nothing needs you\.$/m,
    /^http:\/\/127\.0\.0\.1:\d+\/#code=/m,
    /^landed +1$[\s\S]*^open +2 \(dev-2\)$[\s\S]*^The hub at \S+ has ended/m,
    /^sound$/m,
  ],
  leading: [
    /^2 developers advised$/m,
    /^Claimed: 1-1-T1, [\s\S]*^Claimed: 1-1-T3, /m,
    /^ESC-01-01-T3 .*waits at lead[\s\S]*^ {2}held up +dev-2 on /m,
    /^Decided: ESC-01-01-T3/m,
    /^Verified: the repository confirms 1-1-T1 [\s\S]*^export const total = \(sum\) => sum \* 1\.2;$/m,
    /^landed +1-1-T1$\n^open +1-1-T2, 1-1-T3 \(dev-1\)$[\s\S]*^Team shop: lead [\s\S]*^open +1-1-T2, 1-1-T3 \(dev-1\)$/m,
    /^sound$/m,
  ],
};

for (const [guide, patterns] of Object.entries(promises)) {
  test(`the lines of the guide "${guide}" run to their end and do what it says`, () => {
    const { said } = runTour(guide);
    for (const pattern of patterns) assert.match(said, pattern, said);
  });
}
