/**
 * The calls that agents make again and again, as whole processes against Node doing nothing: how long they take, and how
 * much processor time, on a journal in this folder and through a hub.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openHub, teamText } from "./hub-calls.ts";
import type { Measure } from "./measure.ts";

const launcher = join(import.meta.dirname, "../bin/baton.js");
const callsPerRound = 10;

/** The verbs, as one developer calls them. */
const verbs: readonly (readonly string[])[] = [
  ["inbox"],
  ["status"],
  ["send", "--to", "lead-1", "note.txt"],
  ["task", "claim", "bench-1"],
];

/** How long each verb takes on a separate journal. */
const localVerbs: readonly Measure[] = verbs.map((verb) => ({
  name: `baton ${nameOf(verb)}`,
  subject: "a team of ten, its journal in the repository",
  yardstick: "node -e 0",
  target: { of: "time", atMost: 2.5 },
  rounds: 40,
  open: async (folder) => {
    openFolder(folder);
    return pairOf(processMs, folder, [...verb, "--as", "dev-1"]);
  },
}));

/** The processor time of the same. */
const processorTimes: readonly Measure[] = localVerbs.map((local, at) => ({
  ...local,
  name: `baton ${nameOf(verbs[at] ?? [])}, processor time`,
  rounds: 8,
  open: async (folder) => {
    openFolder(folder);
    return pairOf(processorMs, folder, [...(verbs[at] ?? []), "--as", "dev-1"]);
  },
}));

/** Each verb through a hub. */
const hubVerbs: readonly Measure[] = verbs.map((verb) => ({
  name: `baton ${nameOf(verb)}, through a hub`,
  subject: "a team of ten, its hub on this machine",
  yardstick: "node -e 0",
  target: { of: "time", atMost: 4 },
  rounds: 40,
  open: async (folder, opened) => {
    const hub = await openHub(folder);
    opened.defer(hub.close);
    writeFileSync(join(folder, "note.txt"), note);
    const at = (token: string) => ["--hub", hub.url, "--team", "bench", "--token", token];
    run(folder, [launcher, "task", "add", "bench-1", "--files", "none", ...at(await hub.token("lead-1"))]);
    return pairOf(processMs, folder, [...verb, ...at(hub.dev)]);
  },
}));

/** Every measure of this file. Processor time can be read on Linux alone. */
export const verbMeasures: readonly Measure[] = [
  ...localVerbs,
  ...(process.platform === "linux" ? processorTimes : []),
  ...hubVerbs,
];

const note = "The build is green.\n";

function nameOf(verb: readonly string[]): string {
  return verb[0] === "task" ? verb.slice(0, 2).join(" ") : (verb[0] ?? "");
}

/** A repository with the bench's team, its journal and a task. */
function openFolder(folder: string): void {
  const made = spawnSync("git", ["init", "--quiet", "-b", "main", folder], { encoding: "utf8" });
  if (made.status !== 0) throw new Error(made.stderr);
  mkdirSync(join(folder, ".baton"));
  writeFileSync(join(folder, ".baton/team.yaml"), teamText);
  writeFileSync(join(folder, "note.txt"), note);
  run(folder, [launcher, "init", "--yes"]);
  run(folder, [launcher, "task", "add", "bench-1", "--files", "none", "--as", "lead-1"]);
}

function pairOf(ms: typeof processMs, folder: string, words: readonly string[]) {
  return { yardstick: () => ms(folder, ["-e", "0"]), subject: () => ms(folder, [launcher, ...words]) };
}

function processMs(folder: string, words: readonly string[]): number {
  const start = performance.now();
  run(folder, words);
  return performance.now() - start;
}

/** The mean of several calls: the kernel counts in hundredths of a second. */
function processorMs(folder: string, words: readonly string[]): number {
  const start = endedChildrenMs();
  for (let call = 0; call < callsPerRound; call += 1) run(folder, words);
  return (endedChildrenMs() - start) / callsPerRound;
}

/** The processor time of the children of this process that have ended. */
function endedChildrenMs(): number {
  const fields = readFileSync("/proc/self/stat", "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[13]) + Number(fields[14])) * 10;
}

function run(folder: string, words: readonly string[]): void {
  const done = spawnSync(process.execPath, words, { cwd: folder, encoding: "utf8" });
  if (done.status !== 0) throw new Error(`${words.join(" ")} failed: ${done.stdout}${done.stderr}`);
}
