import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { environment, mainBundle } from "../../tests/e2e/command.ts";

function tell(command: string) {
  // The story calls `node`: this test's own comes first.
  const path = `${dirname(process.execPath)}:${process.env.PATH ?? ""}`;
  return spawnSync("bash", [join(import.meta.dirname, "story.sh")], {
    encoding: "utf8",
    env: environment({ BATON: command, PATH: path, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" }),
    timeout: 120_000,
  });
}

test("the story of two agents goes as told", () => {
  const told = tell(`${process.execPath} ${mainBundle}`);
  assert.equal(told.status, 0, `${told.stdout}\n${told.stderr}`);
  assert.match(told.stdout, /The story went as told\.\n$/);
});

test("a command that does nothing and says it went well makes the story fail", () => {
  const told = tell("true");
  assert.notEqual(told.status, 0);
  assert.doesNotMatch(told.stdout, /went as told/);
});
