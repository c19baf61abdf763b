/** Ids of tasks, plans and documents where they come in. Rule: docs/protocol/messages.md, section 3. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { typedMessage } from "../../testing/fixtures.ts";
import { testTeam } from "../../testing/test-team.ts";
import { dialectOf, dialects } from "../dialects/registry.ts";
import { workIdFields } from "./id-check.ts";
import { readMessage } from "./read-message.ts";

const allowed = [
  "03-01/task-3",
  "01-01/T3",
  "1-1-T3",
  "T3",
  "phase-1-plan-1",
  "debug-hyp-1",
  "v1.2/T1",
  "Task 3 (docs)",
  "#12",
  "a:b@c+d_e",
  "Gr\u00f6\u00dfe-1",
  "\u4efb\u52a1-1",
  "...",
];

const refused = [
  "../x",
  "a/../b",
  "a/./b",
  "/etc/x",
  "a//b",
  "a/",
  "..",
  "<b>T1</b>",
  "a\\b",
  "T1\u202e",
  "T\u200b1",
  "T\u00ad1",
  "\u3164",
  "T1\n",
  "T1\u001b[2J",
  "T1\u2028",
  "Gro\u0308\u00dfe",
];

const report = (task: string) => typedMessage("execution_update", { status: "partial", task_id: task });

for (const id of allowed) {
  test(`${JSON.stringify(id)} can be the id of a task, by message and by command`, async () => {
    assert.equal(readMessage(JSON.stringify(report(id))).outcome, "accepted");
    await using team = await testTeam({ agents: [{ agent: "lead-1", role: "lead" }] });
    assert.equal((await team.as("lead-1").addTask({ task: id })).outcome, "accepted");
  });
}

for (const id of refused) {
  test(`${JSON.stringify(id)} cannot be the id of a task or a plan, by message or by command`, async () => {
    const yolo = dialectOf("yolo/1")?.definitions.get("task_claim")?.example;
    const plan = typedMessage("plan_contract", { tasks: ["1-1-T1", id], plan_id: id, depends_on: [id] });
    for (const [message, paths] of [
      [report(id), ["$.payload.task_id"]],
      [{ ...report("T1"), task: id }, ["$.task"]],
      [plan, ["$.payload.plan_id", "$.payload.tasks[1]", "$.payload.depends_on[0]"]],
      [{ ...yolo, task_id: id }, ["$.task_id"]],
      [{ type: "task_completed", taskId: id, taskSubject: "x" }, ["$.taskId", "$.taskId"]],
    ] as const) {
      const reading = readMessage(JSON.stringify(message));
      assert.equal(reading.outcome, "invalid");
      assert.deepEqual(new Set(reading.problems.map(({ code }) => code)), new Set(["invalid-id"]));
      assert.deepEqual(new Set(reading.problems.map(({ path }) => path)), new Set(paths));
      assert.ok(reading.problems.every(({ hint }) => hint !== undefined));
    }
    await using team = await testTeam({ agents: [{ agent: "lead-1", role: "lead" }] });
    const lead = team.as("lead-1");
    for (const task of [{ task: id }, { task: "T1", plan: id }, { task: "T1", dependsOn: [id] }]) {
      const reply = await lead.addTask(task);
      assert.ok(reply.outcome === "refused", JSON.stringify(task));
      assert.equal(reply.problems[0]?.code, "invalid-id");
    }
  });
}

/** the document's id, whether it is taken */
const documents: readonly (readonly [id: string, outcome: "accepted" | "refused"])[] = [
  ["handoff-2-1", "accepted"],
  ["Handoff 3: \u00dcbergabe (Entwurf)", "accepted"],
  ["x".repeat(300), "accepted"],
  ["handoff\u202e", "refused"],
  ["<script>", "refused"],
];

for (const [id, outcome] of documents) {
  test(`a handoff document with the id ${JSON.stringify(id.slice(0, 40))} is ${outcome}, and once`, async () => {
    await using team = await testTeam({
      dialects: ["bmad/1"],
      agents: [
        { agent: "qa-1", role: "qa" },
        { agent: "dev-1", role: "dev" },
      ],
    });
    const document = {
      handoff: {
        metadata: { id, source_agent: "dev", target_agent: "qa", timestamp: "2026-02-12T10:00:00Z" },
        context: {},
        instructions: { primary: "Check it" },
        dependencies: {},
      },
    };
    const text = JSON.stringify(document);
    const reply = await team.as("dev-1").send(text, { to: ["qa-1"] });
    assert.equal(reply.outcome, outcome, JSON.stringify(reply));
    if (reply.outcome !== "accepted") return;
    const again = await team.as("dev-1").send(text, { to: ["qa-1"] });
    assert.ok(again.outcome === "accepted" && again.receipt.duplicate);
    const other = JSON.stringify({ handoff: { ...document.handoff, instructions: { primary: "Build it" } } });
    const changed = await team.as("dev-1").send(other, { to: ["qa-1"] });
    assert.equal(changed.outcome === "refused" && changed.problems[0]?.code, "id-conflict");
    const handoffs = await team.as("qa-1").handoffs();
    assert.ok(handoffs.ok);
    assert.deepEqual(
      handoffs.value.map((each) => each.id),
      [id],
    );
  });
}

test("every field of a definition that names tasks or plans is looked at", () => {
  const names = ["taskId", "planId", "phaseId", "tasks", "dependsOn"];
  let found = 0;
  for (const { definitions } of dialects) {
    for (const { kind, fields } of definitions.values()) {
      for (const { neutral } of fields.filter((field) => names.includes(field.neutral))) {
        assert.ok(workIdFields(kind).includes(neutral), `${kind} ${neutral}`);
        found++;
      }
    }
  }
  assert.ok(found > 20);
  assert.deepEqual(workIdFields("own:review_note"), names, "a team's own type may have any of them");
});
