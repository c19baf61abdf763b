/**
 * Runs an example: `npm run example NAME`, or lists them. Every example is a folder under `examples/` with a `story.sh`
 * that checks each of its steps and ends with a code other than 0 at the first that differs.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

const examples = join(import.meta.dirname, "..", "examples");
const names = readdirSync(examples).filter((name) => existsSync(join(examples, name, "story.sh")));
const [name, ...rest] = process.argv.slice(2);
if (name === undefined || !names.includes(name)) {
  console.error(`${name === undefined ? "Name an example" : `There is no example "${name}"`}: ${names.join(", ")}.`);
  process.exit(64);
}
const run = spawnSync(join(examples, name, "story.sh"), rest, { stdio: "inherit" });
process.exit(run.status ?? 1);
