/** Two clones of one project on one journal: the team file of the clone that lacks a pull undoes nothing. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { called } from "../../e2e/called.ts";
import { folder } from "../../e2e/command.ts";
import { git } from "../../evidence/history.ts";
import { skip, testServer } from "./server.ts";

const before = "version: 1\nteam: web\ndialects: [vbw/2]\nagents:\n  lead-1: {role: lead}\n  dev-1: {role: dev}\n";
const after = `${before}  dev-2: {role: dev}\n`;

test("a clone that is one pull behind ends no claim that the owner's newer team file allowed", { skip }, async () => {
  const url = (await testServer()).newUrl();
  const [ahead, behind] = [folder(), folder()];
  for (const directory of [ahead, behind]) {
    git(directory, "init", "--quiet", "--initial-branch=main");
    await run(directory, "init", "--team", "web");
    writeFileSync(join(directory, ".baton/team.yaml"), before);
    await run(directory, "journal", "place", url);
    await run(directory, "status");
  }
  writeFileSync(join(ahead, ".baton/team.yaml"), after);
  const waiting = JSON.parse((await run(ahead, "team", "--json")).stdout) as { proposal: { id: string } };
  await run(ahead, "team", "confirm", waiting.proposal.id);
  await run(ahead, "task", "add", "T1", "--as", "lead-1", "--files", "a.ts");
  await run(ahead, "task", "claim", "T1", "--as", "dev-2");

  const looked = await run(behind, "status");
  assert.match(looked.stderr, /warning: The team file of this folder is older than the one of revision 2\./);
  assert.equal(looked.stderr.trimEnd().split("\n").length, 1, looked.stderr);
  assert.match(
    (await run(behind, "team")).stdout,
    /revision 2 is in force: the team file of this folder says something/,
  );
  const checked = await called(behind, ["doctor", "--json"]);
  assert.match(checked.stdout, /older than the one of revision 2/);
  const board = await run(ahead, "status", "--json");
  assert.deepEqual([revisionIn(board.stdout), board.stderr], [2, ""]);
  await run(ahead, "task", "release", "T1", "--as", "dev-2");

  writeFileSync(join(behind, ".baton/team.yaml"), after);
  assert.equal((await run(behind, "status")).stderr, "", "as after a pull");
  writeFileSync(join(behind, ".baton/team.yaml"), before);
  assert.equal(revisionIn((await run(behind, "status", "--json")).stdout), 3, "changed back where the newer one was");
});

async function run(directory: string, ...words: readonly string[]) {
  const done = await called(directory, words);
  assert.equal(done.code, 0, `baton ${words.join(" ")}\n${done.said}`);
  return done;
}

function revisionIn(status: string): number {
  return (JSON.parse(status) as { revision: number }).revision;
}
