/** What is bundled of other packages goes with the texts of their licences. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const home = join(import.meta.dirname, "../..");

const names = [
  "hono",
  "@hono/node-server",
  "zod",
  "svelte",
  "yaml",
  "eventsource-parser",
  "@modelcontextprotocol/server",
];

test("the licences of what the command and the page bundle are in the package, word for word", () => {
  const file = join(home, "dist/LICENSES.txt");
  assert.ok(existsSync(file), "the package is not built: run `npm run build`");
  const text = readFileSync(file, "utf8");
  for (const name of names) {
    const folder = join(home, "node_modules", name);
    const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version: string };
    assert.ok(text.includes(`${name} ${version}\n`), `${name} is named`);
    const licence = ["LICENSE", "LICENSE.md"].map((each) => join(folder, each)).find((each) => existsSync(each));
    assert.ok(licence !== undefined && text.includes(readFileSync(licence, "utf8")), `${name} has its licence`);
  }
});
