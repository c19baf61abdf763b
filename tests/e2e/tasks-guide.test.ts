/** The guide to tasks does what it says: its lines are run as they are, in a fresh folder. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { called } from "./called.ts";
import { team } from "./command.ts";
import { runTour } from "./guide-tour.ts";

test("the guide's lines run to their end and show what its comments promise", () => {
  const { stdout, said } = runTour("tasks");
  assert.match(stdout, /"granted":true,"task":"1","token":\d+,"expiresAt":"/, said);
  assert.match(stdout, /"granted":false,"reason":"overlap","holder":"dev-1","paths":\["src\/names/, said);
  assert.equal(stdout.match(/^exit 2$/gm)?.length, 3, said);
  assert.match(stdout, /tasks: 1 available, 1 claimed, 1 reported/, said);
});

test("a list is shown as it was read, and added with --yes; a claim takes the next and says what to do", async () => {
  const place = team();
  const guide = readFileSync(new URL("../../docs/guides/tasks.md", import.meta.url), "utf8");
  writeFileSync(join(place, "plan.md"), /```md\n(1\. [\s\S]*?)```/.exec(guide)?.[1] ?? "");
  const asked = await called(place, ["plan", "add", "plan.md"]);
  assert.match(asked.stdout, /^2 tasks\n1\. Totals carry tax \(high; #cart; files src\/cart\.js\)\n/);
  assert.match(asked.said, /Nothing is added yet\. With --yes the tasks are\./);
  const added = await called(place, ["plan", "add", "plan.md", "--yes"]);
  assert.match(added.stdout, /^Added 2 tasks \(entry \d+\)\.\n {2}1 {2}Totals carry tax\n {2}2 {2}A page about it$/m);
  const claimed = await called(place, ["task", "claim", "--as", "dev-1"]);
  assert.match(
    claimed.stdout,
    /^Claimed: 1, token \d+, until .*\n {2}files {2}src\/cart\.js\n {2}Totals carry tax\n {2}The cart shows/,
  );
  assert.match(claimed.stdout, /^ {4}1\. total\(\) returns net, tax and gross in cents\n {2}check {2}npm test$/m);
  const none = await called(place, ["task", "claim", "--as", "qa-1"]);
  assert.match(none.said, /No task is free for qa-1: 2 open tasks/);
  writeFileSync(join(place, "plan.md"), "1. a\n2. b\n   after: 9\n");
  const wrong = await called(place, ["plan", "add", "plan.md", "--yes"]);
  assert.match(wrong.said, /wrong-value at line 2\n +"after 9" is no other task of this list\./);
});

test("a title may be one word; an id is written as in documents, or has its title beside it", async () => {
  const place = team();
  for (const [words, says] of [
    [["Readme"], "Added: 1"],
    [["1-1-T3", "--plan", "1-1"], "Added: 1-1-T3"],
    [["tax", "--title", "Taxes"], "Added: tax"],
    [["1", "--title", "All of the readme"], "Changed: 1"],
  ] as const)
    assert.match((await called(place, ["task", "add", ...words])).stdout, new RegExp(`^${says} \\(`), words.join(" "));
  const { stdout } = await called(place, ["task", "list"]);
  assert.match(stdout, /^available {2}1 .*All of the readme$/m);
});
