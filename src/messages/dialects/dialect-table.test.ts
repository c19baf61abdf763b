import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isolatesDepartments } from "../authority/authorise.ts";
import type { Json } from "../facts.ts";
import type { Dialect } from "./dialect.ts";
import { dialectOf, dialects, lazyMap, type WireMessage } from "./registry.ts";

const seed = 20_26;
const given = { authorRole: "lead", timestamp: "2026-03-04T10:00:00Z" };

function dialect(id: string): Dialect {
  const found = dialectOf(id);
  assert.ok(found);
  return found;
}

function example(id: string, type: string): { [field: string]: Json } & { payload: { [field: string]: Json } } {
  const found = dialect(id).definitions.get(type)?.example;
  assert.ok(found);
  return structuredClone(found) as ReturnType<typeof example>;
}

test(`reading is total on any JSON, however it is marked (seed ${seed})`, () => {
  const types = [...dialect("vbw/2").definitions.keys()];
  const marked = fc.tuple(fc.jsonValue(), fc.constantFrom(...types), fc.jsonValue()).map(([value, type, payload]) => {
    return (
      typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value, type, payload } : value
    ) as Json;
  });
  fc.assert(
    fc.property(marked, fc.boolean(), (value, strict) => {
      for (const one of dialects)
        assert.ok(["accepted", "invalid", "not-mine"].includes(one.read(value, { strict }).answer));
    }),
    { seed, numRuns: 500 },
  );
});

test("a deep and a long wrong value are refused in bounded words", () => {
  const message = example("vbw/2", "execution_update");
  message.payload.status = JSON.parse("[".repeat(20_000) + "]".repeat(20_000)) as Json;
  message.payload.concerns = Array.from({ length: 9_000 }, () => 1);
  const answer = dialect("vbw/2").read(message);
  assert.ok(answer.answer === "invalid");
  assert.equal(answer.problems.length, 100);
  assert.match(answer.problems.at(-1)?.message ?? "", /\(8901 more errors are not listed\.\)$/);
  assert.ok(JSON.stringify(answer.problems).length < 40_000);
});

test("a type that the dialect has not is not its own; everything else without a type is invalid", () => {
  const vbw = dialect("vbw/2");
  assert.deepEqual(vbw.read({ type: "debugger_report" }), { answer: "not-mine" });
  assert.deepEqual(vbw.read({ type: "constructor" }), { answer: "not-mine" });
  for (const value of [null, true, 3, "x", [], {}, { type: 5 }, { type: null }] as const) {
    assert.equal(vbw.read(value).answer, "invalid", JSON.stringify(value));
  }
  const answer = vbw.read({ payload: {}, author_role: "dev" });
  assert.ok(answer.answer === "invalid");
  assert.deepEqual(answer.problems[0]?.path, "$.type");
  assert.equal(answer.problems.length, 7, "type and the six other fields that are not there");
});

test("unknown fields are kept and noted at every place; strict refuses each", () => {
  const message = example("vbw/2", "qa_verdict");
  message.mood = "good";
  message.payload.teir = 1;
  (message.payload.checks as { [key: string]: Json }).skipped = 2;
  (message.payload.failures as { [key: string]: Json }[])[0]!.line = 3;
  const paths = ["$.mood", "$.payload.teir", "$.payload.checks.skipped", "$.payload.failures[0].line"];
  const lenient = dialect("vbw/2").read(message);
  assert.ok(lenient.answer === "accepted");
  assert.deepEqual(
    lenient.notes.map((note) => note.path),
    paths,
  );
  assert.deepEqual(lenient.fact.extra, { envelope: { mood: "good" }, payload: { teir: 1 } });
  const strict = dialect("vbw/2").read(message, { strict: true });
  assert.ok(strict.answer === "invalid");
  assert.deepEqual(
    strict.problems.map(({ code, path }) => [code, path]),
    paths.map((path) => ["unknown-field", path]),
  );
  assert.equal(strict.problems[1]?.hint, "leave it out", "tier itself is there");
});

test("what Baton itself writes next to the envelope is no unknown field", () => {
  const message = { ...example("yolo/2", "approval_response"), assumed: ["phase"], decided_by: "owner" };
  const answer = dialect("yolo/2").read(message, { strict: true });
  assert.ok(answer.answer === "accepted");
  assert.deepEqual(answer.notes, []);
  assert.deepEqual(answer.fact.extra, { envelope: { assumed: ["phase"], decided_by: "owner" } });
});

test("approve and approved are one neutral field: an answer changes its spelling with its dialect", () => {
  const read = dialect("vbw/2").read(example("vbw/2", "shutdown_response"));
  assert.ok(read.answer === "accepted" && read.fact.kind === "shutdown-response");
  assert.equal((read.fact.body as { approved?: boolean }).approved, true);
  const written = dialect("yolo/2").write(read.fact, { id: "stop-2-dev-1", given });
  assert.deepEqual(written, example("yolo/2", "shutdown_response"));
});

test("a field that the other dialect lacks travels through it and comes back", () => {
  const original = example("yolo/2", "execution_update");
  const first = dialect("yolo/2").read(original);
  assert.ok(first.answer === "accepted");
  const abroad = dialect("vbw/2").write(first.fact, { id: "update-2-1-1", given });
  assert.ok(abroad !== null);
  const second = dialect("vbw/2").read(abroad);
  assert.ok(second.answer === "accepted");
  assert.deepEqual(
    second.notes.map((note) => note.path),
    ["$.payload.pre_existing_issues"],
  );
  assert.deepEqual(dialect("yolo/2").write(second.fact, { id: "update-2-1-1", given }), original);
});

test("a kind without counterpart, and a field the target would refuse, are not written", () => {
  const diagnosis = dialect("yolo/2").read(example("yolo/2", "debugger_report"));
  assert.ok(diagnosis.answer === "accepted");
  assert.equal(dialect("vbw/2").definitionOf("diagnosis"), null);
  assert.equal(dialect("vbw/2").write(diagnosis.fact, { id: "x", given }), null);
  const odd = example("vbw/2", "blocker_report");
  odd.payload.pre_existing_issues = "many";
  const read = dialect("vbw/2").read(odd);
  assert.ok(read.answer === "accepted");
  assert.equal(dialect("yolo/2").write(read.fact, { id: "x", given }), null);
});

test("what the target demands and the fact lacks is assumed by name", () => {
  const read = dialect("vbw/2").read(example("vbw/2", "execution_update"));
  assert.ok(read.answer === "accepted");
  const bare = { phase: null, task: null, authorRole: null, timestamp: null, confidence: null };
  const written = dialect("yolo/2").write({ ...read.fact, head: bare }, { id: "u", given }) as {
    [field: string]: Json;
  };
  assert.deepEqual(written.assumed, ["phase", "task", "author_role", "timestamp", "confidence"]);
  assert.deepEqual(
    [written.phase, written.task, written.author_role, written.confidence],
    [2, "2-1-T1", "lead", "low"],
  );
  const textual = dialect("yolo/2").write({ ...read.fact, head: { ...bare, phase: "03" } }, { id: "u", given });
  assert.equal((textual as { [field: string]: Json }).phase, 3);
});

test("the wire types tell messages apart by dialect and type", () => {
  const told = (wire: WireMessage): string => {
    if (wire.dialect === "vbw/2" && wire.type === "shutdown_response") return String(wire.message.payload.approve);
    if (wire.dialect === "yolo/2" && wire.type === "shutdown_response") return String(wire.message.payload.approved);
    // @ts-expect-error vbw/2 has no message of this type.
    if (wire.dialect === "vbw/2" && wire.type === "debugger_report") return "never";
    if (wire.dialect === "yolo/1" && wire.type === "code_review_changes") return wire.message.changes[0]?.f ?? "";
    return wire.type;
  };
  const message = example("vbw/2", "shutdown_response");
  assert.equal(told({ dialect: "vbw/2", type: "shutdown_response", message } as unknown as WireMessage), "true");
});

test("values are made once, when they are asked for; keys cost nothing", () => {
  const made: string[] = [];
  const map = lazyMap(["b", "a"], (key) => {
    made.push(key);
    return key.toUpperCase();
  });
  assert.deepEqual([map.size, map.has("a"), map.has("toString"), [...map.keys()]], [2, true, false, ["b", "a"]]);
  assert.deepEqual(made, []);
  assert.deepEqual([map.get("a"), map.get("a"), map.get("constructor")], ["A", "A", undefined]);
  assert.deepEqual(made, ["a"]);
  assert.deepEqual(
    [...map],
    [
      ["b", "B"],
      ["a", "A"],
    ],
  );
  assert.deepEqual([...map.values()], ["B", "A"]);
  const seen: string[] = [];
  map.forEach((value, key) => {
    seen.push(key + value);
  });
  assert.deepEqual(seen, ["bB", "aA"]);
  assert.deepEqual(made, ["a", "b"]);
});

test("the list of dialects that keep departments apart says what their tables say", () => {
  for (const one of dialects) assert.equal(isolatesDepartments(one.id), one.isolatesDepartments, one.id);
});
