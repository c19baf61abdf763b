import assert from "node:assert/strict";
import { test } from "node:test";
import { dialectOf } from "../../messages/dialects/registry.ts";
import { typedMessage } from "../../testing/fixtures.ts";
import type { JsonObject } from "../json.ts";

const update = typedMessage("execution_update");
const { payload, ...around } = update as JsonObject & { readonly payload: JsonObject };
const progress = { type: "dev_progress", task: "03-01/T3", plan_id: "03-01", commit: "abc1234", status: "partial" };

/** What is notified of a message, as the dialect reads it: `path: hint`. */
function hints(dialect: string, message: JsonObject, strict = false): readonly string[] {
  // Through JSON, which leaves out what is undefined.
  const answer = dialectOf(dialect)?.read(JSON.parse(JSON.stringify(message)), { strict });
  return answer?.answer === "invalid" ? answer.problems.map(({ path, hint }) => `${path}: ${hint}`) : [];
}

const { phase: _, ...phaseless } = around;
const { type, ...flat } = progress;

/** A message whose fields are there, but not where they belong; what the hints of its problems say. */
const cases: readonly (readonly [name: string, dialect: string, message: JsonObject, hint: RegExp])[] = [
  [
    "fields beside the payload",
    "vbw/2",
    { ...around, ...payload },
    /^\$\.payload: put plan_id, task_id, status, commit( and the others)? into an object under "payload"$/,
  ],
  [
    "the payload under another name",
    "vbw/2",
    { ...around, body: payload },
    /^\$\.payload: did you mean "payload" where you wrote "body"\?$/,
  ],
  [
    "a field of the envelope in the payload",
    "vbw/2",
    { ...phaseless, payload: { ...payload, phase: 1 } },
    /^\$\.phase: it is at \$\.payload\.phase: move it to \$\.phase$/,
  ],
  [
    "the same in other letters",
    "vbw/2",
    { ...phaseless, payload: { ...payload, Phase: 1 } },
    /^\$\.phase: it is at \$\.payload\.Phase: move it to \$\.phase$/,
  ],
  [
    "a field of the payload in the envelope",
    "vbw/2",
    { ...around, plan_id: "1-1", payload: { ...payload, plan_id: undefined } as never },
    /^\$\.payload\.plan_id: it is at \$\.plan_id: move it to \$\.payload\.plan_id$/,
  ],
  [
    "a payload within the payload",
    "vbw/2",
    { ...around, payload: { data: payload } },
    /^\$\.payload\.\w+: it is at \$\.payload\.data\.(\w+): move it to \$\.payload\.\1$/,
  ],
  ["flat fields in an object", "vbw/1", { type, data: flat }, /^\$\.(\w+): it is at \$\.data\.\1: move it to \$\.\1$/],
  [
    "a field misspelt",
    "vbw/1",
    { ...flat, type, status: undefined, statu: "partial" } as never,
    /^\$\.status: did you mean "status" where you wrote "statu"\?$/,
  ],
  [
    "a field that is not there at all",
    "vbw/1",
    { ...flat, type, status: undefined } as never,
    /^\$\.status: add "status", such as "/,
  ],
  [
    "a message's id, which is new each time",
    "vbw/2",
    { ...around, type: "execution_update", id: undefined, payload } as never,
    /^\$\.id: add "id", a new one for each message, such as "/,
  ],
  [
    "the time of a message, which is no other message's",
    "vbw/2",
    { ...around, type: "execution_update", timestamp: undefined, payload } as never,
    /^\$\.timestamp: add "timestamp", the time now, such as "/,
  ],
  [
    "a section of a document beside its key",
    "bmad/1",
    { handoff: { metadata: {} }, context: {} },
    /^\$\.handoff\.(context: it is at \$\.context: move it to \$\.handoff\.context$|(?!context))/,
  ],
];

for (const [name, dialect, message, hint] of cases) {
  test(`${name}: the hint says where it is`, () => {
    const told = hints(dialect, message);
    assert.ok(told.length > 0);
    for (const one of told) assert.match(one, hint);
  });
}

test("what strict reading does not know is not taken for a field that is there, and not lost where it belongs elsewhere", () => {
  assert.deepEqual(hints("vbw/1", { ...progress, plan_ids: "1-1" }, true), ["$.plan_ids: leave it out"]);
  assert.deepEqual(
    hints("vbw/2", { ...around, concerns: [], payload: { ...payload, concerns: undefined } } as never, true),
    ["$.concerns: it belongs at $.payload.concerns: move it there"],
  );
});

/** Null where nothing must be said: what the hint says. */
const nulls: readonly (readonly [dialect: string, message: JsonObject, path: string, isLeftOut: boolean])[] = [
  ["vbw/1", { ...progress, concerns: null }, "$.concerns", true],
  ["vbw/1", { ...progress, status: null }, "$.status", false],
  ["vbw/2", { ...update, payload: { ...payload, concerns: null } }, "$.payload.concerns", true],
  ["vbw/2", { ...update, phase: null }, "$.phase", false],
  [
    "yolo/1",
    { ...dialectOf("yolo/1")?.definitions.get("design_handoff")?.example, deferred: null },
    "$.deferred",
    true,
  ],
];

for (const [dialect, message, path, isLeftOut] of nulls) {
  test(`null at ${path} of ${JSON.stringify(message.type)} is ${isLeftOut ? "to be left out" : "to be replaced"}`, () => {
    const [hint = ""] = hints(dialect, message).filter((one) => one.startsWith(`${path}:`));
    assert.equal(
      /: leave "\w+" out: a field that has no value here is not written at all$/.test(hint),
      isLeftOut,
      hint,
    );
  });
}

test("null in an entry's optional field, and in a document's, should be left out", () => {
  const handoff = dialectOf("bmad/1")?.definitions.get("handoff")?.example.handoff as JsonObject;
  const instructions = { ...(handoff.instructions as JsonObject), constraints: null };
  const dependencies = { external_dependencies: [{ name: "zod", version: null }] };
  const told = hints("bmad/1", { handoff: { ...handoff, instructions, dependencies } });
  assert.deepEqual(
    told.map((one) => one.split(" out")[0]),
    [
      '$.handoff.instructions.constraints: leave "constraints"',
      '$.handoff.dependencies.external_dependencies[0].version: leave "version"',
    ],
  );
});
