/** Reading the record with filters: who it concerns, which task, which kinds; and what one entry shows. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type TestTeam, testTeam } from "../../testing/test-team.ts";
import type { LogOptions } from "../view/log-line.ts";

const agents = [
  { agent: "lead-1", role: "lead" },
  { agent: "dev-1", role: "dev" },
  { agent: "lead-2", role: "lead" },
] as const;

/** A team whose record is: 1 the team, 2 and 3 reports of two tasks, 4 a refusal, 5 an acknowledgement. */
async function recorded(): Promise<TestTeam> {
  const team = await testTeam({ agents });
  const dev = team.as("dev-1");
  await dev.send(report("report-1", "1-1-T1"), { to: ["lead-1"] });
  await dev.send(report("report-2", "1-1-T2"), { to: ["lead-2", "lead-1"] });
  await dev.send(report("report-3", "1-1-T2", "partal"), { to: ["lead-1"] });
  await team.as("lead-1").acknowledge(2);
  return team;
}

function request(id: string): string {
  const envelope = { phase: 1, timestamp: "2026-02-12T10:00:00Z", schema_version: "2.0", confidence: "high" };
  const payload = { subject: "May I", request_type: "scope_change", evidence: "It is needed." };
  return JSON.stringify({ id, type: "approval_request", task: "1-1-T1", author_role: "dev", ...envelope, payload });
}

function report(id: string, task: string, status = "partial"): string {
  const envelope = { phase: 1, timestamp: "2026-02-12T10:00:00Z", schema_version: "2.0", confidence: "high" };
  const payload = { plan_id: "1-1", task_id: task, status, commit: "abc1234" };
  return JSON.stringify({ id, type: "execution_update", task, author_role: "dev", ...envelope, payload });
}

const cases: readonly (readonly [string, LogOptions, readonly number[]])[] = [
  ["an agent's entries are those it sent and those it was sent", { agent: "lead-1" }, [2, 3, 5]],
  ["a receiver's entries are those it was sent", { agent: "lead-2" }, [3]],
  ["a task's entries are the messages that say so, refused ones too", { task: "1-1-T2" }, [3, 4]],
  ["a task is named whole", { task: "1-1" }, []],
  ["a task is named in any spelling, or by its number alone", { task: "01-01/task-2" }, [3, 4]],
  ["its number is enough", { task: "T2" }, [3, 4]],
  ["kinds are chosen one by one", { kinds: ["refusal", "ack"] }, [4, 5]],
  ["no kind is no entry", { kinds: [] }, []],
  ["what was said is messages and agents' refusals", { view: "messages" }, [2, 3, 4]],
  ["refusals are agents' refusals", { view: "refusals" }, [4]],
  ["filters combine", { agent: "dev-1", kinds: ["message"], task: "1-1-T1" }, [2]],
];

test("a task's entries include the operations on it that were refused", async () => {
  await using team = await recorded();
  const dev = team.as("dev-1");
  assert.equal((await dev.claim({ task: "1-1-T2" })).outcome, "refused");
  const text = '"1-1-T2" '.repeat(200);
  assert.equal((await dev.complete({ task: "1-1-T2", commit: "abc1234", evidence: text })).outcome, "refused");
  const lines = [];
  for await (const line of team.as("owner").log({ after: 5, task: "1-1-T2", kinds: ["refusal"] })) {
    assert.ok(line.ok);
    lines.push([line.value.type, line.value.task]);
  }
  assert.deepEqual(lines, [
    ["claim-task", "1-1-T2"],
    ["complete-task", "1-1-T2"],
  ]);
});

test("a task's entries are those of its plan's, also claims and reports that name it by the document's own fields", async () => {
  await using team = await testTeam({ agents, dialects: ["yolo/1"] });
  const said = { task_id: "tests", files: ["a.ts"], claimed_at: "2026-02-12T10:00:00Z" };
  for (const plan_id of ["01-01", "01-02"])
    await team.as("dev-1").send(JSON.stringify({ type: "task_claim", ...said, plan_id, files: [`${plan_id}.ts`] }));
  const done = { commit: "abc1234", files_modified: ["01-01.ts"], status: "complete", deviations: [] };
  await team.as("dev-1").send(JSON.stringify({ type: "task_complete", task_id: "tests", plan_id: "01-01", ...done }));
  const seqs = async (task: string) => {
    const page = await team.as("owner").logPage({ task, count: true });
    assert.ok(page.ok);
    return page.value.entries.map(({ seq, task: named }) => [seq, named]);
  };
  assert.deepEqual(
    await seqs("01-01/tests"),
    [2, 4].map((seq) => [seq, "tests"]),
  );
  assert.deepEqual(await seqs("1-2/tests"), [[3, "tests"]]);
  assert.equal((await seqs("tests")).length, 3);
  const found = await team.as("owner").tasks({ task: "01-02/tests" });
  assert.deepEqual(found.ok && found.value.map(({ plan }) => plan), ["01-02"]);
});

test("a message that its sender may not send is among the entries of its task", async () => {
  await using team = await recorded();
  const dev = team.as("dev-1");
  const asked = await dev.send(request("ask-1").replace("approval_request", "approval_response"), { to: ["lead-1"] });
  const verdict = { plan_id: "1-1", task: "1-1-T9", status: "PASS" };
  const flat = await dev.send(JSON.stringify({ type: "qa_verdict", ...verdict }), { to: ["lead-1"] });
  assert.deepEqual([asked.outcome, flat.outcome], ["refused", "refused"]);
  const types = async (task: string) => {
    const page = await team.as("owner").logPage({ task, kinds: ["refusal"] });
    assert.ok(page.ok);
    return page.value.entries.map(({ type }) => type);
  };
  assert.deepEqual(await types("1-1-T1"), ["approval_response"]);
  assert.deepEqual(await types("1-1-T9"), ["qa_verdict"]);
});

for (const [sentence, options, expected] of cases) {
  test(sentence, async () => {
    await using team = await recorded();
    const seqs: number[] = [];
    for await (const line of team.as("owner").log(options)) {
      assert.ok(line.ok);
      seqs.push(line.value.seq);
    }
    assert.deepEqual(seqs, expected);
  });
}

test("the owner's answer is part of what was said, the owner's slip and the owner's other acts are not", async () => {
  await using team = await recorded();
  const owner = team.as("owner");
  await team.as("dev-1").send(request("ask-1"), { to: ["lead-1"] });
  await owner.register({ agent: "dev-2", role: "dev" });
  await owner.answer({ request: "ask-2", approved: true, reason: "yes" });
  await owner.answer({ request: "ask-1", approved: true, reason: "yes" });
  const seen: string[] = [];
  for await (const line of owner.log({ after: 5, view: "messages" })) {
    assert.ok(line.ok);
    seen.push(`${line.value.kind} ${line.value.sender}: ${line.value.summary}`);
  }
  assert.deepEqual(seen, ["message dev-1: 1-1-T1: May I", "command owner: 1-1-T1: approved ask-1: yes"]);
});

test("a line names its task and kind, and an entry shown the durability of its journal", async () => {
  await using team = await recorded();
  const message = await team.as("owner").show("3");
  const refusal = await team.as("owner").show("4");
  assert.ok(message.ok && refusal.ok);
  assert.equal(message.value.task, "1-1-T2");
  assert.equal(message.value.durability, "memory");
  assert.equal(message.value.fact, "progress");
  assert.equal(refusal.value.task, "1-1-T2");
  assert.equal(refusal.value.fact, null);
});
