import assert from "node:assert/strict";
import { test } from "node:test";
import { isJsonObject, type Json } from "../base/json.ts";
import type { OwnMessage } from "../messages/message.ts";
import { typedMessage } from "../testing/fixtures.ts";
import { type TestTeam, testTeam } from "../testing/test-team.ts";
import type { Reply } from "./operations/reply.ts";

const risk: OwnMessage = {
  type: "risk_report",
  summary: "Names a risk.",
  senders: ["dev", "docs"],
  receivers: ["lead"],
  schema: {
    type: "object",
    required: ["risk", "level"],
    properties: {
      risk: { type: "string", minLength: 1 },
      level: { enum: ["low", "high"] },
      open_since: { type: "string", format: "date-time" },
      places: { type: "array", items: { $ref: "#/$defs/place" } },
    },
    $defs: { place: { type: "object", required: ["file"], properties: { file: { type: "string" } } } },
  },
  example: { risk: "The disk is nearly full", level: "high" },
};

function greeters(policy: "enforce" | "observe" = "enforce"): Promise<TestTeam> {
  return testTeam({
    policy,
    dialects: ["vbw/2", "yolo/2", "vbw/1"],
    messages: [risk],
    agents: [
      { agent: "lead-1", role: "lead" },
      { agent: "lead-2", role: "lead", dialect: "yolo/2" },
      { agent: "lead-3", role: "lead", dialect: "vbw/1" },
      { agent: "dev-1", role: "dev" },
      { agent: "docs-1", role: "docs" },
      { agent: "qa-1", role: "qa" },
    ],
  });
}

function report(
  payload: { readonly [key: string]: Json } = {},
  envelope: { readonly [key: string]: Json } = {},
): string {
  const whole = { risk: "The disk is nearly full", level: "high", ...payload };
  return JSON.stringify({
    ...typedMessage("execution_update"),
    id: "risk-1",
    type: "risk_report",
    payload: whole,
    ...envelope,
  });
}

function problems(reply: Reply): readonly string[] {
  assert.ok(reply.outcome === "refused", JSON.stringify(reply));
  return reply.problems.map(({ code, path }) => `${code} ${path}`);
}

test("a message of an own type reaches those it names, each in its own dialect, prose where that has no envelope", async () => {
  await using team = await greeters();
  const sent = report({ places: [{ file: "src/a.ts", line: 3 }], open_since: "2026-03-04T10:00:00Z" });
  const reply = await team.as("dev-1").send(sent);
  assert.ok(reply.outcome === "accepted", JSON.stringify(reply));
  assert.deepEqual(reply.receivers, ["lead-1", "lead-2", "lead-3"]);
  assert.deepEqual(
    reply.notes.map(({ code, path }) => `${code} ${path}`),
    ["unknown-field $.payload.places[0].line"],
  );
  const got: unknown[] = [];
  for (const agent of ["lead-1", "lead-2", "lead-3"]) {
    const page = await team.as(agent).inbox();
    assert.ok(page.ok);
    const [delivery] = page.value.deliveries;
    got.push([delivery?.dialect, delivery?.type]);
    const { message } = delivery ?? {};
    if (isJsonObject(message)) assert.deepEqual(message.payload, JSON.parse(sent).payload);
    else assert.match(JSON.stringify(message), /no counterpart[\s\S]*risk_report/);
  }
  assert.deepEqual(got, [
    ["vbw/2", "risk_report"],
    ["yolo/2", "risk_report"],
    [null, null],
  ]);
  const shown = await team.as("dev-1").show("risk-1");
  assert.ok(shown.ok);
  assert.equal(shown.value.fact, "own:risk_report");
  assert.match(shown.value.summary, /^1-1-T1: risk: The disk is nearly full, level: high, open since: .*places: 1$/);
});

test("form, role, principal and receivers are checked as those of every type", async () => {
  await using team = await greeters();
  const dev = team.as("dev-1");
  assert.deepEqual(problems(await dev.send(report({ level: "hihg", risk: "" }))), [
    "wrong-value $.payload.level",
    "wrong-format $.payload.risk",
  ]);
  assert.deepEqual(problems(await dev.send(report({}, { id: "no spaces", phase: -1, schema_version: "1.0" }))), [
    "wrong-value $.phase",
    "wrong-value $.schema_version",
    "wrong-format $.id",
    "invalid-id $.id",
  ]);
  assert.deepEqual(problems(await dev.send(report({ open_since: "2026-02-30T10:00:00Z" }))), [
    "wrong-format $.payload.open_since",
  ]);
  assert.deepEqual(problems(await dev.send(report({ lvl: 1 }), { strict: true })), ["unknown-field $.payload.lvl"]);
  assert.deepEqual(problems(await dev.send(report({}, { author_role: "docs" }))), ["identity-mismatch $.author_role"]);
  assert.deepEqual(problems(await team.as("qa-1").send(report({}, { author_role: "qa" }))), [
    "sender-not-authorised $.type",
  ]);
  assert.deepEqual(problems(await dev.send(report(), { to: ["qa-1"] })), ["receiver-not-authorised qa-1"]);
  assert.deepEqual(problems(await dev.send(report({ decided_by: "owner" }))), [
    "identity-mismatch $.payload.decided_by",
  ]);
});

test("drifted spellings of an own type are read with a note", async () => {
  await using team = await greeters();
  const reply = await team.as("dev-1").send(report({ level: "HIGH", openSince: "2026-03-04T10:00:00Z" }));
  assert.ok(reply.outcome === "accepted", JSON.stringify(reply));
  assert.deepEqual(
    reply.notes.map(({ code, path }) => `${code} ${path}`),
    ["alias $.payload.level", "alias $.payload.openSince"],
  );
});

test("a quoted message of a team's type never counts, and observe accepts an error without effect", async () => {
  await using team = await greeters("observe");
  const quoted = await team.as("dev-1").send(`As I said:\n\n\`\`\`json\n${report()}\n\`\`\``, { to: ["lead-1"] });
  assert.ok(quoted.outcome === "accepted");
  const faulty = await team.as("dev-1").send(report({ level: "none" }, { id: "risk-2" }));
  assert.ok(faulty.outcome === "accepted", JSON.stringify(faulty));
  const page = await team.as("lead-1").inbox();
  assert.ok(page.ok);
  assert.deepEqual(
    page.value.deliveries.map(({ type, effect }) => [type, effect]),
    [
      [null, true],
      [null, false],
    ],
  );
});

test("without the type in its revision a team does not know the message", async () => {
  await using team = await testTeam({
    agents: [
      { agent: "lead-1", role: "lead" },
      { agent: "dev-1", role: "dev" },
    ],
  });
  assert.deepEqual(problems(await team.as("dev-1").send(report())), ["unknown-type $.type"]);
});
