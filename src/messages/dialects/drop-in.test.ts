import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { type DropInPlace, judgeDropIn, lifted } from "./drop-in.ts";
import { type DropInTable, vbw2DropIn, vbw21DropIn, yolo2DropIn } from "./drop-in-table.ts";
import { dialectOf } from "./registry.ts";

const place: DropInPlace = { typedProtocol: true, contractPaths: () => null, nowMs: 1_772_000_000_999 };

const allNine = [
  "id",
  "type",
  "phase",
  "task",
  "author_role",
  "timestamp",
  "schema_version",
  "payload",
  "confidence",
].map((field) => `missing envelope field: ${field}`);

function envelope(type: string, authorRole: string, payload: unknown, more: object = {}): string {
  const head = {
    id: "m-1",
    type,
    phase: 1,
    task: "1-1-T1",
    author_role: authorRole,
    timestamp: "now",
    schema_version: "9",
  };
  return JSON.stringify({ ...head, payload, confidence: null, ...more });
}

const update = { plan_id: "1-1", task_id: "T1", status: "whatever", commit: "" };
const verdict = { tier: "quick", result: "PASS", checks: { passed: 1, failed: 1, total: 2 } };
const detail = [
  { id: "a", status: "PASS" },
  { id: "b", status: "FAIL" },
];
const diagnosis = { hypothesis: "h", evidence_for: [], evidence_against: [], confidence: "low", recommended_fix: "f" };

const cases: readonly (readonly [string, DropInTable, string, readonly string[]])[] = [
  ["an empty text", vbw2DropIn, "", ["empty message"]],
  ["a blank text", vbw2DropIn, " \n", ["empty message"]],
  ["no JSON", vbw2DropIn, "{", ["not valid JSON"]],
  ["JSON nested too deep", vbw2DropIn, "[".repeat(50_000) + "]".repeat(50_000), ["not valid JSON"]],
  ["a list", vbw2DropIn, "[]", [...allNine, "missing type field"]],
  ["a number", vbw2DropIn, "3", [...allNine, "missing type field"]],
  ["an empty object", vbw2DropIn, "{}", [...allNine, "missing type field"]],
  ["presence alone, whatever the values", vbw2DropIn, envelope("execution_update", "dev", update), []],
  ["a type of null", vbw2DropIn, envelope("execution_update", "dev", update, { type: null }), ["missing type field"]],
  ["a type that is a number", vbw2DropIn, envelope("x", "dev", {}, { type: 5 }), ["unknown message type: 5"]],
  ["an unknown type", vbw2DropIn, envelope("nope", "dev", {}), ["unknown message type: nope"]],
  [
    "an unknown type with a receiver",
    vbw2DropIn,
    envelope("nope", "dev", {}, { target_role: "lead" }),
    ["unknown message type: nope", "target role lead cannot receive nope"],
  ],
  [
    "every fault, in order",
    vbw2DropIn,
    JSON.stringify({ type: "execution_update", author_role: "qa", target_role: "ghost", payload: { status: 1 } }),
    [
      "missing envelope field: id",
      "missing envelope field: phase",
      "missing envelope field: task",
      "missing envelope field: timestamp",
      "missing envelope field: schema_version",
      "missing envelope field: confidence",
      "missing payload field: plan_id",
      "missing payload field: task_id",
      "missing payload field: commit",
      "role qa not authorized for execution_update",
      "target role ghost cannot receive execution_update",
    ],
  ],
  ["an empty author", vbw2DropIn, envelope("execution_update", "", update), []],
  [
    "a prototype's name as role",
    vbw2DropIn,
    envelope("execution_update", "constructor", update),
    ["role constructor not authorized for execution_update"],
  ],
  ["a prototype's name as type", vbw2DropIn, envelope("constructor", "dev", {}), ["unknown message type: constructor"]],
  [
    "vbw/2: no debugger_report",
    vbw2DropIn,
    envelope("debugger_report", "debugger", diagnosis),
    ["unknown message type: debugger_report"],
  ],
  [
    "vbw/2: approve",
    vbw2DropIn,
    envelope("shutdown_response", "qa", { request_id: "r", approved: true, final_status: "idle" }),
    ["missing payload field: approve"],
  ],
  [
    "yolo/2: a qa answers a shutdown",
    yolo2DropIn,
    envelope("shutdown_response", "qa", { request_id: "r", approved: true, final_status: "idle" }),
    [],
  ],
  ["yolo/2: findings of a scout", yolo2DropIn, envelope("scout_findings", "scout", { domain: "x", documents: [] }), []],
  [
    "yolo/2: a debugger is not blocked",
    yolo2DropIn,
    envelope("blocker_report", "debugger", { plan_id: 1, task_id: 1, blocker: 1, needs: 1 }),
    ["role debugger not authorized for blocker_report"],
  ],
  [
    "yolo/2: checks_detail is not looked at",
    yolo2DropIn,
    envelope("qa_verdict", "qa", { ...verdict, checks_detail: "x" }),
    [],
  ],
  [
    "vbw/2.1: resolution_observation",
    vbw21DropIn,
    envelope("debugger_report", "debugger", diagnosis),
    ["missing payload field: resolution_observation"],
  ],
  ["vbw/2.1: details that count", vbw21DropIn, envelope("qa_verdict", "qa", { ...verdict, checks_detail: detail }), []],
  [
    "vbw/2.1: no details",
    vbw21DropIn,
    envelope("qa_verdict", "qa", { ...verdict, checks: null, checks_detail: [] }),
    [],
  ],
  ["vbw/2.1: details of null", vbw21DropIn, envelope("qa_verdict", "qa", { ...verdict, checks_detail: null }), []],
  [
    "vbw/2.1: details that are no list",
    vbw21DropIn,
    envelope("qa_verdict", "qa", { ...verdict, checks_detail: {} }),
    ["qa_verdict checks_detail must be an array or null"],
  ],
  [
    "vbw/2.1: a detail without id, and nothing more",
    vbw21DropIn,
    envelope("qa_verdict", "qa", { ...verdict, checks: {}, checks_detail: [{ id: " ", status: "PASS" }] }),
    ["qa_verdict checks_detail entries require non-empty string id and status in PASS|FAIL|WARN"],
  ],
  [
    "vbw/2.1: counts that differ",
    vbw21DropIn,
    envelope("qa_verdict", "qa", { ...verdict, checks: { passed: 2, failed: 2, total: 1 }, checks_detail: detail }),
    [
      "qa_verdict checks.failed does not match checks_detail FAIL count",
      "qa_verdict checks.passed does not match checks_detail PASS count",
      "qa_verdict checks.total does not match checks_detail entry count",
    ],
  ],
  [
    "vbw/2.1: a flat request",
    vbw21DropIn,
    '{"type":"shutdown_request","requestId":"r","from":"lead","reason":"x","team_name":"t"}',
    [],
  ],
  [
    "vbw/2.1: a flat answer of nobody",
    vbw21DropIn,
    '{"type":"shutdown_response","request_id":"r"}',
    [
      "missing payload field: approved",
      "missing payload field: final_status",
      "role unknown not authorized for shutdown_response",
    ],
  ],
  [
    "vbw/2: a flat request is not lifted",
    vbw2DropIn,
    '{"type":"shutdown_request","from":"lead"}',
    [
      ...allNine.filter((error) => !error.endsWith(": type")),
      "missing payload field: reason",
      "missing payload field: team_name",
    ],
  ],
];

for (const [name, table, text, errors] of cases) {
  test(`judges ${name}`, () => {
    assert.deepEqual(judgeDropIn(text, table, place), { valid: errors.length === 0, errors });
  });
}

test("the flag switches the judgement off before anything is read, but not in vbw/2.1", () => {
  const off = { ...place, typedProtocol: false };
  const answer = { valid: true, errors: [], reason: "v2_typed_protocol=false" };
  assert.deepEqual(judgeDropIn("", vbw2DropIn, off), answer);
  assert.deepEqual(judgeDropIn("{}", yolo2DropIn, off), answer);
  assert.equal(judgeDropIn("{}", vbw21DropIn, off).valid, false);
});

test("files are compared with the phase's contract, repeats repeat, in both lists", () => {
  const asked: string[] = [];
  const withContract = (paths: readonly string[] | null): DropInPlace => ({
    ...place,
    contractPaths: (phase) => {
      asked.push(phase);
      return paths;
    },
  });
  const payload = { ...update, files_modified: ["./src/a.ts", "b", "b", 7], allowed_paths: ["src/a.ts", "c/"] };
  const judge = (phase: unknown, paths: readonly string[] | null) =>
    judgeDropIn(envelope("execution_update", "dev", payload, { phase }), vbw2DropIn, withContract(paths)).errors;
  const outside = ["b", "b", "7", "c/"].map((path) => `file reference ${path} outside contract scope`);
  assert.deepEqual(judge(1, ["./src/a.ts", "c"]), outside);
  assert.deepEqual(judge("02", ["src/a.ts"]), outside);
  assert.deepEqual(asked, ["1", "02"]);
  for (const phase of [0, "0", -1, "x", null, 1.5, "../1"]) assert.deepEqual(judge(phase, ["z"]), []);
  assert.deepEqual(asked, ["1", "02"], "no contract is looked for without a phase above 0");
  assert.deepEqual(judge(1, []), []);
  assert.deepEqual(judge(1, null), []);
});

test("the tables differ from the matrices only where the scripts do", () => {
  const known: ReadonlyMap<string, readonly string[]> = new Map([
    ["vbw/2", []],
    ["vbw/2.1", []],
    // The yolo scripts still know the scout and the qa whom their document has dropped.
    [
      "yolo/2",
      [
        "scout_findings: only in the scripts",
        "qa_verdict: only in the scripts",
        "shutdown_response: qa, scout may also send",
      ],
    ],
  ]);
  const tables: readonly (readonly [string, DropInTable])[] = [
    ["vbw/2", vbw2DropIn],
    ["yolo/2", yolo2DropIn],
    ["vbw/2.1", vbw21DropIn],
  ];
  for (const [id, table] of tables) {
    const definitions = dialectOf(id)?.definitions ?? new Map();
    const differences: string[] = [];
    for (const [type, { required, senders }] of table.messages) {
      const definition = definitions.get(type);
      if (definition === undefined) {
        differences.push(`${type}: only in the scripts`);
        continue;
      }
      const fields = definition.fields.filter((field: { required: boolean }) => field.required);
      assert.deepEqual(
        required,
        fields.map((field: { name: string }) => field.name),
        `${id} ${type}`,
      );
      const more = senders.filter((role) => !definition.senders.includes(role)).toSorted();
      const fewer = definition.senders.filter((role: string) => !senders.includes(role));
      if (more.length > 0) differences.push(`${type}: ${more.join(", ")} may also send`);
      if (fewer.length > 0) differences.push(`${type}: ${fewer.join(", ")} may not send`);
    }
    for (const type of definitions.keys())
      if (!table.messages.has(type)) differences.push(`${type}: not in the scripts`);
    assert.deepEqual(differences, known.get(id), id);
  }
});

test("the path loads no validator and no zod", async () => {
  const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
  const entry = "\0drop-in";
  await using bundle = await rolldown({
    input: entry,
    platform: "neutral",
    plugins: [
      {
        name: "drop-in",
        resolveId: (source) => (source === entry ? entry : null),
        load: (id) =>
          id === entry
            ? ["drop-in", "drop-in-table"]
                .map((name) => `export * from ${JSON.stringify(here(`./${name}.ts`))};`)
                .join("\n")
            : null,
      },
    ],
  });
  const { output } = await bundle.generate({ format: "es", comments: false });
  const [{ code, moduleIds }] = output;
  assert.deepEqual(
    moduleIds.filter((path) => /node_modules|generated|messages\.ts/.test(path)),
    [],
  );
  assert.ok(code.length < 40_000, `${code.length}`);
});

test("the later revision lifts shutdown messages only", () => {
  const types = [...(dialectOf("vbw/2.1")?.definitions.keys() ?? [])];
  assert.deepEqual(
    types.filter((type) => Object.hasOwn(lifted({ type }, 0), "payload")),
    ["shutdown_request", "shutdown_response"],
  );
});
