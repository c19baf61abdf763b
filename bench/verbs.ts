/**
 * The calls that agents make again and again, as whole processes against Node doing nothing: on a journal in this folder
 * and through a hub. And how many of the package's own files one of them loads.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { openHub, teamText } from "./hub-calls.ts";
import type { Measure } from "./measure.ts";

const home = join(import.meta.dirname, "..");
const launcher = join(home, "bin/baton.js");

/** The verbs, as one developer calls them. */
const verbs = [
  ["inbox"],
  ["status"],
  ["send", "--to", "lead-1", "note.txt"],
  ["task", "claim", "bench-1"],
] as const satisfies readonly (readonly string[])[];

/** Each verb on a separate journal. */
const localVerbs: readonly Measure[] = verbs.map((verb) => ({
  name: `baton ${nameOf(verb)} as a whole process, local`,
  subject: "a team of ten, its journal in the repository",
  yardstick: "node -e 0",
  target: { of: "time", atMost: 2.3 },
  rounds: 40,
  open: async (folder) => {
    openFolder(folder);
    return pairOf(folder, [...verb, "--as", "dev-1"]);
  },
}));

/** Each verb through a hub. */
const hubVerbs: readonly Measure[] = verbs.map((verb) => ({
  name: `baton ${nameOf(verb)} as a whole process, through a hub`,
  subject: "a team of ten, its hub on this machine",
  yardstick: "node -e 0",
  target: { of: "time", atMost: 4 },
  rounds: 40,
  open: async (folder, opened) => {
    const hub = await openHub(folder);
    opened.defer(hub.close);
    writeFileSync(join(folder, "note.txt"), note);
    const at = (token: string) => ["--hub", hub.url, "--team", "bench", "--token", token];
    processMs(folder, [launcher, "task", "add", "bench-1", "--files", "none", ...at(await hub.token("lead-1"))]);
    return pairOf(folder, [...verb, ...at(hub.dev)]);
  },
}));

/** The package's own files that `send` loads, run from its sources: what is loaded late counts when it is. */
const loadedFiles: Measure = {
  name: "Files that `baton send` loads",
  subject: "modules of the package, loaded by one call",
  yardstick: "the bound",
  target: { of: "time", atMost: 1 },
  rounds: 1,
  unit: "modules",
  open: async (folder) => {
    openFolder(folder);
    const counter = join(folder, "count.mjs");
    writeFileSync(counter, counting);
    const words = ["send", "--to", "lead-1", "note.txt", "--as", "dev-1"];
    const program = [
      "--no-warnings",
      "--import",
      pathToFileURL(counter).href,
      join(home, "src/main/baton.ts"),
      ...words,
    ];
    return {
      yardstick: () => 200,
      subject: () => {
        const done = spawnSync(process.execPath, program, { cwd: folder, encoding: "utf8" });
        if (done.status !== 0) throw new Error(`baton send failed: ${done.stderr}`);
        return Number(done.stderr.trim().split("\n").at(-1));
      },
    };
  },
};

/** Every measure of this file. */
export const verbMeasures: readonly Measure[] = [...localVerbs, ...hubVerbs, loadedFiles];

/** Prints at the end how many files of the package's sources were loaded. */
const counting = `import { registerHooks } from "node:module";
import { writeSync } from "node:fs";
const own = new Set();
registerHooks({ load: (url, context, next) => {
  if (/[/](?:src|demo)[/].*[.](?:ts|js)$/.test(url) && !url.includes("node_modules")) own.add(url);
  return next(url, context);
} });
process.on("exit", () => writeSync(2, String(own.size) + "\\n"));
`;

const note = "The build is green.\n";

function nameOf(verb: readonly string[]): string {
  return verb[0] === "task" ? verb.slice(0, 2).join(" ") : (verb[0] ?? "");
}

/** A repository with the bench's team, its journal and a task. */
export function openFolder(folder: string): void {
  const made = spawnSync("git", ["init", "--quiet", "-b", "main", folder], { encoding: "utf8" });
  if (made.status !== 0) throw new Error(made.stderr);
  mkdirSync(join(folder, ".baton"));
  writeFileSync(join(folder, ".baton/team.yaml"), teamText);
  writeFileSync(join(folder, "note.txt"), note);
  processMs(folder, [launcher, "init", "--yes"]);
  processMs(folder, [launcher, "task", "add", "bench-1", "--files", "none", "--as", "lead-1"]);
}

function pairOf(folder: string, words: readonly string[]) {
  return { yardstick: () => processMs(folder, ["-e", "0"]), subject: () => processMs(folder, [launcher, ...words]) };
}

function processMs(folder: string, words: readonly string[]): number {
  const start = performance.now();
  const done = spawnSync(process.execPath, words, { cwd: folder, encoding: "utf8" });
  const took = performance.now() - start;
  if (done.status !== 0) throw new Error(`${words.join(" ")} failed: ${done.stdout}${done.stderr}`);
  return took;
}
