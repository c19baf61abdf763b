/** The lines of a guide that are marked as a tour, run as they are, in a fresh folder. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { commandMsMax, commandNode, environment, folder, mainBundle } from "./command.ts";

/** Runs the blocks of `docs/guides/NAME.md`, one after the other. `said`: all that they printed. */
export function runTour(name: string): { readonly stdout: string; readonly said: string } {
  const guide = readFileSync(join(import.meta.dirname, `../../docs/guides/${name}.md`), "utf8");
  const blocks = [...guide.matchAll(/```sh tour\n(.*?)```/gs)].map(([, lines = ""]) => lines);
  assert.ok(blocks.length > 0, "the guide has lines to run");
  const baton = `baton() { "${commandNode}" "${mainBundle}" "$@"; }`;
  // A hub that a line started must not outlive a later line that fails.
  const end = "trap 'BATON_AGENT=owner baton stop --deadline 1 >/dev/null 2>&1 || true' ERR";
  const done = spawnSync("bash", ["-Eeuo", "pipefail", "-c", [baton, end, ...blocks].join("\n")], {
    cwd: folder(),
    encoding: "utf8",
    env: environment(),
    timeout: commandMsMax,
  });
  const said = `${done.stdout}\n${done.stderr}`;
  assert.equal(done.status, 0, said);
  return { stdout: done.stdout, said };
}
