import assert from "node:assert/strict";
import { test } from "node:test";
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { testTeam } from "../../testing/test-team.ts";
import { dialectOf } from "../dialects/registry.ts";
import type { DialectId } from "../message.ts";
import { translate } from "./drafts.ts";

const done = {
  type: "task_complete",
  task_id: "T3",
  plan_id: "03-01",
  commit: "abc1234",
  files_modified: ["src/a.ts"],
  status: "complete",
  deviations: ["One more file"],
};

for (const [target, type, inside] of [
  ["vbw/2", "execution_update", "payload"],
  ["yolo/2", "execution_update", "payload"],
  ["vbw/2.1", "execution_update", "payload"],
  ["vbw/1", "dev_progress", null],
] as const satisfies readonly (readonly [DialectId, string, string | null])[]) {
  test(`a task_complete of yolo/1 is ${type} for a reader of ${target}`, () => {
    const [source, reader] = [dialectOf("yolo/1"), dialectOf(target)];
    const read = source?.read(done);
    assert.ok(source && reader && read?.answer === "accepted");
    const given = { authorRole: "dev", timestamp: "2026-02-12T10:00:00Z" };
    const { fact } = read;
    const written = translate({ dialect: "yolo/1", type: done.type, fact, wire: done }, reader, { id: "m-1", given });
    assert.deepEqual([written.dialect, written.type], [target, type]);
    assert.ok(isJsonObject(written.message));
    assert.equal(reader.accepts(written.message), true);
    const fields = (inside === null ? written.message : written.message[inside]) as JsonObject;
    const { plan_id: plan, status, commit, files_modified: files, deviations } = fields;
    assert.deepEqual([plan, status, commit], ["03-01", "complete", "abc1234"]);
    assert.deepEqual([files, deviations], [["src/a.ts"], ["One more file"]]);
  });
}

test("it stays unchanged for a reader of its dialect, and is delivered translated to a lead of another", async () => {
  await using team = await testTeam({
    dialects: ["yolo/1", "vbw/2"],
    agents: [
      { agent: "lead-1", role: "lead", dialect: "vbw/2" },
      { agent: "lead-2", role: "lead", dialect: "yolo/1" },
      { agent: "dev-1", role: "dev", dialect: "yolo/1" },
    ],
  });
  assert.equal((await team.as("dev-1").send(JSON.stringify(done), { id: "done-1" })).outcome, "accepted");
  const typeFor = async (agent: string) => {
    const page = await team.as(agent).inbox();
    return page.ok ? page.value.deliveries.at(-1)?.type : null;
  };
  assert.deepEqual([await typeFor("lead-1"), await typeFor("lead-2")], ["execution_update", "task_complete"]);
});
