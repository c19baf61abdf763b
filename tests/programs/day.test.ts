/**
 * One day of a team of the three programs: each day is the same, to the entry. `BATON_TEST_DAYS=20` plays twenty, and a
 * control in which one program is not set up; `record` keeps their results.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { record } from "../long/record.ts";
import { type Day, playDay } from "./day.ts";
import { needs } from "./installed.ts";

const days = Number(process.env.BATON_TEST_DAYS ?? 1);

const begins = "begin-program to [] began a program that speaks for it";
const denied = "edit-files to [] refused: dev-1 holds src/cart.js, so it was not written.";
const stops = "shutdown_response to [lead-1] agrees to stop: complete";

const expected: Day = {
  record: {
    baton: [
      "record-verdict to [dev-2, lead-1] found 1-1-T2 disputed",
      "record-verdict to [] found 1-1-T2 verified",
      "record-verdict to [] found 1-1-T1 verified",
      "inspect-shutdown to [] looked for uncommitted files after the shutdown stop-1",
    ],
    "dev-1": [begins, "claim-task to [] claimed 1-1-T1", "execution_update to [lead-1] 1-1-T1: complete", stops],
    "dev-2": [
      begins,
      denied,
      "claim-task to [] claimed 1-1-T2",
      "execution_update to [lead-1] 1-1-T2: complete",
      "claim-task to [] claimed 1-1-T2",
      "execution_update to [lead-1] 1-1-T2: complete",
      "end-program to [] ended its program",
      begins,
      stops,
    ],
    "helper-1": [
      "register-agent to [] registered helper-1 as dev",
      denied,
      "take-files to [] began to edit src/notes.js",
      "prose to [dev-2] The notes are there.",
      stops,
    ],
    "lead-1": [
      begins,
      "plan_contract to [dev-1, dev-2] 1-1-T1: A cart with taxes",
      "prose to [dev-1] Please finish the cart.",
      "shutdown_request to [dev-1, dev-2, helper-1] asks to stop: phase complete",
    ],
    owner: ["team to [] recorded team revision 1"],
  },
  read: {
    "dev-2 was denied the file of dev-1": true,
    "helper-1 was denied the file of dev-1": true,
    "dev-2 read in its next request that its report is disputed": true,
    "lead-1 was woken and read so": true,
    "dev-1 was woken with the words of lead-1": true,
  },
  certificate: ["stop-1 complete", "dev-1 clean", "dev-2 clean", "helper-1 clean"],
  commits: ["dev-1 src/cart.js", "helper-1 src/notes.js", "dev-2 src/tax.js"],
};

test(
  "Claude Code leads, Codex and Gemini develop: from the plan to the certificate every day is the same",
  needs("claude-code", "codex", "gemini"),
  async () => {
    const played: Day[] = [];
    for (let day = 0; day < days; day++) played.push(await playDay());
    if (days > 1) {
      const control = await playDay({ without: "gemini" });
      const differing = played.filter((day) => JSON.stringify(day) !== JSON.stringify(expected)).length;
      record(
        "programs",
        "Claude Code leads, Codex (in its daemon) and Gemini CLI develop in one repository, each with a scripted model: plan, claims, an " +
          "edit of a held file, a report that is a lie, a teammate that nobody registered, an idle developer, shutdown. What each agent " +
          "did, what the models read, the certificate and the commits are compared.",
        [
          ["days", days],
          ["days that differ from the first in anything", differing],
          [
            "control: a day in which Gemini CLI is not set up differs",
            control.certificate.join() === expected.certificate.join() ? "no" : "yes",
          ],
        ],
      );
      assert.notDeepEqual(control, expected);
    }
    for (const day of played) assert.deepEqual(day, expected);
  },
);
