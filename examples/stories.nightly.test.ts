import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../tests/crash/folder.ts";
import { story as mixed } from "./mixed-team/story.ts";
import { type Story, same, tellStory } from "./stage.ts";

test("the story of the mixed team goes as told", async () => {
  const lines: string[] = [];
  await tellStory(mixed, { say: (line) => lines.push(line) });
  assert.match(lines.join("\n"), /The story went as told\.$/);
});

test("a story of which one thing differs fails there, and does not go on", async () => {
  const wrong: Story = {
    name: "wrong",
    team: mixed.team,
    async tell(stage) {
      await stage.say("lead-1", { type: "no such type" }, ["dev-1"]);
      same("this", 1, 2);
    },
  };
  const lines: string[] = [];
  await assert.rejects(tellStory(wrong, { say: (line) => lines.push(line) }), /DIFFERS/);
  assert.doesNotMatch(lines.join("\n"), /as told/);
});

test("npm run example runs a story by its name, and leaves repository and journal where they are wanted", () => {
  using folder = temporaryFolder("memory");
  const place = join(folder.path, "kept");
  const script = join(import.meta.dirname, "..", "scripts", "example.ts");
  const told = spawnSync(process.execPath, [script, "mixed-team", "--keep", place], {
    encoding: "utf8",
    timeout: 60_000,
  });
  assert.equal(told.status, 0, told.stderr);
  assert.match(told.stdout, /The story went as told\.\n$/);
  assert.ok(existsSync(join(place, ".git", "baton", "journal.db")) && existsSync(join(place, ".git")));
  const unknown = spawnSync(process.execPath, [script, "../etc"], { encoding: "utf8", timeout: 60_000 });
  assert.equal(unknown.status, 64);
  assert.match(unknown.stderr, /mixed-team, two-agents/);
});
