/** The guide for leading a team: its lines are run as they are, and do what its sentences promise. */
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { folder } from "./command.ts";
import { runGuide } from "./guide-lines.ts";

/** What a block of the guide prints, found by one of its lines. */
const promises: readonly (readonly [string, readonly RegExp[]])[] = [
  ["baton init", [/^Wrote \.baton\/team\.yaml for team shop/m, /^dev-2 +dev +vbw\/2 +not seen yet/m]],
  ["baton task add 1-1-T3", [/^note: Outside the contract .*docs\/cart\.md.*\(outside-contract at files\)$/m]],
  ["baton task claim 1-1-T1", [/^Claimed: 1-1-T1, token \d+/m, /^Sent: entry \d+, id blocker-1, to lead-1/m]],
  [
    "baton status --as lead-1",
    [
      /^tasks: 1 blocked, 2 claimed$/m,
      /^ {2}approval +ask-1/m,
      /^ +baton approve ask-1 --paths docs\/cart\.md --as lead-1$/m,
      /^ {2}escalation +ESC-01-01-T2/m,
      /^ +baton escalation resolve ESC-01-01-T2 --decision TEXT --as lead-1$/m,
      /^ {2}blocked +1-1-T3/m,
    ],
  ],
  ["baton needs", [/^1 matter needs you$/m, /^ +baton approve ask-1 --paths docs\/cart\.md$/m]],
  ["baton inbox --as lead-1", [/^#11 approval_request from dev-1/m, /^Acknowledged up to 12/m]],
  ["baton approve", [/plan 1-1 allows docs\/cart\.md \(revision 2\)/m, /^Approved: ask-1/m, /^Decided: ESC-01-01-T2/m]],
  ["baton contract show --path docs/cart.md", [/^inside +docs\/cart\.md {2}\(plan 1-1: allowed docs\/cart\.md\)$/m]],
  ["--new-session", [/^available +1-1-T2/m, /^1 developer advised$/m, /^Claimed: 1-1-T2/m]],
  ["baton summary 1-1", [/^plan 1-1 {2}complete, 3 of 3 tasks/m, /^ {2}commits +abc1234, abc1235, abc1236$/m]],
  ["baton stop", [/^Shutdown stop-1 started: 2 asked/m, /^ {2}dev-1 +stopped, and left behind +2 unread messages$/m]],
  ["baton journal verify", [/^sound$/m]],
];

test("the lines of the guide for leads do what it says, from the first agent to the certificate", async () => {
  const place = folder();
  // What an interrupted `git init` or another program leaves is no repository: work counts as done when it is reported.
  mkdirSync(join(place, ".git"));
  const blocks = await runGuide("leading", place);
  assert.equal(blocks.length, promises.length);
  for (const [line, patterns] of promises) {
    const block = blocks.find(({ lines }) => lines.includes(line)) ?? assert.fail(line);
    for (const pattern of patterns) assert.match(block.printed, pattern, line);
  }
});
