/** Questions at a terminal: answers are written, and somebody who leaves in the middle leaves nothing behind. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { baton, expectCode, folder, jsonLines } from "./command.ts";
import { atTerminal, keys, type Step, withoutTerminal } from "./terminal.ts";

const { enter, down, space, interrupt, end } = keys;
const needs = { skip: withoutTerminal };
const clear = "\u0015";

/** The exit code of a command that was left. */
const interrupted = 130;

test("init asks for the name and the kind of team, and writes a team of it", needs, async () => {
  const place = folder();
  const done = await atTerminal(
    place,
    ["init"],
    [
      ["called?", `${clear}Web Shop!${enter}`],
      ["1 to 64 of a-z, 0-9 and -", `${clear}shop${enter}`],
      ["kind of team", `${down}${down}${enter}`],
    ],
  );
  assert.equal(done.code, 0, done.screen);
  const text = readFileSync(join(place, ".baton/team.yaml"), "utf8");
  assert.match(text, /^team: shop$/m);
  const given = folder();
  expectCode(0, given, ["init", "--kind", "vbw", "--team", "shop", "--yes"]);
  assert.equal(text, readFileSync(join(given, ".baton/team.yaml"), "utf8"));
});

test("init asks for the dialects of an empty team, and for no kind where one is given", needs, async () => {
  const [empty, given] = [folder(), folder()];
  const [done, named] = await Promise.all([
    atTerminal(
      empty,
      ["init"],
      [
        ["called?", enter],
        ["kind of team", enter],
        ["dialects do", `${down}${space}${enter}`],
      ],
    ),
    atTerminal(given, ["init", "--kind", "bmad"], [["called?", `${clear}line${enter}`]]),
  ]);
  assert.deepEqual([done.code, named.code], [0, 0], done.screen + named.screen);
  assert.match(readFileSync(join(empty, ".baton/team.yaml"), "utf8"), /^dialects: \[vbw\/2, yolo\/2\]$/m);
  assert.match(readFileSync(join(given, ".baton/team.yaml"), "utf8"), /^dialects: \[bmad\/1\]$/m);
  assert.doesNotMatch(named.screen, /kind of team/);
});

for (const [name, key] of [
  ["Ctrl-C", interrupt],
  ["Ctrl-D", end],
] as const) {
  test(`${name} leaves every question of init, and nothing is written`, needs, async () => {
    const asked: readonly Step[] = [
      ["called?", enter],
      ["kind of team", enter],
      ["dialects do", enter],
    ];
    await leaveEach(["init"], asked, key, folder);
  });
}

/** Runs the command once for each question and leaves there. */
async function leaveEach(words: readonly string[], steps: readonly Step[], key: string, newPlace: () => string) {
  for (const [index, [question]] of steps.entries()) {
    const place = newPlace();
    const before = String(readdirSync(place, { recursive: true }));
    const left = await atTerminal(place, words, [...steps.slice(0, index), [question, key]]);
    assert.equal(left.code, interrupted, `${question}\n${left.screen}`);
    assert.equal(String(readdirSync(place, { recursive: true })), before, question);
    assert.doesNotMatch(left.screen, /Warning|Wrote/);
  }
}

test("without a terminal nothing is asked", () => {
  const place = folder();
  const done = baton(place, ["init", "--team", "web", "--json"]);
  assert.equal(done.code, 0, done.stderr);
  assert.equal(jsonLines(done)[0]?.team, "web");
});
