import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "../../base/json.ts";
import { ownTypeBytesMax, ownTypesBytesMax, ownTypesMax } from "../../base/limits.ts";
import { type DialectFacts, readOwnMessages } from "./own-messages.ts";

const facts: DialectFacts = {
  authorRoles: (dialect) => (dialect === "vbw/2" ? ["lead", "dev", "qa"] : null),
  isTaken: (type) => type === "plan_contract",
  reservedFields: ["assumed"],
};

const risk: { readonly [key: string]: Json } = {
  summary: "Names a risk.",
  senders: ["dev", "qa"],
  receivers: ["lead"],
  schema: { type: "object", required: ["risk"], properties: { risk: { type: "string", minLength: 1 } } },
};

function read(value: Json, path = ".baton/messages/risk_report.json") {
  return readOwnMessages([{ path, text: JSON.stringify(value) }], ["vbw/2", "vbw/1"], facts);
}

test("a file becomes a type: called by its name, with an example made up", () => {
  const { schema = {} } = risk;
  assert.deepEqual(read(risk), {
    ok: true,
    value: [
      {
        type: "risk_report",
        summary: "Names a risk.",
        senders: ["dev", "qa"],
        receivers: ["lead"],
        schema,
        example: { risk: "text" },
      },
    ],
  });
});

test("files come out by the names of their types, whatever their own order", () => {
  const texts = ["zeta", "alpha"].map((name) => ({ path: `${name}.json`, text: JSON.stringify(risk) }));
  const found = readOwnMessages(texts, ["vbw/2"], facts);
  assert.ok(found.ok);
  assert.deepEqual(
    found.value.map(({ type }) => type),
    ["alpha", "zeta"],
  );
});

const faulty: readonly (readonly [value: Json, place: string, hint?: RegExp])[] = [
  [[], "$"],
  [{ ...risk, sender: ["dev"] }, "$.sender", /did you mean "senders"/],
  [{ ...risk, senders: [] }, "$.senders"],
  [{ ...risk, senders: ["dve"] }, "$.senders[0]", /did you mean "dev"/],
  [{ ...risk, senders: ["dev", "dev"] }, "$.senders"],
  [{ ...risk, senders: ["architect"] }, "$.senders[0]"],
  [{ ...risk, receivers: ["nobody"] }, "$.receivers[0]"],
  [{ summary: "x", senders: ["dev"], receivers: ["lead"] }, "$.schema"],
  [{ ...risk, type: "Risk Report" }, "$.type"],
  [{ ...risk, type: "plan_contract" }, "$.type", /another name/],
  [{ ...risk, type: "prose" }, "$.type", /another name/],
  [{ ...risk, summary: 1 }, "$.summary"],
  [{ ...risk, schema: { type: "string" } }, "$.schema"],
  [{ ...risk, schema: { type: "object" } }, "$.schema"],
  [
    { ...risk, schema: { type: "object", properties: { a: { pattern: "x" } } } },
    "$.schema.properties.a.pattern",
    /enum/,
  ],
  [{ ...risk, schema: { type: "object", properties: { assumed: {} } } }, "$.schema.properties.assumed"],
  [{ ...risk, schema: { type: "object", properties: { "Big Name": {} } } }, '$.schema.properties["Big Name"]'],
  [{ ...risk, example: { risk: "" } }, "$.example.risk"],
  [{ ...risk, example: [] }, "$.example"],
  [
    { ...risk, schema: { type: "object", properties: { a: { type: "integer", minimum: 2, maximum: 1 } } } },
    "$.example",
    /add "example"/,
  ],
];

test("an error is reported with file and path", () => {
  for (const [value, place, hint] of faulty) {
    const found = read(value);
    assert.ok(!found.ok, place);
    const problem = found.error.find(({ path }) => path === `.baton/messages/risk_report.json: ${place}`);
    assert.equal(problem?.code, "team-file", `${place}: ${JSON.stringify(found.error)}`);
    if (hint !== undefined) assert.match(problem?.hint ?? "", hint);
  }
});

test("text that is no JSON within the limits, a type twice, and too much of it are refused", () => {
  const one = (text: string) => readOwnMessages([{ path: "a.json", text }], ["vbw/2"], facts);
  const code = (found: ReturnType<typeof one>) => (found.ok ? null : found.error[0]?.code);
  assert.equal(code(one("{")), "not-json");
  assert.equal(code(one('{"type":"a","type":"b"}')), "duplicate-key");
  assert.equal(code(one(`"${"x".repeat(ownTypeBytesMax)}"`)), "too-large");
  const text = JSON.stringify({ ...risk, type: "risk" });
  const twice = [
    { path: "a.json", text },
    { path: "b.json", text },
  ];
  assert.equal(code(readOwnMessages(twice, ["vbw/2"], facts)), "team-file");
  const many = Array.from({ length: ownTypesMax + 1 }, (_, index) => ({ path: `t${index}.json`, text: "{}" }));
  assert.equal(code(readOwnMessages(many, ["vbw/2"], facts)), "team-file");
  const long = JSON.stringify({ ...risk, summary: "x".repeat(ownTypeBytesMax - 1_000) });
  const large = Array.from({ length: Math.ceil(ownTypesBytesMax / ownTypeBytesMax) + 1 }, (_, index) => {
    return { path: `t${index}.json`, text: long };
  });
  assert.equal(code(readOwnMessages(large, ["vbw/2"], facts)), "team-file");
});

test("a team without an envelope cannot have its own types", () => {
  const found = readOwnMessages([{ path: "a.json", text: JSON.stringify(risk) }], ["vbw/1"], facts);
  assert.ok(!found.ok && /envelope/.test(found.error[0]?.message ?? ""));
});
