/** The published protocol on the terminal: schemas, bundles, reference pages. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { dialects } from "../../src/messages/dialects/index.ts";
import { calledWithCode } from "./called.ts";
import { folder, jsonLines, team } from "./command.ts";

const place = folder();

test("reference --schema lists every message of every dialect, and prints each", async () => {
  const names = (await calledWithCode(0, place, ["reference", "--schema"])).stdout.trimEnd().split("\n");
  const known = dialects.flatMap(({ id, definitions }) => [...definitions.keys()].map((type) => `${id}/${type}`));
  assert.deepEqual(names, known);
  assert.ok(names.length >= 51);
  const schema = JSON.parse(
    (await calledWithCode(0, place, ["reference", "yolo/1/escalation", "--schema"])).stdout,
  ) as {
    readonly $id: string;
  };
  assert.equal(schema.$id, "urn:baton:yolo/1:escalation");
  assert.match(
    (await calledWithCode(3, place, ["reference", "vbw/2/qa_verdct", "--schema"])).stderr,
    /did you mean "vbw\/2\/qa_verdict"\?/,
  );
});

test("the schema of a dialect is that of all its messages", async () => {
  const { stdout } = await calledWithCode(0, place, ["reference", "vbw/2.1", "--schema"]);
  const bundle = JSON.parse(stdout) as { readonly $defs: object };
  assert.equal(Object.keys(bundle.$defs).length, 10);
  assert.match((await calledWithCode(3, place, ["reference", "vbw/22", "--schema"])).stderr, /did you mean "vbw\/2"\?/);
});

test("reference prints the dialects, a matrix and a page, with no link to click", async () => {
  assert.equal(jsonLines(await calledWithCode(0, place, ["reference", "--json"])).length, dialects.length);
  const matrix = (await calledWithCode(0, place, ["reference", "vbw/2"])).stdout;
  assert.match(matrix, /^# vbw\/2: who sends what to whom\n/);
  assert.match(matrix, /\| qa_verdict \| qa \| lead \|/);
  const page = (await calledWithCode(0, place, ["reference", "vbw/2.1/qa_verdict"])).stdout;
  assert.match(page, /^# qa_verdict \(vbw\/2\.1\)\n/);
  assert.match(page, /## Example\n[\s\S]*`baton reference vbw\/2\.1\/qa_verdict --schema`/);
  assert.doesNotMatch(page, /\]\(|<!--/);
  assert.match(
    (await calledWithCode(3, place, ["reference", "yolo/1/escalatio"])).stderr,
    /did you mean "yolo\/1\/escalation"\?/,
  );
});

test("a type alone is that of the team's first dialect that has it, and the others are named", async () => {
  const there = team({ dialects: "yolo/2, vbw/2" });
  const schema = await calledWithCode(0, there, ["reference", "execution_update", "--schema"]);
  assert.match(schema.stdout, /"urn:baton:yolo\/2:execution_update"/);
  assert.match(
    schema.stderr,
    /^This is yolo\/2\/execution_update, the team's\. There is also vbw\/2\/execution_update, /,
  );
  assert.match(
    (await calledWithCode(0, there, ["reference", "plan_contract"])).stdout,
    /^# plan_contract \(yolo\/2\)\n/,
  );
  assert.match(
    (await calledWithCode(0, there, ["reference", "vbw/2/qa_verdict"])).stdout,
    /^# qa_verdict \(vbw\/2\)\n/,
  );
  // What the team does not have, and every type where there is no team, is named with its dialect.
  for (const [directory, type] of [
    [there, "escalation"],
    [place, "escalation"],
    [place, "escalatin"],
  ] as const)
    assert.match(
      (await calledWithCode(3, directory, ["reference", type])).stderr,
      /did you mean "yolo\/1\/escalation"\?/,
    );
});
