import assert from "node:assert/strict";
import { test } from "node:test";
import { readMessage } from "./read-message.ts";

const flat =
  'type: dev_progress\ntask: 03-01/T3\nplan_id: "03-01"\ncommit: abc1234\nstatus: complete\nconcerns:\n- none\n';
const typed = 'id: m-1\ntype: execution_update\nschema_version: "2.0"\nauthor_role: dev\npayload:\n  plan_id: 1-1\n';

test("a message written in YAML is reported as such: in an envelope it is refused, flat it is prose with a problem", () => {
  for (const wrap of [
    (yaml: string) => yaml,
    (yaml: string) => `---\n${yaml}---\n`,
    (yaml: string) => `\`\`\`yaml\n${yaml}\`\`\``,
  ]) {
    for (const [yaml, outcome] of [
      [flat, "prose"],
      [typed, "invalid"],
      [typed.replaceAll("\n", "\r\n"), "invalid"],
    ] as const) {
      const { outcome: found, problems } = readMessage(wrap(yaml));
      assert.equal(found, outcome, wrap(yaml));
      assert.equal(problems[0]?.code, "not-json");
      assert.match(problems[0]?.hint ?? "", /^Write it as JSON: \{"type": "\w+", \.\.\.\}\.$/);
    }
  }
});

test("among words it is a quotation, and is noted", () => {
  const reading = readMessage(`She sent this:\n\n\`\`\`yaml\n${typed}\`\`\`\nIs that right?`);
  assert.equal(reading.outcome, "prose");
  assert.deepEqual(reading.problems, []);
  assert.equal(reading.notes[0]?.code, "not-typed");
});

test("other words with a type are words", () => {
  for (const text of [
    "type: a kind of thing\n",
    "type: lunch\nat: 12\n",
    "Note the type:\n\ntype: dev_progress is what I mean\n",
    "- type: dev_progress\n- why\n",
  ]) {
    assert.deepEqual(readMessage(text).problems, [], text);
  }
});

test("a list or a table that labels a known type says what the text lacks to be it", () => {
  for (const text of [
    "- **type**: dev_progress\n- **task**: T3\n- **plan_id**: 03-01\n",
    '| field | value |\n|---|---|\n| type | "dev_progress" |\n| task | T3 |\n| plan_id | 03-01 |\n',
  ]) {
    const [note] = readMessage(text, { dialects: ["vbw/1"] }).notes;
    assert.equal(note?.code, "not-typed");
    assert.match(note?.message ?? "", /it lacks commit, status\.$/);
  }
});

test("an object that the words before it call an example is part of the words", () => {
  const blocker = JSON.stringify({ type: "dev_blocker", task: "T3", plan_id: "03-01", blocker: "b", needs: "n" });
  for (const before of [
    "For example: ",
    "The format is\n```json\n",
    "e.g. ",
    "It should look like this, such as: `",
    "Template:\n\n",
  ]) {
    const reading = readMessage(`${before}${blocker}`, { dialects: ["vbw/1"] });
    assert.equal(reading.outcome, "prose", before);
    assert.match(reading.notes[0]?.message ?? "", /call it an example/);
  }
  for (const before of ["I am stuck: ", "Here it is.\n```json\n", "The example works. But now: "]) {
    assert.equal(readMessage(`${before}${blocker}`, { dialects: ["vbw/1"] }).outcome, "accepted", before);
  }
});

test("code in one line of backticks opens no fence, however long it is", () => {
  const text = `\`\`\`json {"type":"dev_progress","task":"T3","plan_id":"03-01","commit":"","status":"partial"} \`\`\``;
  assert.equal(readMessage(text, { dialects: ["vbw/1"] }).outcome, "accepted");
});
