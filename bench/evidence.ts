/**
 * Judging work by git: a verdict, and verified work that is followed after the main branch moved, in small and in large
 * repositories; how long the event loop is held meanwhile, and how much memory is needed. Each job runs in a process of its
 * own, which this file is, too.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { takeWork } from "../src/evidence/decide/taking.ts";
import { type Commit, commitsFor } from "../src/evidence/git/commits.ts";
import { look } from "../src/evidence/git/questions.ts";
import { openRepository, type Repository } from "../src/evidence/git/repository.ts";
import { judgeAll } from "../src/evidence/services/judging.ts";
import type { Judged } from "../src/evidence/services/plan-checks.ts";
import type { Candidate, Reported } from "../src/evidence/services/reported-work.ts";
import { type Measure, timed } from "./measure.ts";

const home = join(import.meta.dirname, "..");
const followedTasks = 21;
const manyFiles = 250_000;

/** The repositories: commits of the main branch, and files of the last one. */
const places = {
  small: { commits: 60, files: 3 },
  "100,000 commits": { commits: 100_000, files: 1 },
  "400,000 commits": { commits: 400_000, files: 1 },
  "250,000 files": { commits: 60, files: manyFiles },
} as const;
type Place = keyof typeof places | "this repository";
type Act = "verdict" | "follow";

/** What one process found: the longest time for which the event loop was held, and MB above idle. */
interface Found {
  readonly heldMs: number;
  readonly megabytes: number;
}

/** The jobs, and how long each may take, in starts of git: about four milliseconds each on a quiet machine. */
const jobs: readonly (readonly [name: string, place: Place, act: Act, starts: number])[] = [
  ["A verdict in a small repository", "small", "verdict", 15],
  ["A verdict on a commit of 250,000 files", "250,000 files", "verdict", 375],
  [`Following ${followedTasks} tasks at 100,000 commits`, "100,000 commits", "follow", 6],
  [`Following ${followedTasks} tasks at 400,000 commits`, "400,000 commits", "follow", 6],
  [`Following ${followedTasks} tasks in this repository`, "this repository", "follow", 15],
];

const row = (name: string, place: Place, act: Act, starts: number): Measure => ({
  name,
  subject: act === "verdict" ? "a repository opened, one report judged" : "all looked at again after main moved",
  yardstick: `${starts} starts of git`,
  target: { of: "time", atMost: 1 },
  rounds: 7,
  open: async (folder) => {
    const directory = repositoryOf(folder, place);
    return {
      yardstick: async () => starts * (await timed(3, () => replay(directory, [start, start, start]))),
      subject: await doingOf(directory, place, act),
    };
  },
});

const start: GitCall = { words: ["rev-parse", "HEAD"], input: Buffer.alloc(0) };

const worst = (name: string, limit: number, unit: string, of: (each: Found) => number): Measure => ({
  name,
  subject: "the worst of the rows above, each in a process of its own",
  yardstick: `${limit} ${unit}`,
  target: { of: "time", atMost: 1 },
  rounds: 1,
  open: (folder) =>
    Promise.resolve({
      yardstick: () => limit,
      subject: () => Math.max(...jobs.map(([, place, act]) => of(foundIn(repositoryOf(folder, place), place, act)))),
    }),
});

export const evidenceMeasures: readonly Measure[] = [
  {
    name: "A verdict in a small repository, by its own calls of git",
    subject: "a repository opened, one report judged",
    yardstick: "the same calls, one after the other",
    target: { of: "time", atMost: 2.5 },
    rounds: 15,
    open: async (folder) => {
      const directory = repositoryOf(folder, "small");
      const calls = await callsOf(folder, async (environment) =>
        (await doingOf(directory, "small", "verdict", environment))(),
      );
      return {
        yardstick: () => timed(1, () => replay(directory, calls)),
        subject: await doingOf(directory, "small", "verdict"),
      };
    },
  },
  ...jobs.map((job) => row(...job)),
  worst("The event loop, held while work is judged", 50, "ms", ({ heldMs }) => heldMs),
  worst("Memory above idle, while work is judged (MB)", 50, "MB", ({ megabytes }) => megabytes),
];

const made = new Map<Place, string>();

/** The repository of a place, which is made once and goes when the bench ends. */
function repositoryOf(folder: string, place: Place): string {
  const known = made.get(place);
  if (known !== undefined) return known;
  const own = mkdtempSync(join(dirname(folder), "bench-"));
  process.once("exit", () => rmSync(own, { recursive: true, force: true }));
  build(own, place);
  made.set(place, own);
  return own;
}

const found = new Map<string, Found>();

/** What a process of its own finds in the job, once a bench. */
function foundIn(directory: string, place: Place, act: Act): Found {
  const key = `${place} ${act}`;
  const known = found.get(key);
  if (known !== undefined) return known;
  const words = ["--expose-gc", import.meta.filename, directory, place, act];
  const done = spawnSync(process.execPath, words, { encoding: "utf8" });
  if (done.status !== 0) throw new Error(`${key}: ${done.stderr}`);
  const numbers = JSON.parse(done.stdout) as Found; // printed by `job`
  found.set(key, numbers);
  return numbers;
}

/** Makes the repository of a place. */
function build(directory: string, place: Place): void {
  mkdirSync(directory, { recursive: true });
  if (place === "this repository") {
    git(directory, "clone", "--quiet", "--shared", "--no-checkout", home, ".");
    git(directory, "update-ref", "refs/baton/last", "HEAD");
    return;
  }
  git(directory, "init", "--quiet", "-b", "main");
  const import_ = spawnSync("git", ["fast-import", "--quiet", "--force"], {
    cwd: directory,
    input: [...streamOf(places[place])].join(""),
  });
  if (import_.status !== 0) throw new Error(`git fast-import: ${String(import_.stderr)}`);
  git(directory, "update-ref", "refs/baton/last", "refs/heads/main");
}

function* streamOf({ commits, files }: { readonly commits: number; readonly files: number }): Generator<string> {
  const text = "line\n".repeat(5);
  for (let at = 1; at <= commits; at++) {
    yield `commit refs/heads/main\ncommitter dev-1 <dev-1@example.invalid> ${1_700_000_000 + at} +0000\ndata 1\nx\n`;
    const count = at === commits ? files : 1;
    for (let file = 0; file < count; file++) {
      const body = `${text}${at} ${file}\n`;
      yield `M 100644 inline src/${file % 1_000}/f${at % 40}-${file}.ts\ndata ${body.length}\n${body}\n`;
    }
  }
  yield "done\n";
}

function git(directory: string, ...words: readonly string[]): string {
  const done = spawnSync("git", words, { cwd: directory, encoding: "utf8" });
  if (done.status !== 0) throw new Error(`git ${words.join(" ")}: ${done.stderr}`);
  return done.stdout;
}

type Environment = Readonly<Record<string, string | undefined>>;

async function opened(directory: string, environment: Environment): Promise<Repository> {
  const known = Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  const repository = await openRepository(directory, { environment: Object.fromEntries(known) });
  if (!repository.ok) throw new Error(repository.error.message);
  return repository.value;
}

/** An act that is done again and again; each time answers the milliseconds of what is measured. */
type Doing = () => Promise<number>;

/** Judges a report of the last commit; or looks at tasks of the last commits, each time after main moved by a commit. */
async function doingOf(
  directory: string,
  place: Place,
  act: Act,
  environment: Environment = process.env,
): Promise<Doing> {
  const commits = await commitsIn(directory);
  const [last] = commits;
  if (last === undefined) throw new Error("there is no commit");
  const judged = async ({
    candidates,
    reported,
  }: Plan): Promise<{ readonly ms: number; readonly found: readonly Judged[] }> => {
    const start = performance.now();
    await using repository = await opened(directory, environment);
    const found = await judgeAll(repository, candidates, reported, { main: "main" });
    const ms = performance.now() - start;
    const bad = found.filter(({ verdict }) => verdict.state === "disputed" || verdict.state === "reported");
    if (found.length === 0 || bad.length > 0) throw new Error(`${place}: ${JSON.stringify(bad)}`);
    return { ms, found };
  };
  if (act === "verdict") {
    const plan = { candidates: [candidateOf(last, commits.slice(1), null)], reported: [] };
    return async () => (await judged(plan)).ms;
  }
  const moves = commits.slice(0, movesMax).toReversed();
  let plan = await followed(directory, commits.slice(movesMax, movesMax + followedTasks), commits[movesMax]?.id ?? "");
  let at = 0;
  return async () => {
    const tip = moves[at++]?.id;
    if (tip === undefined) throw new Error("main has moved too often");
    git(directory, "update-ref", "refs/heads/main", tip);
    const { ms, found } = await judged(plan);
    const places = new Map(found.map(({ candidate, place: now }) => [candidate.key, now]));
    const candidates = plan.candidates.map((each) =>
      each.before === null
        ? each
        : { ...each, before: { ...each.before, place: places.get(each.key) ?? each.before.place } },
    );
    plan = { ...plan, candidates: candidates as readonly Candidate[] };
    return ms;
  };
}

/** How often main moves. */
const movesMax = 9;

async function commitsIn(directory: string): Promise<readonly Commit[]> {
  await using repository = await opened(directory, process.env);
  const most = `--max-count=${movesMax + followedTasks}`;
  const listed = await look(() => commitsFor(repository, ["--first-parent", "--no-merges", most, "refs/baton/last"]));
  if (!listed.ok) throw new Error(listed.error.message);
  return listed.value;
}

interface Plan {
  readonly candidates: readonly Candidate[];
  readonly reported: readonly Reported[];
}

/** Verified tasks of these commits, which landed with the last of them. */
async function followed(directory: string, commits: readonly Commit[], landed: string): Promise<Plan> {
  await using repository = await opened(directory, process.env);
  const tasks: Candidate[] = [];
  for (const commit of commits) {
    const taken = await look(() => takeWork(repository, [commit], { claimed: null, scope: null }));
    if (!taken.ok) throw new Error(taken.error.message);
    const place = { at: "landed", branch: "main", since: landed, isChanged: false } as const;
    const before = {
      state: "verified",
      report: 1,
      commit: commit.id,
      problems: [],
      work: taken.value.work,
      place,
    } as const;
    tasks.push(candidateOf(commit, [], { ...before, files: null, seq: 2, checks: [] }));
  }
  const reported = tasks.flatMap(({ key, task, before }): readonly Reported[] =>
    before?.work === undefined ? [] : [{ key, task, commits: before.work.commits, claimed: null, work: before.work }],
  );
  return { candidates: tasks, reported };
}

function candidateOf(commit: Commit, then: readonly Commit[], before: Candidate["before"]): Candidate {
  const recorded = { ids: then.slice(0, 1).map(({ id }) => id), isCut: false };
  const work = {
    task: "T1",
    commits: [commit.id],
    filesModified: null,
    scope: null,
    claimed: ["src/**", "**"],
    branches: { recorded, isFinishedBefore: false },
  };
  return { key: commit.id, task: commit.id, plan: null, planKey: null, report: 1, work, before };
}

/** One call of git: its words, its input, and the folder that it was about. */
interface GitCall {
  readonly words: readonly string[];
  readonly input: Buffer;
}

/** The calls of git that an act makes, by a program of that name which notes them. */
async function callsOf(
  folder: string,
  act: (environment: Environment) => Promise<unknown>,
): Promise<readonly GitCall[]> {
  const [bin, log] = [join(folder, "bin"), join(folder, "calls")];
  for (const each of [bin, log]) mkdirSync(each);
  const real = spawnSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).stdout.trim();
  const noting = `#!/bin/sh\nn=$(mktemp '${log}/XXXXXX')\nprintf '%s\\0' "$@" > "$n"\ntee "$n.in" | '${real}' "$@"\n`;
  writeFileSync(join(bin, "git"), noting);
  chmodSync(join(bin, "git"), 0o755);
  await act({ ...process.env, PATH: `${bin}:${process.env.PATH ?? ""}` });
  const names = readdirSync(log).filter((name) => !name.endsWith(".in"));
  return names.map((name) => ({
    words: readFileSync(join(log, name), "utf8").split("\0").slice(0, -1),
    input: readFileSync(join(log, `${name}.in`)),
  }));
}

/** Runs the calls one after the other. */
function replay(directory: string, calls: readonly GitCall[]): void {
  for (const { words, input } of calls)
    spawnSync("git", words, { cwd: join(directory, ".git"), input, stdio: ["pipe", "ignore", "ignore"] });
}

/** What the process of a job prints. */
async function job(directory: string, place: Place, act: Act): Promise<Found> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const once = await doingOf(directory, place, act);
  await once();
  globalThis.gc?.();
  const idle = process.memoryUsage.rss();
  let most = idle;
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 5);
  delay.enable();
  for (let round = 0; round < 3; round++) await once();
  delay.disable();
  clearInterval(watch);
  return { heldMs: delay.max / 1e6, megabytes: (most - idle) / 2 ** 20 };
}

if (import.meta.main) {
  const [directory = "", place, act] = process.argv.slice(2);
  process.stdout.write(JSON.stringify(await job(directory, place as Place, act as Act))); // by `foundIn`
}
