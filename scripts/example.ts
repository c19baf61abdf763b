/**
 * Runs an example: `npm run example NAME`, or lists them; `-- --keep DIR` leaves the repository and the journal of
 * those that are written in TypeScript. Every example is a folder under `examples/` with a `story.sh` or a `story.ts`
 * that checks each of its steps and ends with a code other than 0 at the first that differs.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

const examples = join(import.meta.dirname, "..", "examples");
const names = readdirSync(examples).filter((each) => wordsFor(each) !== null);
const [name, ...rest] = process.argv.slice(2);
const [program, ...words] = (name === undefined ? null : wordsFor(name)) ?? [];
if (program === undefined) {
  console.error(`${name === undefined ? "Name an example" : `There is no example "${name}"`}: ${names.join(", ")}.`);
  process.exit(64);
}
const run = spawnSync(program, [...words, ...rest], { stdio: "inherit" });
process.exit(run.status ?? 1);

/** The command that tells a story; null: there is none of that name. */
function wordsFor(story: string): readonly string[] | null {
  if (!/^[a-z][a-z-]*$/.test(story)) return null;
  const [shell, script] = [join(examples, story, "story.sh"), join(examples, story, "story.ts")];
  if (existsSync(shell)) return [shell];
  return existsSync(script) ? [process.execPath, script] : null;
}
