import assert from "node:assert/strict";
import { after, test } from "node:test";
import { authoredDialects } from "../../scripts/generate/authored.ts";
import type { Json, JsonObject } from "../../src/base/json.ts";
import { emitSchema, type JsonSchema } from "../../src/base/schema/emitter.ts";
import { objectOf } from "../../src/base/schema/shapes.ts";
import type { MessageEntry } from "../../src/messages/dialects/define.ts";
import { dialectOf } from "../../src/messages/dialects/registry.ts";
import type { Role } from "../../src/messages/role.ts";
import { concrete, documentText, wordsOf } from "./documents.ts";
import { type FlatMessage, flatDocument } from "./flat-documents.ts";

/** Where the data and a document differ on purpose, each with its reason. One that no longer applies fails its test. */
const exceptions: ReadonlyMap<string, string> = new Map([
  ["vbw/1 scout_findings.cross_cutting.target_domain is text", "other domains may be named; the document shows one"],
  ...[
    ["architecture_design.risks.impact", "high | medium | low", "the document shows one word of the usual three"],
    [
      "scout_findings.findings.confidence",
      "high | medium | low",
      "the document's other confidences list the three words",
    ],
    ["agent_health_event.dept", "backend | frontend | uiux | shared | owner", "departments are a closed list"],
    ["agent_health_event.prev_state", "start | idle | stop | disappeared", "what it was is a state as what it is"],
    ["circuit_breaker_state.dept", "backend | frontend | uiux | shared | owner", "departments are a closed list"],
    ["task_complete.status", "complete | partial | failed", "as of the other reports of a task"],
    [
      "summary_aggregation.status",
      "complete | partial | failed",
      "a summary may be partial or failed (docs/protocol/tasks.md, section 8)",
    ],
    ["design_handoff.department", "uiux", "only that department hands over a design"],
    ["design_handoff.status", "complete | partial | failed", "as of other work"],
    ["department_result.qa_result", "PASS | FAIL | PARTIAL", "the words of qa_result"],
    ["department_result.security_result", "PASS | FAIL | WARN", "the words of security_audit"],
    ["owner_review.departments_needed", "backend | frontend | uiux", "departments are a closed list"],
    ["owner_review.dispatch_order", "backend | frontend | uiux", "departments are a closed list"],
    ["owner_signoff.departments_approved", "backend | frontend | uiux", "departments are a closed list"],
    ["owner_signoff.integration_qa", "PASS | FAIL | PARTIAL", "the words of qa_result"],
  ].map(([place, words, reason]) => [`yolo/1 ${place} is ${words}`, reason ?? ""] as const),
  [
    "yolo/1 circuit_breaker_state.opened_at may be null",
    "a breaker that never opened has no such time (docs/protocol/messages.md, section 5)",
  ],
  [
    "yolo/1 circuit_breaker_state.last_probe_at may be null",
    "no probe was let in yet (docs/protocol/messages.md, section 5)",
  ],
]);
const used = new Set<string>();

/** Fails unless the difference is a known exception. */
function differs(statement: string): void {
  used.add(statement);
  assert.ok(exceptions.has(statement), `a difference without a reason: ${statement}`);
}

const workers: readonly Role[] = [
  "dev",
  "tester",
  "senior",
  "qa",
  "qa-lead",
  "qa-code",
  "scout",
  "critic",
  "security",
  "debugger",
  "docs",
];

/** What the documents' words for people mean. A department's lead is a lead. */
const people: ReadonlyMap<string, readonly Role[]> = new Map<string, readonly Role[]>([
  ["Any", [...workers, "lead"]],
  ["Up the chain", ["senior", "lead", "architect"]],
  // Who resolves: "User via go.md, Owner, Architect, or Lead".
  ["Resolver", ["user", "owner", "architect", "lead"]],
  ["Down the chain", [...workers, "lead", "architect", "owner"]],
  ["Teammates", [...workers, "architect"]],
  ["go.md", ["orchestrator"]],
  ["QA Lead", ["qa-lead"]],
  ["QA Code", ["qa-code"]],
  ["Lead internal", []],
  ...[
    "Map Lead",
    "Execute Lead",
    "Debug Lead",
    "Leads",
    "All Leads",
    "Department Lead",
    "UX Lead",
    "Frontend Lead",
    "Backend Lead",
  ].map((name): [string, readonly Role[]] => [name, ["lead"]]),
]);

function rolesOf(names: readonly string[]): readonly Role[] {
  return [...new Set(names.flatMap((name) => people.get(name) ?? [name.toLowerCase() as Role]))].toSorted();
}

/** Fields of yolo/1 that docs/protocol/messages.md, section 5, makes optional. */
const optionalInYolo =
  "concerns attempted artifact committed failures deviations blockers eta notes deferred risks pending_work".split(" ");

for (const id of ["vbw/1", "yolo/1"]) {
  const dialect = authoredDialects.find((each) => each.id === id);
  assert.ok(dialect);
  const document = flatDocument(id.replace("/", "-"));
  const skip = document === null ? "BATON_DOCUMENTS names no folder with the documents" : false;
  const known: readonly FlatMessage[] = document ?? [];
  const pairs = known.map((said) => [said, dialect.messages.find(({ type }) => type === said.type)] as const);

  test(`${id}: the types are the document's, in its order`, { skip }, () => {
    assert.deepEqual(
      dialect.messages.map(({ type }) => type),
      known.map(({ type }) => type),
    );
  });

  test(`${id}: senders, receivers and every shade of routing are the document's`, { skip }, () => {
    for (const [said, ours] of pairs) {
      assert.ok(ours, said.type);
      const isInternal = said.remark.includes("internal");
      assert.equal(ours.wire, isInternal ? "internal" : "sent", said.type);
      if (!isInternal) assert.deepEqual(ours.senders.toSorted(), rolesOf(said.senders), `${said.type}: senders`);
      assert.deepEqual(ours.receivers.toSorted(), rolesOf(said.receivers), `${said.type}: receivers`);
      assert.equal(ours.routing.mode, said.remark.includes("team_mode=teammate") ? "teammate" : undefined, said.type);
      assert.equal(ours.routing.direction === "both", said.isBidirectional, said.type);
      assert.deepEqual(ours.routing.direction === "up", said.receivers.includes("Up the chain"), said.type);
      assert.deepEqual(ours.routing.direction === "down", said.receivers.includes("Down the chain"), said.type);
    }
    const across = dialect.messages.filter(({ routing }) => routing.across !== undefined).map(({ type }) => type);
    const [, crossing = ""] = (documentText(id.replace("/", "-")) ?? "").split("## Cross-Department Schemas");
    assert.deepEqual(
      across,
      [...crossing.matchAll(/^## `([a-z_]+)`/gm)].map(([, type]) => type),
    );
  });

  test(`${id}: every message has exactly the document's fields, forms and words`, { skip }, () => {
    for (const [said, ours] of pairs) {
      assert.ok(ours, said.type);
      const { type, ...fields } = said.example;
      assert.equal(type, said.type);
      compare(`${id} ${said.type}`, emitSchema(objectOf(ours.payload)), fields);
      for (const [name, field] of Object.entries(ours.payload)) {
        const required = said.required?.get(name) ?? !optionalInYolo.includes(name);
        assert.equal(field.required, required, `${said.type}.${name} is required`);
      }
      for (const [field, words] of said.listed) assert.deepEqual(schemaOf(ours, field).enum, words, field);
    }
  });

  test(`${id}: the document's examples are accepted, with any word they list`, { skip }, () => {
    for (const { example, type } of known) {
      for (const variant of variantsOf(example)) {
        const answer = dialectOf(id)?.read(variant, { strict: true });
        if (answer?.answer === "invalid") {
          // A listed word such as PASS need not go with the failures printed next to it.
          assert.deepEqual(new Set(answer.problems.map(({ code }) => code)), new Set(["cross-field"]), type);
          continue;
        }
        assert.equal(answer?.answer, "accepted", `${type}: ${JSON.stringify(answer)}`);
      }
    }
  });
}

after(() => {
  if (documentText("vbw-1") === null) return;
  const stale = [...exceptions.keys()].filter((statement) => !used.has(statement));
  assert.deepEqual(stale, [], "exceptions that no longer apply");
});

function schemaOf(entry: MessageEntry, field: string): JsonSchema {
  return emitSchema(objectOf(entry.payload)).properties?.[field] ?? {};
}

function variantsOf(printed: JsonObject): readonly Json[] {
  const base = concrete(printed) as JsonObject;
  return [
    base,
    ...Object.entries(printed).flatMap(([key, value]) =>
      (wordsOf(value) ?? []).map((word) => ({ ...base, [key]: word })),
    ),
  ];
}

/** Compares a schema with a printed value, both ways: fields, forms, listed words. */
function compare(place: string, schema: JsonSchema, printed: Json | undefined): void {
  const words = wordsOf(printed);
  const ours = schema.enum ?? (schema.const === undefined ? undefined : [schema.const]);
  if (words !== null) {
    assert.deepEqual(ours, words, place);
    return;
  }
  if (ours !== undefined) {
    assert.ok(typeof printed === "string" && ours.includes(printed), place);
    // Lists that are written out as text below the example are compared with that text.
    if (!place.endsWith(".resolved_by")) differs(`${place} is ${ours.join(" | ")}`);
    return;
  }
  if (place.endsWith("target_domain")) differs(`${place} is text`);
  if (Array.isArray(schema.type)) {
    differs(`${place} may be null`);
    compare(place, { ...schema, type: schema.type[0] ?? "string" }, printed);
    return;
  }
  if (Array.isArray(printed)) {
    assert.equal(schema.type, "array", place);
    for (const one of printed) compare(place, schema.items ?? {}, one);
    if (printed.length === 0)
      assert.equal(schema.items?.type, "string", `${place}: entries of an empty list are texts`);
    return;
  }
  if (typeof printed === "object" && printed !== null) {
    assert.equal(schema.type, "object", place);
    // A request or a response is any object: its fields are those of the interface that is agreed.
    if (/\.(?:request|response)$/.test(place)) return;
    assert.deepEqual(Object.keys(schema.properties ?? {}), Object.keys(printed), place);
    for (const [key, inner] of Object.entries(schema.properties ?? {}))
      compare(`${place}.${key}`, inner, (printed as JsonObject)[key]);
    return;
  }
  assert.equal(schema.type, typeof printed === "number" ? "integer" : typeof printed, place);
}
