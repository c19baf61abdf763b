/** Prose between departments. Rule: docs/protocol/messages.md, section 14. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { testTeam } from "../../testing/test-team.ts";

const agents = [
  { agent: "back-lead", role: "lead", department: "backend" },
  { agent: "back-dev", role: "dev", department: "backend" },
  { agent: "ui-lead", role: "lead", department: "uiux" },
  { agent: "ui-dev", role: "dev", department: "uiux" },
  { agent: "scout-1", role: "scout" },
] as const;

/** who writes, to whom, who of them is noted as behind a wall */
const cases: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ["back-dev", ["ui-dev"], ["ui-dev"]],
  ["back-dev", ["ui-lead", "back-lead"], ["ui-lead"]],
  ["back-lead", ["ui-lead"], ["ui-lead"]],
  ["back-dev", ["back-lead"], []],
  ["scout-1", ["back-lead", "ui-dev"], ["ui-dev"]],
  ["back-dev", ["owner"], []],
  ["owner", ["ui-dev", "back-dev"], []],
];

for (const [sender, to, noted] of cases) {
  test(`prose from ${sender} to ${to.join(", ")} is delivered, with a note for ${noted.join(", ") || "nobody"}`, async () => {
    await using team = await testTeam({ dialects: ["yolo/1"], agents });
    const reply = await team.as(sender).send("Which colour?", { to });
    assert.ok(reply.outcome === "accepted", JSON.stringify(reply));
    const walls = reply.notes.filter(({ code }) => code === "across-departments");
    assert.deepEqual(
      walls.map(({ path }) => path),
      noted,
    );
    for (const agent of noted) {
      const page = await team.as(agent).inbox();
      assert.deepEqual(page.ok && page.value.deliveries.at(-1)?.notes.map(({ code }) => code), ["across-departments"]);
    }
  });
}

test("with one department, or in a dialect that knows none, there is no note", async () => {
  for (const [dialect, members] of [
    ["yolo/1", agents.slice(0, 2)],
    ["vbw/2", agents.filter(({ role }) => role !== "scout")],
  ] as const) {
    await using team = await testTeam({ dialects: [dialect], agents: members });
    const reply = await team
      .as("back-dev")
      .send("Which colour?", { to: [members.at(-1)?.agent === "back-dev" ? "back-lead" : "ui-dev"] });
    assert.ok(reply.outcome === "accepted");
    assert.deepEqual(reply.notes, []);
  }
});
