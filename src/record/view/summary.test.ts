/** The lines that people read at every door: acts and team events are sentences, whatever the entry holds inside. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { makeProblem } from "../../base/problem.ts";
import { prose } from "../../perform/prose.ts";
import { testTeam } from "../../testing/test-team.ts";
import { summaryOf } from "./summary.ts";

test("operations of the owner and of agents are shown as sentences", async () => {
  await using team = await testTeam({ agents: [{ agent: "lead-1", role: "lead" }] });
  const owner = team.as("owner");
  await owner.register({ agent: "dev-1", role: "dev", department: "backend" });
  await owner.register({ agent: "dev-1", role: "dev", department: "backend" }, { id: "again" });
  await owner.issueToken({ agent: "dev-1" });
  await team.as("dev-1").send("Hello\nthere", { to: ["lead-1"] });
  await team.as("lead-1").acknowledge(5);
  await owner.retire({ agent: "dev-1", reason: "its work is done" });
  const said: string[] = [];
  for await (const line of owner.log()) {
    assert.ok(line.ok);
    said.push(line.value.summary);
  }
  assert.deepEqual(said, [
    "recorded team revision 1",
    "registered dev-1 as dev in backend",
    "registered dev-1 as dev in backend (it was so already)",
    "created a token for dev-1",
    "Hello",
    "acknowledged up to 5",
    "retired dev-1: its work is done",
  ]);
});

const taken = makeProblem("claim-overlap", "$.payload.files_modified", "dev-1 holds src/a.ts.");
const expired = { event: "approval-expired", key: "dev-1/ask-1", atMs: 0 } as const;

test("contents without a message, and those of a later Baton, are shown too", () => {
  const cases: readonly (readonly [Parameters<typeof summaryOf>[0], string])[] = [
    [{ command: { name: "close-phase", phase: "2" } }, "close phase 2"],
    [{ command: { name: "claim-task", task: "T1" }, message: prose(["What is told of it"]) }, "claimed T1"],
    [{ message: prose(["What is told", "of a deadline"]), events: [expired] }, "What is told"],
    [{ message: prose(["What passed"]), effect: false }, "without effect: What passed"],
    [{ events: [expired] }, "the deadline of request dev-1/ask-1 passed"],
    [{ reason: "the disk was changed" }, "the disk was changed"],
    [{ problems: [taken] }, "refused: dev-1 holds src/a.ts."],
    [
      { problems: [makeProblem("wrong-value", "$.payload.status", "$.payload.status must be one of a | b.")] },
      "refused: status must be one of a | b.",
    ],
    [{ problems: [taken, taken, taken] }, "refused: dev-1 holds src/a.ts. (and 2 more)"],
  ];
  for (const [content, expected] of cases) assert.equal(summaryOf(content), expected);
});
