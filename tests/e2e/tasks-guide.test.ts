/** The guide to tasks does what it says: its lines are run as they stand, in a fresh folder. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { commandMsMax, environment, folder, mainBundle } from "./command.ts";

const guide = readFileSync(join(import.meta.dirname, "../../docs/guides/tasks.md"), "utf8");

test("the guide's lines run to their end and show what its comments promise", () => {
  const tour = /```sh tour\n(.*?)```/s.exec(guide)?.[1];
  assert.ok(tour !== undefined, "the guide has lines to run");
  const baton = `baton() { "${process.execPath}" "${mainBundle}" "$@"; }`;
  const done = spawnSync("bash", ["-euo", "pipefail", "-c", `${baton}\n${tour}`], {
    cwd: folder(),
    encoding: "utf8",
    env: environment(),
    timeout: commandMsMax,
  });
  const said = `${done.stdout}\n${done.stderr}`;
  assert.equal(done.status, 0, said);
  assert.match(done.stdout, /"granted":true,"task":"1-1-T1","token":\d+,"expiresAt":"/, said);
  assert.match(done.stdout, /"granted":false,"reason":"overlap","holder":"dev-1","paths":\["src\/names/, said);
  assert.equal(done.stdout.match(/^exit 2$/gm)?.length, 3, said);
  assert.match(done.stdout, /tasks: 1 available, 1 claimed, 1 reported/, said);
});
