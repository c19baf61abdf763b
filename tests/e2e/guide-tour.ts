/** The lines of a guide that are marked as a tour, run as they are, in a fresh folder. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { commandMsMax, environment, folder, mainBundle } from "./command.ts";

/** Runs the tour of `docs/guides/NAME.md` to its end. `said`: all that it printed, to be shown where something is amiss. */
export function runTour(name: string): { readonly stdout: string; readonly said: string } {
  const guide = readFileSync(join(import.meta.dirname, `../../docs/guides/${name}.md`), "utf8");
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
  return { stdout: done.stdout, said };
}
