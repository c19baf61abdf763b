/** No message that a document allows is refused in a team for which the document defines it, whatever was said before. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type TableDialect, table } from "../authority/table.ts";
import { chosenSeed } from "../crash/seed.ts";
import { type Surprise, surprisesOf } from "./any-sequence.ts";
import type { Cast } from "./play.ts";

const teams: readonly (readonly [readonly [TableDialect, ...TableDialect[]], Cast])[] = [
  [["vbw/1"], { lead: "lead", dev: "dev" }],
  [["vbw/1"], { lead: "lead", scout: "scout", dev: "dev", qa: "qa", debugger: "debugger" }],
  [["vbw/2"], { lead: "lead" }],
  [["vbw/2"], { lead: "lead", dev: "dev" }],
  [["vbw/2"], { lead: "lead", architect: "architect", dev: "dev", qa: "qa", scout: "scout", docs: "docs" }],
  [["vbw/1", "vbw/2"], { lead: "lead", dev: "dev", scout: "scout", qa: "qa", debugger: "debugger" }],
  [["yolo/2"], { lead: "lead", dev: "dev" }],
  [["yolo/2"], { lead: "lead", architect: "architect", dev: "dev", docs: "docs", debugger: "debugger" }],
  [["yolo/1"], { lead: "lead" }],
  [["yolo/1"], { dev: "dev", tester: "tester", qa: "qa-lead", security: "security" }],
  [["yolo/1"], { lead: "lead", dev: "dev", tester: "tester" }],
  [
    ["yolo/1"],
    { lead: "lead", architect: "architect", senior: "senior", "dev-1": "dev", "dev-2": "dev", critic: "critic" },
  ],
  [
    ["yolo/1"],
    { "lead-b": "lead@backend", "dev-b": "dev@backend", "lead-f": "lead@frontend", "dev-f": "dev@frontend" },
  ],
  [
    ["yolo/1"],
    { boss: "owner@owner", back: "lead@backend", dev: "dev@backend", front: "lead@frontend", ux: "lead@uiux" },
  ],
  [["yolo/1", "yolo/2"], { lead: "lead", senior: "senior", dev: "dev", docs: "docs" }],
  [["bmad/1"], { sm: "lead", dev: "dev", qa: "qa" }],
];

/** What a document or the declared rule of the requirements keeps out: whose it is, by type. */
const documented: readonly (readonly [types: string, code: string])[] = [
  // The lead detects overlaps of claimed files, and a task is claimed by one.
  ["task_claim", "task-held claim-overlap task-done"],
  // A plan that depends on another, or waits for its approval, begins after it.
  ["task_claim", "task-blocked"],
  ["task_complete execution_update dev_progress", "not-holder"],
  // A contract defines the scope; what is outside is asked for.
  ["task_claim task_complete execution_update code_review_changes", "outside-contract"],
  // An override is the person's alone, and so is what came up to the user.
  ["approval_response escalation_resolution", "human-required"],
  // A decision comes down from who may decide, never from who asked.
  ["escalation_resolution", "own-request sender-not-authorised receiver-not-authorised"],
  // The owner ships after all departments have passed; who has reported stays in the phase.
  ["owner_signoff", "not-ready"],
  ["owner_review", "human-required"],
];

function isDocumented({ type, code }: Surprise): boolean {
  return documented.some(([types, codes]) => types.split(" ").includes(type) && codes.split(" ").includes(code));
}

const seed = chosenSeed(2_026);

for (const [index, [dialects, cast]] of teams.entries()) {
  test(`${dialects.join(" and ")} in a team of ${Object.values(cast).join(", ")}: what a document allows is taken (seed ${seed})`, async () => {
    for (let round = 0; round < 4; round++) {
      const found = await surprisesOf(dialects, cast, { seed: seed + index * 100 + round, steps: 40 });
      const [first] = found.filter((each) => !isDocumented(each));
      assert.equal(first, undefined, `${first?.type} ${first?.code}\n${first?.says}`);
    }
  });
}

test("what a document does not allow, or sends to others, is found", async () => {
  const rows = { ...table, "vbw/1": [["qa_result", "dev", "lead"]] } as const;
  const [refused] = await surprisesOf(["vbw/1"], { lead: "lead", dev: "dev" }, { seed, steps: 10, rows });
  assert.equal(refused?.code, "sender-not-authorised");
  const wide = { ...table, "vbw/1": [["dev_progress", "dev", "lead qa"]] } as const;
  const cast = { lead: "lead", dev: "dev", qa: "qa" };
  const [others] = await surprisesOf(["vbw/1"], cast, { seed, steps: 10, rows: wide });
  assert.equal(others?.code, "others");
});
