import assert from "node:assert/strict";
import { test } from "node:test";
import { dialects } from "../../messages/dialects/registry.ts";
import { decode } from "../../messages/intake/decode.ts";
import { readDraft } from "../../messages/intake/drafts.ts";
import type { Department, Role } from "../../messages/role.ts";
import type { Reply } from "../../perform/operations/reply.ts";
import { testTeam } from "../../testing/test-team.ts";

const connection = () => ({ id: "d-1", authorRole: "lead", timestamp: "2026-01-01T00:00:00Z" });

test("the fields of every type's example are a draft of it, in every dialect", async () => {
  for (const dialect of dialects) {
    for (const { type, example, wire, senders } of dialect.definitions.values()) {
      if (wire !== "sent") continue;
      const { payload, handoff, schema_version: _, ...flat } = example;
      const fields = dialect.form === "structured" ? flat : (payload ?? handoff);
      const decoded = await decode(JSON.stringify({ ...(fields as object), type }));
      const reading = readDraft(decoded, [dialect], () => ({ ...connection(), authorRole: senders[0] ?? "lead" }));
      assert.equal(reading.outcome, "accepted", `${dialect.id}/${type}: ${JSON.stringify(reading.problems)}`);
    }
  }
});

const agents = [
  { agent: "lead-1", role: "lead", dialect: "yolo/2" },
  { agent: "dev-1", role: "dev", department: "backend", dialect: "yolo/2" },
  { agent: "senior-1", role: "senior", dialect: "yolo/1" },
  { agent: "tester-1", role: "tester", dialect: "yolo/1" },
] as const satisfies readonly { agent: string; role: Role; department?: Department; dialect: "yolo/1" | "yolo/2" }[];

function team(policy: "enforce" | "observe" = "enforce") {
  return testTeam({ dialects: ["yolo/2", "yolo/1", "bmad/1"], agents, policy });
}

function told(reply: Reply): readonly string[] {
  assert.equal(reply.outcome, "refused", JSON.stringify(reply));
  return reply.outcome === "refused" ? reply.problems.map(({ code, path }) => `${code} ${path}`) : [];
}

test("a draft gets its envelope, and the fields that follow from its task, sender and team", async () => {
  await using open = await team();
  const draft = { type: "execution_update", task: "2-1-T1", status: "partial", commit: "", files_modified: "a.ts" };
  const reply = await open.as("dev-1").send(JSON.stringify(draft), { draft: true });
  assert.ok(reply.outcome === "accepted", JSON.stringify(reply));
  const page = await open.as("lead-1").inbox();
  assert.ok(page.ok);
  const [delivery] = page.value.deliveries;
  const message = delivery?.message as { readonly [field: string]: unknown };
  assert.equal(message.author_role, "dev");
  assert.equal(message.phase, 2);
  assert.equal(message.task, "2-1-T1");
  const payload = message.payload as { readonly [field: string]: unknown };
  assert.deepEqual([payload.plan_id, payload.task_id, payload.files_modified], ["2-1", "2-1-T1", ["a.ts"]]);
  assert.deepEqual(
    reply.notes.filter(({ code }) => code === "lifted").map(({ path }) => path),
    ["$.plan_id"],
  );
});

test("a document's metadata and an escalation's levels are filled in", async () => {
  await using open = await team();
  const handoff = {
    type: "handoff",
    metadata: { target_agent: "dev-1" },
    context: {},
    instructions: { primary: "Build it" },
    dependencies: {},
  };
  const sent = await open.as("lead-1").send(JSON.stringify(handoff), { draft: true, to: ["dev-1"] });
  assert.equal(sent.outcome, "accepted", JSON.stringify(sent));
  const escalation = { type: "escalation", issue: "x", evidence: ["y"], recommendation: "z", severity: "minor" };
  const raised = await open.as("dev-1").send(JSON.stringify(escalation), { draft: true });
  assert.equal(raised.outcome, "accepted", JSON.stringify(raised));
});

test("every error is reported at once, at its place in the draft, under every policy", async () => {
  for (const policy of ["enforce", "observe"] as const) {
    await using open = await team(policy);
    const draft = { type: "execution_update", status: "partil", filez: ["a"], files_modified: [3, {}] };
    const reply = await open.as("dev-1").send(JSON.stringify(draft), { draft: true });
    assert.deepEqual(told(reply), [
      "missing-field $.plan_id",
      "missing-field $.task_id",
      "missing-field $.commit",
      "wrong-type $.files_modified[1]",
      "wrong-value $.status",
      "unknown-field $.filez",
    ]);
  }
});

test("what is no draft is refused and does not pass as prose", async () => {
  await using open = await team();
  const send = async (text: string) => told(await open.as("dev-1").send(text, { draft: true, to: ["lead-1"] }));
  assert.deepEqual(await send("Lunch?"), ["not-an-object $"]);
  assert.deepEqual(await send('{"type":"no_such"}'), ["unknown-type $.type"]);
  assert.deepEqual(await send('{"status":"partial"}'), ["missing-field $.type"]);
  const missing = [
    "missing-field $.plan_id",
    "missing-field $.task_id",
    "missing-field $.status",
    "missing-field $.commit",
  ];
  assert.deepEqual(await send('{"type":"execution_update","payload":{}}'), [...missing, "unknown-field $.payload"]);
});

test("a value at a wrong place is no missing field, and its problem says where it belongs", async () => {
  await using open = await team();
  const hints = async (draft: object) => {
    const reply = await open.as("dev-1").send(JSON.stringify(draft), { draft: true });
    assert.ok(reply.outcome === "refused", JSON.stringify(reply));
    return reply.problems.map(({ path, hint }) => `${path}: ${hint}`);
  };
  const update = { type: "execution_update", task: "1-1-T1", commit: "" };
  const payload = { status: "partial", file_modified: ["a.ts"], mood: "good", commit: "" };
  assert.deepEqual(await hints({ ...update, payload }), [
    "$.payload.status: it belongs at $.status: move it there",
    "$.payload.file_modified: it belongs at $.files_modified: move it there",
    "$.payload.mood: leave it out",
    "$.payload.commit: leave it out: $.commit is there already",
  ]);
  // The plan was filled in, so the one that was written is the one that is meant.
  assert.deepEqual(await hints({ ...update, status: "partial", body: { plan_id: "1-1", mood: "good" } }), [
    "$.body: put plan_id next to it, not into it",
  ]);
});

test("a role that may not send the type learns that before every field that is missing", async () => {
  await using open = await team();
  const send = async (agent: "dev-1" | "owner", draft: object) =>
    told(await open.as(agent).send(JSON.stringify(draft), { draft: true }));
  const plan = { type: "plan_contract", plan_id: "1-1", objective: "x", allowed_paths: ["src/"], must_haves: ["y"] };
  const expected = ["sender-not-authorised $.type", "missing-field $.tasks"];
  assert.deepEqual(await send("dev-1", plan), expected);
  assert.deepEqual((await send("owner", plan))[0], expected[0]);
  // A whole message that names another sender is asked about that first.
  const whole = { id: "w-1", type: "plan_contract", author_role: "lead", schema_version: "2.0", payload: {} };
  const reply = await open.as("dev-1").send(JSON.stringify(whole));
  assert.ok(!told(reply).includes("sender-not-authorised $.type"));
  // Who was asked to stop may answer, whatever its role is; that takes the request that a repaired answer names.
  assert.ok(!(await send("owner", { type: "shutdown_response" })).includes("sender-not-authorised $.type"));
});

test("a decision that refuses a draft names its field as the draft has it", async () => {
  await using open = await team();
  const draft = { type: "approval_response", request_id: "none", approved: true, reason: "fine" };
  assert.deepEqual(told(await open.as("lead-1").send(JSON.stringify(draft), { draft: true, to: ["dev-1"] })), [
    "unknown-request $.request_id",
  ]);
});

test("a draft that is sent again under its id is the same message", async () => {
  await using open = await team();
  const text = JSON.stringify({ type: "execution_update", task: "1-1-T1", status: "partial", commit: "" });
  const first = await open.as("dev-1").send(text, { draft: true, id: "d-1" });
  const again = await open.as("dev-1").send(text, { draft: true, id: "d-1" });
  assert.ok(first.outcome === "accepted" && again.outcome === "accepted");
  assert.deepEqual([again.receipt.seq, again.receipt.duplicate], [first.receipt.seq, true]);
});

test("a contract's draft declares its tasks with it: files, titles and what each waits for", async () => {
  await using open = await team();
  const lead = open.as("lead-1");
  const plan = {
    type: "plan_contract",
    plan_id: "3-1",
    objective: "Sign in",
    allowed_paths: ["src/"],
    must_haves: ["works"],
    tasks: [
      { task: "3-1-T1", title: "The form", files: ["src/form.ts"] },
      { task: "3-1-T2", files: ["src/api.ts"], depends_on: ["3-1-T1"] },
      { task: "3-1-T3", files: "none" },
      "3-1-T4",
    ],
  };
  const send = async (tasks: readonly unknown[], more: object = {}) =>
    await lead.send(JSON.stringify({ ...plan, tasks, ...more }), { draft: true });
  const sent = await send(plan.tasks);
  assert.equal(sent.outcome, "accepted", JSON.stringify(sent));
  const listed = async () => {
    const found = await lead.tasks({ plan: "3-1" });
    assert.ok(found.ok);
    return found.value.map(({ task, title, files, filesKind, dependsOn }) => [
      task,
      title,
      files,
      filesKind,
      dependsOn,
    ]);
  };
  assert.deepEqual(await listed(), [
    ["3-1-T1", "The form", ["src/form.ts"], "declared", []],
    ["3-1-T2", null, ["src/api.ts"], "declared", ["3-1-T1"]],
    ["3-1-T3", null, [], "none", []],
    ["3-1-T4", null, [], "unknown", []],
  ]);
  const page = await open.as("dev-1").inbox();
  const message = page.ok ? (page.value.deliveries.at(-1)?.message as ReturnType<typeof JSON.parse>) : null;
  assert.deepEqual(message.payload.tasks, ["3-1-T1", "3-1-T2", "3-1-T3", "3-1-T4"], "the document's own form");

  const again = await send([{ task: "3-1-T1", title: "The whole form" }, ...plan.tasks.slice(1)]);
  assert.equal(again.outcome, "accepted", JSON.stringify(again));
  assert.deepEqual((await listed())[0], ["3-1-T1", "The whole form", ["src/form.ts"], "declared", []]);

  const circle = [
    { task: "3-1-T1", depends_on: ["3-1-T2"] },
    { task: "3-1-T2", depends_on: ["3-1-T1"] },
  ];
  assert.deepEqual(told(await send(circle)), ['dependency-cycle $.task_details["3-1-T1"].depends_on']);
  const details = (task_details: unknown) => send(["3-1-T1"], { task_details });
  assert.deepEqual(told(await details({ "3-1-T9": {} })), ['wrong-value $.task_details["3-1-T9"]']);
  assert.deepEqual(told(await details({ "3-1-T1": { files: ["none"] } })), [
    'wrong-value $.task_details["3-1-T1"].files',
  ]);
  assert.deepEqual(told(await details({ "3-1-T1": { files: 7, colour: "red" } })), [
    'wrong-type $.task_details["3-1-T1"].files',
    'unknown-field $.task_details["3-1-T1"].colour',
  ]);
  assert.deepEqual(told(await details({ "3-1-T1": { files: ["../x"] } })).length, 1);
  const text = { description: "Why", criteria: ["It is there"], checks: ["npm test"], priority: "high", labels: ["x"] };
  assert.equal((await details({ "3-1-T1": text })).outcome, "accepted");
  const story = await open.as("dev-1").task({ task: "3-1-T1" });
  assert.ok(story.ok);
  const { description, criteria, checks, task } = story.value;
  assert.deepEqual({ description, criteria, checks, priority: task.priority, labels: task.labels }, text);
  assert.deepEqual(
    told(await details({ "3-1-T1": { priority: "soon", criteria: "x", description: "a\u0007" } })).toSorted(),
    [
      'wrong-format $.task_details["3-1-T1"].description',
      'wrong-type $.task_details["3-1-T1"].criteria',
      'wrong-type $.task_details["3-1-T1"].priority',
    ],
  );
  assert.deepEqual(told(await send([{ task: "3-1-T1" }, { name: "x" }])), ["wrong-type $.tasks[1]"]);
});
