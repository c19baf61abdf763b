/**
 * Everything that is checked without running anything: types, lint, generated files; then the budget, which fails
 * nothing. As many programs at once as there are processors, since none keeps two of them busy; each prints when it has
 * ended, and all are asked though one finds errors.
 */
import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const home = join(dirname(fileURLToPath(import.meta.url)), "..");

/** What is run, the longest first; npm puts the programs of the packages on the path. */
const checks: readonly (readonly [program: string, ...words: readonly string[]])[] = [
  ["oxlint"],
  ["npm", "run", "--silent", "types"],
  ["biome", "check", "."],
  [process.execPath, "scripts/generate.ts", "--check"],
];

/** The compiler and the linter that knows types are Go: where they collect garbage seldom, they take a sixth less time. */
const env = { GOGC: "400", ...process.env };

/** Runs one to its end and prints what it said; whether it found nothing. */
async function run([program, ...words]: (typeof checks)[number]): Promise<boolean> {
  // On Windows all of these but Node are scripts of the shell.
  const shell = process.platform === "win32" && program !== process.execPath;
  const child = spawn(program, words, { cwd: home, env, stdio: ["ignore", "pipe", "pipe"], shell });
  const said: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (part: Buffer) => said.push(part));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  process.stdout.write(Buffer.concat(said));
  if (code !== 0) console.log(`check: ${[program, ...words].join(" ")} found faults; see above`);
  return code === 0;
}

const waiting = checks.values();
const found: boolean[] = [];
async function work(): Promise<void> {
  for (const check of waiting) found.push(await run(check));
}
await Promise.all(Array.from({ length: availableParallelism() }, work));
await import("./budget.ts");
process.exitCode = found.every(Boolean) ? 0 : 1;
