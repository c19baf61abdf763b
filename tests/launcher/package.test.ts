/** What is installed where the package is: all that its entries name, and nothing of this machine. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const home = join(import.meta.dirname, "../..");
const hasNpm = spawnSync("npm", ["--version"]).status === 0;

interface Facts {
  readonly bin: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
}

test("the package holds what its entries name, no source and nothing compiled here", {
  skip: hasNpm ? false : "npm is not on the path",
}, () => {
  const packed = spawnSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: home,
    encoding: "utf8",
    maxBuffer: 16 * 1024 * 1024,
  });
  assert.equal(packed.status, 0, packed.stderr);
  const listed: unknown = JSON.parse(packed.stdout);
  // Newer npm answers by name, older ones with a list.
  const [only] = Object.values(listed as object) as readonly { readonly files: readonly { readonly path: string }[] }[];
  const held = new Set(only?.files.map(({ path }) => path));
  // The package's own file: its shape is ours.
  const { bin, exports } = JSON.parse(readFileSync(join(home, "package.json"), "utf8")) as Facts;
  const named = [
    ...Object.values(bin),
    ...Object.values(exports).flatMap((entry) => (typeof entry === "string" ? [entry] : Object.values(entry))),
  ]
    .filter((path) => path.startsWith("./") && !path.includes("*"))
    .map((path) => path.slice(2));
  for (const path of [...named, "dist/cli/main.cjs", "dist/cli/validate-message.cjs", "dist/page/index.html"]) {
    assert.ok(held.has(path), `${path} is missing`);
  }
  const strange = [...held].filter((path) => /^(src|tests|bench|scripts|\.)|compile-cache|\.test\./.test(path));
  assert.deepEqual(strange, []);
});
