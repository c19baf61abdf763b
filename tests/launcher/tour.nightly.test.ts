/** Runs the lines of the five minutes' tour unchanged, with the built command, in a fresh folder. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { quietPort } from "../http/quiet-port.ts";

const home = join(import.meta.dirname, "../..");

test("the tour of five minutes runs to its end and shows what its comments promise", async (t) => {
  const tour = /```sh tour\n(.*?)```/s.exec(readFileSync(join(home, "docs/guides/five-minutes.md"), "utf8"))?.[1];
  assert.ok(tour !== undefined, "the page has no tour");
  const folder = mkdtempSync(join(tmpdir(), "baton-tour-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const command = `baton() { "${process.execPath}" "${join(home, "bin/baton.js")}" "$@"; }`;
  const done = spawnSync("bash", ["-euo", "pipefail", "-c", `${command}\n${tour}`], {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, PORT: String(await quietPort()) },
    timeout: 120_000,
  });
  const said = `${done.stdout}\n${done.stderr}`;
  assert.equal(done.status, 0, said);
  assert.equal(done.stdout.match(/^exit 2$/gm)?.length, 3, `denied, disputed, refused\n${said}`);
  assert.match(said, /dev-1 holds src\/cart\.js/, said);
  assert.match(done.stdout, /^Disputed: the repository contradicts the report/m, said);
  assert.match(done.stdout, /^Verified: the repository confirms 1-1-T1/m, said);
  assert.match(said, /did you mean "partial"/, "the refusal's hint names the word that was meant");
  assert.match(done.stdout, /execution_update/, said);
  assert.match(
    done.stdout,
    /Shall I start with the cart/,
    "the lead reads over HTTP what the developer sent through the hub",
  );
});
