import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { baton, environment, folder, mainBundle } from "../../tests/e2e/command.ts";

function tell(command: string, words: readonly string[] = []) {
  // The story calls `node`: this test's own comes first.
  const path = `${dirname(process.execPath)}:${process.env.PATH ?? ""}`;
  return spawnSync("bash", [join(import.meta.dirname, "story.sh"), ...words], {
    encoding: "utf8",
    env: environment({ BATON: command, PATH: path, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" }),
    timeout: 120_000,
  });
}

test("the story of four agents goes as told, and what is kept is a repository with a sound journal", () => {
  const kept = join(folder(), "kept");
  const told = tell(`${process.execPath} ${mainBundle}`, ["--keep", kept]);
  assert.equal(told.status, 0, `${told.stdout}\n${told.stderr}`);
  assert.match(told.stdout, /The story went as told\.\n$/);
  assert.equal(baton(kept, ["journal", "verify"]).code, 0);
  assert.equal(tell("true", ["--keep", kept]).status, 64, "never over what is there");
});

test("a command that does nothing and says it went well makes the story fail", () => {
  const told = tell("true");
  assert.notEqual(told.status, 0);
  assert.doesNotMatch(told.stdout, /went as told/);
});
