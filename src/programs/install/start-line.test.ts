/** What the start line takes from the settings of the program's user. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { geminiTrusts } from "./start-line.ts";

test("Gemini CLI trusts a folder by the rule of the longest path around it, by a variable, or where it asks about none", (t) => {
  const home = mkdtempSync(join(tmpdir(), "baton-line-"));
  t.after(() => rmSync(home, { recursive: true }));
  const own = join(home, ".gemini");
  mkdirSync(own);
  const trusts = (folder: string, environment: Readonly<Record<string, string>> = {}) =>
    geminiTrusts({ home, environment: () => environment }, folder);
  assert.equal(trusts("/shop"), false);
  assert.equal(trusts("/shop", { GEMINI_CLI_TRUST_WORKSPACE: "true" }), true);
  const rules = {
    "/shop/.baton/trees/dev-1": "TRUST_FOLDER",
    "/other/tree": "TRUST_PARENT",
    "/other/bad-one": "DO_NOT_TRUST",
  };
  writeFileSync(join(own, "trustedFolders.json"), JSON.stringify(rules));
  assert.deepEqual(
    ["/shop", "/shop/.baton/trees/dev-1", "/shop/.baton/trees/dev-10", "/other/more", "/other/bad-one/in"].map((each) =>
      trusts(each),
    ),
    [false, true, false, true, false],
  );
  writeFileSync(join(own, "settings.json"), '{"security": {"folderTrust": {"enabled": false}}}');
  assert.equal(trusts("/shop"), true);
});
