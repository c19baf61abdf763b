#!/usr/bin/env node
/*
 * The launcher of the command `baton`: it loads the right bundle, or says why this Node does not run Baton.
 * It is CommonJS with the syntax of Node 10 and nothing but built-in modules, so that an old Node can still say what
 * is wrong; CommonJS also starts faster (see docs/decisions.md).
 */
"use strict";

const path = require("path");

/** Below it, what the command is written in is not there. `engines` in package.json says which Nodes have both. */
const NODE = [22, 16, 0];
/** Below it, processes that share a file can damage it (src/journal/engines.ts). */
const SQLITE = [3, 51, 3];
const HOME = path.join(__dirname, "..");

main();

function main() {
  const has = process.versions;
  if (!isAtLeast(has.node, NODE) || !isAtLeast(has.sqlite || "0", SQLITE)) {
    return fail(
      "node-too-old",
      "this is Node " + has.node + ", and Baton needs Node 22.22.3, 24.15 or newer, with SQLite " + SQLITE.join("."),
      "Install a newer Node (https://nodejs.org), and run the same command again.",
    );
  }
  const bundle = path.join(
    HOME,
    "dist",
    "cli",
    process.argv[2] === "validate-message" ? "validate-message.cjs" : "main.cjs",
  );
  if (!require("fs").existsSync(bundle)) {
    return fail("not-built", "dist/ is missing", "Run `npm ci` (or `npm run build`) in " + HOME + ".");
  }
  return require(bundle);
}

function isAtLeast(version, least) {
  const parts = version.split(".").map(Number);
  for (let index = 0; index < least.length; index++) {
    if (parts[index] !== least[index]) return parts[index] > least[index];
  }
  return true;
}

function fail(code, what, remedy) {
  process.stderr.write("baton: " + code + ": " + what + ".\n" + remedy + "\n");
  process.exitCode = 1;
}
