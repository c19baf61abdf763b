/** Any message that a definition accepts, for laws that hold for all of them: generated from its published schema. */
import fc from "fast-check";
import type { JsonObject } from "../../src/base/json.ts";
import { type DialectEntry, type MessageEntry, schemaOf } from "../../src/messages/dialects/define.ts";
import type { Json } from "../../src/messages/facts.ts";
import type { JsonSchema } from "../../src/base/schema/emitter.ts";
import { anyCharacter } from "./any-character.ts";

/** Names that mean something elsewhere: in another dialect, in the envelope, in JavaScript. */
const extraKeys = [
  "ticket",
  "approved",
  "approve",
  "pre_existing_issues",
  "files",
  "constructor",
  "toString",
  "x y",
  "reason",
  "status",
  "pending_work",
  "request_id",
  "severity",
  "body",
  "task",
  "task_id",
  "phase",
  "confidence",
  "timestamp",
  "stop_status",
  "kept",
  "assumed",
];

/** Messages of one definition, extra fields and all. */
export function anyMessage(dialect: DialectEntry, entry: MessageEntry): fc.Arbitrary<JsonObject> {
  return anyOf(schemaOf(dialect, entry)).map((message) => obeying(dialect, message as JsonObject));
}

/** Any value of a schema; texts come with characters that trip writers. */
function anyOf(schema: JsonSchema): fc.Arbitrary<Json> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (Array.isArray(schema.type)) {
    const types = schema.type.filter((type) => type !== "null");
    return fc.oneof(fc.constant(null), ...types.map((type) => anyOf({ ...schema, type })));
  }
  if (schema.anyOf !== undefined) return fc.constantFrom("2026-03-04", "2024-02-29T23:59:59.5+01:00");
  if (schema.format === "date-time") return fc.constantFrom("2026-03-04T10:00:00Z", "2024-02-29T23:59:59.5+01:00");
  if (schema.type === "boolean") return fc.boolean();
  if (schema.type === "integer") return fc.nat({ max: schema.maximum ?? 2 ** 31 - 1 });
  if (schema.type === "number") return fc.double({ min: 0, max: schema.maximum ?? 1e9, noNaN: true });
  if (schema.type === "array") return fc.array(anyOf(schema.items ?? {}), { maxLength: 3 });
  if (schema.type === "object") return objectOf(schema);
  if (schema.pattern?.includes("0-9a-fA-F") === true) return fc.stringMatching(/^[0-9a-f]{7,64}$/);
  if (schema.pattern !== undefined) return fc.stringMatching(new RegExp(schema.pattern));
  return fc.string({ minLength: schema.minLength ?? 0, maxLength: Math.min(schema.maxLength ?? 12, 12), unit: anyCharacter });
}

function anyJson(): fc.Arbitrary<Json> {
  return fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>; // Their type of JSON has mutable lists.
}

function objectOf(schema: JsonSchema): fc.Arbitrary<Json> {
  const properties = schema.properties ?? {};
  const values = schema.additionalProperties;
  if (typeof values === "object") return fc.dictionary(fc.string({ maxLength: 8 }), anyOf(values), { maxKeys: 3 });
  const required = new Set(schema.required ?? []);
  const known = Object.entries(properties).map(([key, inner]) => [key, anyOf(inner)] as const);
  const strangers = extraKeys.filter((key) => !Object.hasOwn(properties, key));
  const model = fc.record(Object.fromEntries(known), { requiredKeys: [...required] });
  const extra = fc.dictionary(fc.constantFrom(...strangers), anyJson(), { maxKeys: 2 });
  return fc.tuple(model, extra).map(([fields, more]) => ({ ...more, ...fields }));
}

type Fields = { [field: string]: Json };

/** Makes a generated message obey the rules between fields, those of its own dialect and of its counterparts. */
function obeying(dialect: DialectEntry, message: JsonObject): JsonObject {
  const fields = (dialect.form === "typed" ? message.payload : message) as Fields;
  const count = (field: string) => Number(fields[field]);
  if (fields.result === "PASS") {
    for (const counted of ["checks", "tests"]) if (Object.hasOwn(fields, counted)) (fields[counted] as Fields).failed = 0;
    if (Object.hasOwn(fields, "failures")) fields.failures = [];
  }
  if (Object.hasOwn(fields, "checks")) {
    const checks = fields.checks as Fields;
    const detail = fields.checks_detail;
    if (Array.isArray(detail) && detail.length > 0) {
      if (fields.result === "PASS") for (const one of detail as Fields[]) one.status = "PASS";
      const counted = (status: string) => (detail as Fields[]).filter((one) => one.status === status).length;
      Object.assign(checks, { passed: counted("PASS"), failed: counted("FAIL"), total: detail.length });
    } else checks.total = Number(checks.passed) + Number(checks.failed);
  }
  if (message.type === "critique_result") fields.findings = count("critical") + count("major") + count("minor");
  for (const [part, whole] of [
    ["critical", "findings_count"],
    ["critical", "findings"],
    ["plans_complete", "plans_total"],
    ["plans_completed", "plans_total"],
    ["tasks_completed", "tasks_total"],
  ] as const) {
    if (message.type === "critique_result" || !Object.hasOwn(fields, part) || !Object.hasOwn(fields, whole)) continue;
    fields[part] = Math.min(count(part), count(whole));
  }
  if (message.type === "code_review_changes") {
    fields.must_fix = (fields.changes as Fields[]).map(({ f, ln }) => `${String(f)}:${String(ln)}`).slice(0, 2);
  }
  if (message.type === "escalation") {
    fields.to = { dev: "senior", senior: "lead", lead: "architect" }[String(fields.from)] ?? "lead";
  }
  return message;
}
