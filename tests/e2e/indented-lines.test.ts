/** Indented JSON in a file that has one message a line is reported as such; its lines are not judged as words. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { typedMessage } from "../../src/testing/fixtures.ts";
import { called } from "./called.ts";
import { folder, jsonLines } from "./command.ts";

const line = JSON.stringify(typedMessage("execution_update"));
const indented = JSON.stringify(typedMessage("execution_update"), null, 2);
const list = JSON.stringify([typedMessage("execution_update")], null, "\t");

/** the file's text, the line that is reported (null: none), valid messages before it */
const cases: readonly (readonly [name: string, text: string, line: number | null, valid: number])[] = [
  ["one message a line", `${line}\n${line}\n`, null, 2],
  ["one indented message", indented, 1, 0],
  ["one with Windows' line ends", indented.replaceAll("\n", "\r\n"), 1, 0],
  ["several, one behind another", `${indented}\n${indented}\n`, 1, 0],
  ["a list of them", list, 1, 0],
  ["a line, then an indented one", `${line}\n\n${indented}\n`, 3, 1],
];

for (const [name, text, place, valid] of cases) {
  test(`a .jsonl file with ${name}: ${place === null ? "read" : `reported at line ${place}`}`, async () => {
    const directory = folder();
    writeFileSync(join(directory, "sent.jsonl"), text);
    const done = await called(directory, ["validate", "sent.jsonl", "--json"]);
    const answers = jsonLines(done).filter(({ valid: isValid }) => isValid === true);
    assert.equal(answers.length, valid, done.said);
    if (place === null) return assert.equal(done.code, 0);
    assert.equal(done.code, 2, done.said);
    assert.match(done.said, new RegExp(`sent\\.jsonl:${place}\\b`));
    assert.match(done.said, /jq -c/);
  });
}

test("a line that is only a bracket, before another line, is judged by itself", async () => {
  const directory = folder();
  writeFileSync(join(directory, "sent.jsonl"), `{\n${line}\n[\n`);
  const done = await called(directory, ["validate", "sent.jsonl", "--json"]);
  assert.deepEqual(
    jsonLines(done).map(({ valid, index }) => [index, valid]),
    [
      [0, false],
      [1, true],
      [2, true],
    ],
  );
});
