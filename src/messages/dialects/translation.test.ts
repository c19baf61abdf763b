import assert from "node:assert/strict";
import { test } from "node:test";
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import type { DialectId } from "../message.ts";
import type { Dialect } from "./dialect.ts";
import { dialectOf, dialects } from "./registry.ts";

const given = { authorRole: "dev", timestamp: "2026-03-05T08:00:00Z" };

function named(id: string): Dialect {
  const dialect = dialectOf(id);
  assert.ok(dialect);
  return dialect;
}

function factOf(id: string, message: JsonObject) {
  const answer = named(id).read(message);
  assert.ok(answer.answer === "accepted", JSON.stringify(answer));
  return answer.fact;
}

function exampleOf(id: string, type: string): JsonObject {
  const example = named(id).definitions.get(type)?.example;
  assert.ok(example, `${id}/${type}`);
  return example;
}

/** The message in another dialect, or null: no counterpart. */
function translated(source: string, message: JsonObject, target: string, more: object = {}): JsonObject | null {
  return named(target).write(factOf(source, message), { id: "m-1", given: { ...given, ...more } }) as JsonObject | null;
}

/** The object that holds a message's own fields. */
function fieldsOf(message: JsonObject | null): JsonObject {
  assert.ok(message !== null);
  return isJsonObject(message.payload) ? message.payload : message;
}

/** Copied by hand from docs/protocol/messages.md, section 19; all else has no counterpart. */
const counterparts: readonly (readonly [source: string, target: string, pairs: { readonly [type: string]: string }])[] =
  [
    [
      "vbw/1",
      "vbw/2",
      {
        dev_progress: "execution_update",
        dev_blocker: "blocker_report",
        qa_result: "qa_verdict",
        scout_findings: "scout_findings",
      },
    ],
    [
      "vbw/1",
      "yolo/2",
      { dev_progress: "execution_update", dev_blocker: "blocker_report", debugger_report: "debugger_report" },
    ],
    [
      "yolo/1",
      "yolo/2",
      {
        dev_progress: "execution_update",
        dev_blocker: "blocker_report",
        debugger_report: "debugger_report",
        shutdown_request: "shutdown_request",
        shutdown_response: "shutdown_response",
      },
    ],
    [
      "yolo/1",
      "vbw/2",
      {
        dev_progress: "execution_update",
        dev_blocker: "blocker_report",
        qa_result: "qa_verdict",
        shutdown_request: "shutdown_request",
        shutdown_response: "shutdown_response",
      },
    ],
    [
      "yolo/1",
      "vbw/1",
      {
        dev_progress: "dev_progress",
        dev_blocker: "dev_blocker",
        qa_result: "qa_result",
        debugger_report: "debugger_report",
      },
    ],
    ["bmad/1", "vbw/2", {}],
    ["bmad/1", "yolo/1", {}],
    [
      "yolo/2",
      "vbw/2",
      Object.fromEntries(
        "plan_contract execution_update blocker_report approval_request approval_response shutdown_request shutdown_response"
          .split(" ")
          .map((type) => [type, type]),
      ),
    ],
  ];

for (const [source, target, pairs] of counterparts) {
  test(`${source} in ${target}: ${Object.keys(pairs).length} types have a counterpart, the others are left to prose`, () => {
    for (const [type, definition] of named(source).definitions) {
      const message = translated(source, definition.example, target);
      assert.equal(message === null ? undefined : (message.type as string), pairs[type], type);
      if (message !== null) assert.equal(named(target).read(message).answer, "accepted");
    }
  });
}

test("progress of the first revision says in the second what nobody said, by name", () => {
  const message = {
    type: "dev_progress",
    task: "03-01/task-3",
    plan_id: "03-01",
    commit: "abc1234",
    status: "partial",
  };
  assert.deepEqual(translated("vbw/1", message, "vbw/2"), {
    id: "m-1",
    type: "execution_update",
    phase: 3,
    task: "03-01/task-3",
    author_role: "dev",
    timestamp: "2026-03-05T08:00:00Z",
    schema_version: "2.0",
    confidence: "low",
    payload: { plan_id: "03-01", task_id: "03-01/task-3", status: "partial", commit: "abc1234" },
    assumed: ["phase", "author_role", "timestamp", "confidence"],
  });
});

test("a verdict of a qa lead is a qa's in the second revision; no role is put on anybody else", () => {
  const verdict = exampleOf("yolo/1", "qa_result");
  assert.equal(translated("yolo/1", verdict, "vbw/2", { authorRole: "qa-lead" })?.author_role, "qa");
  assert.equal(translated("yolo/1", verdict, "vbw/2", { authorRole: "senior" }), null);
});

const requests: readonly (readonly [source: string, reason: string, target: string, expected: string])[] = [
  ["vbw/2", "phase_complete", "yolo/1", "phase_complete"],
  ["vbw/2", "plan_complete", "yolo/1", "phase_complete"],
  ["vbw/2", "user_abort", "yolo/1", "error"],
  ["yolo/1", "timeout", "vbw/2", "user_abort"],
  ["yolo/1", "error", "vbw/2", "user_abort"],
  ["yolo/1", "phase_complete", "vbw/2", "phase_complete"],
];

for (const [source, reason, target, expected] of requests) {
  test(`a shutdown because of ${reason} in ${source} is ${expected} in ${target}, and ${reason} again at home`, () => {
    const example = exampleOf(source, "shutdown_request");
    const message =
      source === "vbw/2" ? { ...example, payload: { ...(example.payload as object), reason } } : { ...example, reason };
    const abroad = translated(source, message, target);
    assert.equal(fieldsOf(abroad).reason, expected);
    assert.equal(fieldsOf(translated(target, abroad ?? {}, source)).reason, reason);
  });
}

const answers: readonly (readonly [status: string, approved: boolean, finalStatus: string, noted: boolean])[] = [
  ["clean", true, "complete", false],
  ["in_progress", true, "in_progress", false],
  ["error", true, "idle", true],
];

for (const [status, approved, finalStatus, noted] of answers) {
  test(`an answer of ${status} is ${approved}/${finalStatus}${noted ? ", and says what it was" : ""}`, () => {
    const message = { type: "shutdown_response", status, artifacts_committed: true, pending_work: ["a", "b"] };
    const payload = translated("yolo/1", message, "yolo/2", { requestId: "stop-7" })?.payload;
    assert.deepEqual(payload, {
      request_id: "stop-7",
      approved,
      final_status: finalStatus,
      pending_work: "a\nb",
      ...(noted ? { stop_status: status } : {}),
      artifacts_committed: true,
    });
  });
}

test("a refusal to stop is work in progress in the first revision, and stays a refusal", () => {
  const example = exampleOf("vbw/2", "shutdown_response");
  const payload = { request_id: "stop-2", approve: false, final_status: "in_progress", pending_work: "T2" };
  const flat = translated("vbw/2", { ...example, payload }, "yolo/1");
  assert.equal(flat?.status, "in_progress");
  assert.equal(flat?.approved, false);
  assert.deepEqual(flat?.pending_work, ["T2"]);
  assert.deepEqual(flat?.assumed, ["artifacts_committed"]);
  const body: JsonObject = factOf("yolo/1", flat ?? {}).body;
  assert.equal(body.approved, false, "deciders see the refusal");
  assert.equal(fieldsOf(translated("yolo/1", flat ?? {}, "vbw/2")).approve, false);
});

test("an extra field with the name of another dialect's field is kept next to it, and comes back", () => {
  const example = exampleOf("vbw/2", "shutdown_response");
  const message: JsonObject = { ...example, payload: { ...(example.payload as JsonObject), approved: "as a text" } };
  const abroad = translated("vbw/2", message, "yolo/2");
  assert.equal(fieldsOf(abroad).approved, true);
  assert.deepEqual(abroad?.kept, { payload: { approved: "as a text" } });
  assert.equal(
    named("yolo/2").read(abroad ?? {}, { strict: true }).answer,
    "accepted",
    "Baton's own field is no stranger",
  );
  const home = translated("yolo/2", abroad ?? {}, "vbw/2");
  assert.deepEqual({ ...home, id: message.id }, message);
});

test("a field called kept that is not Baton's stays as it is", () => {
  for (const kept of ["text", {}, { payload: { plan_id: "other" }, more: 1 }, { envelope: { mood: 1 } }]) {
    const message: JsonObject = { ...exampleOf("vbw/2", "execution_update"), kept };
    const written = named("vbw/2").write(factOf("vbw/2", message), { id: "update-2-1-1", given });
    assert.deepEqual(written, message);
  }
});

test("fields within payload next to a type are read as flat ones, with problems at their own place", () => {
  const { type = "", ...fields } = exampleOf("vbw/1", "dev_blocker");
  const flat = factOf("vbw/1", { type, ...fields });
  assert.deepEqual(factOf("vbw/1", { type, payload: fields }), flat);
  const { needs: _, ...lacking } = fields;
  const answer = named("vbw/1").read({ type, payload: { ...lacking, mood: 1 } });
  assert.ok(answer.answer === "invalid");
  assert.deepEqual(
    answer.problems.map(({ path }) => path),
    ["$.payload.needs"],
  );
  const twice = named("vbw/1").read({ type, payload: fields, needs: "something else" });
  assert.equal(twice.answer, "invalid", "a field that stands in both places is not chosen from");
});

test("what carries the mark of an envelope is no first revision's; what has no type is no flat message", () => {
  const flat = exampleOf("yolo/1", "dev_progress");
  for (const id of ["vbw/1", "yolo/1", "bmad/1"]) {
    for (const value of [
      { ...flat, schema_version: "2.0" },
      { ...flat, author_role: "dev", payload: {} },
      {},
      3,
      null,
      [],
    ]) {
      assert.deepEqual(named(id).read(value), { answer: "not-mine" });
      assert.equal(named(id).accepts(value), false);
    }
  }
});

test("definitions of one shape accept the same, and only those", () => {
  const shapes = new Map<string, DialectId[]>();
  for (const { id, definitions } of dialects) {
    for (const { shape, type } of definitions.values())
      shapes.set(shape, [...(shapes.get(shape) ?? []), `${id}/${type}`]);
  }
  const joined = (all: readonly (readonly string[])[]) => all.map((names) => names.join(" ")).toSorted();
  const shared = [...shapes.values()].filter((names) => names.length > 1);
  const inVbw = ["approval_request", "approval_response", "blocker_report", "execution_update", "plan_contract"];
  const both = [...inVbw, "scout_findings", "shutdown_request"].map((type) => [`vbw/2/${type}`, `vbw/2.1/${type}`]);
  const flat = ["dev_blocker", "dev_progress"].map((type) => [`vbw/1/${type}`, `yolo/1/${type}`]);
  assert.deepEqual(joined(shared), joined([...both, ...flat]));
});
