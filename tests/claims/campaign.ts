/**
 * The claim campaign: workers race for fifty tasks whose files overlap, a random one is killed with signal 9 every few
 * milliseconds and started again, and some stay away longer than their lease. Afterwards the books of all workers are
 * checked against the journal (`witness.ts`).
 */
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { invariant } from "../../src/base/invariant.ts";
import type { Entry } from "../../src/journal/entry.ts";
import { openTeam, openTeamJournal } from "../../src/perform/open.ts";
import { bundledProgram } from "../apart/program.ts";
import { temporaryFolder } from "../crash/folder.ts";
import { type Chance, chanceFrom } from "../crash/seed.ts";
import { type Line, tasks } from "./operations.ts";
import { checkWitness, type Findings } from "./witness.ts";
import type { WorkerOrder } from "./worker.ts";
import { agentOf, leaseMs, teamText } from "./worker-team.ts";

export interface CampaignOptions {
  readonly seed: number;
  readonly workers: number;
  /** Operations of each worker. */
  readonly operations: number;
  /** Which part of the completions ends a task. */
  readonly completions: number;
  readonly killEveryMs: number;
  /** The planted error. */
  readonly unlocked?: boolean;
}

export interface CampaignReport extends Findings {
  readonly seed: number;
  readonly kills: number;
  /** Operations that a kill left without an answer. */
  readonly cutOff: number;
}

/** Which part of the strikes falls on a worker that is still starting as on any other. */
const earlyStrikes = 1 / 8;

/** Runs the campaign in a separate folder. */
export async function raceForTasks(options: CampaignOptions): Promise<CampaignReport> {
  using folder = temporaryFolder("memory");
  // As one file, so that a process that was killed is back within a tenth of a second.
  const program = await bundledProgram("tests/claims/worker.ts");
  const journal = join(folder.path, "journal.db");
  await prepare(journal, options.workers);
  const workers = Array.from({ length: options.workers }, (_, index) =>
    newWorker(program, {
      journal,
      agent: agentOf(index),
      book: join(folder.path, `book-${index}`),
      seed: (options.seed * 1_000 + index) >>> 0,
      operations: options.operations,
      // A claim that grows after another took its files is an error that ends a worker before it can be counted.
      habits: { completions: options.completions, ownFiles: options.unlocked === true ? 0 : 0.2 },
      ...(options.unlocked === undefined ? {} : { unlocked: options.unlocked }),
    }),
  );
  const over = new AbortController();
  const struck = strike(workers, options.killEveryMs, chanceFrom(options.seed), over.signal);
  try {
    await Promise.all(workers.map((worker) => worker.finished));
  } finally {
    over.abort();
    for (const worker of workers) worker.end();
  }
  const kills = await struck;
  const books = new Map(workers.map(({ agent, book }) => [agent, readLines(book)]));
  const cutOff = [...books.values()].flat().filter((line) => "began" in line && line.again === true).length;
  return { seed: options.seed, kills, cutOff, ...checkWitness(await entriesOf(journal), books) };
}

/** A journal with the team and its tasks. */
async function prepare(journal: string, workers: number): Promise<void> {
  const opened = await openTeam({ journal, create: true, teamFile: { path: "team.yaml", text: teamText(workers) } });
  invariant(opened.ok, JSON.stringify(opened));
  await using owner = opened.value;
  for (const { task, files } of tasks) {
    const added = await owner.addTask({ task, plan: "1-1", files });
    invariant(added.outcome === "accepted", JSON.stringify(added));
  }
}

interface Worker {
  readonly agent: string;
  readonly book: string;
  /** Resolves when everything it was to do is answered; rejects when it ended in any other way than by a kill. */
  readonly finished: Promise<void>;
  /** Whether it has written in its book since it was started. */
  isAtWork(): boolean;
  /** Kills it where it runs, and starts it again after so long; false: there was nothing to kill. */
  kill(awayMs: number): boolean;
  /** Kills it where it still runs, for good. */
  end(): void;
}

function newWorker(program: string, order: WorkerOrder): Worker {
  const { promise: finished, resolve, reject } = Promise.withResolvers<void>();
  let child: ChildProcess | null = null;
  let awayMs = 0;
  let isEnded = false;
  let writtenBefore = 0;
  const written = () => statSync(order.book, { throwIfNoEntry: false })?.size ?? 0;
  const start = (): void => {
    writtenBefore = written();
    child = spawn(process.execPath, [program, JSON.stringify(order)], {
      stdio: ["ignore", "ignore", "pipe"],
      // Compiled once: what is killed twenty times a second must not spend its life starting.
      env: { ...process.env, NODE_COMPILE_CACHE: dirname(program) },
    });
    let errors = "";
    child.stderr?.setEncoding("utf8").on("data", (part: string) => {
      errors += part;
    });
    child.on("close", (code, signal) => {
      child = null;
      if (isEnded) return;
      if (signal === "SIGKILL") setTimeout(start, awayMs);
      else if (code === 0) resolve();
      else reject(new Error(`${order.agent} ended with ${code ?? signal}: ${errors}`));
    });
  };
  start();
  return {
    agent: order.agent,
    book: order.book,
    finished,
    end() {
      isEnded = true;
      child?.kill("SIGKILL");
    },
    isAtWork: () => child !== null && written() > writtenBefore,
    kill(away) {
      awayMs = away;
      return child?.kill("SIGKILL") === true;
    },
  };
}

/**
 * Strikes a random worker every few milliseconds until the end. Every twelfth stays away beyond its lease. Of those that
 * have not come to work yet most are spared: where starting takes longer than the time between two kills, nobody else would
 * ever come to anything.
 */
async function strike(workers: readonly Worker[], everyMs: number, chance: Chance, end: AbortSignal): Promise<number> {
  let kills = 0;
  while (!end.aborted) {
    await new Promise((resolve) => setTimeout(resolve, everyMs));
    const awayMs = chance.next() < 1 / 12 ? leaseMs * (1.1 + chance.next() / 2) : 0;
    const worker = workers[chance.below(workers.length)];
    const isSpared = chance.next() >= earlyStrikes && worker?.isAtWork() === false;
    if (!isSpared && worker?.kill(awayMs) === true) kills++;
  }
  return kills;
}

function readLines(book: string): readonly Line[] {
  return readFileSync(book, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Line); // the worker's own lines, whole: it ended well
}

async function entriesOf(path: string): Promise<readonly Entry[]> {
  const opened = await openTeamJournal(path, { readOnly: true });
  invariant(opened.ok, JSON.stringify(opened));
  await using journal = opened.value;
  const teams = await journal.teams();
  const team = teams.ok ? teams.value[0] : undefined;
  invariant(team !== undefined, "the campaign's journal has its team");
  const entries: Entry[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const page = await journal.read(team, { after, limit: 1_000 });
    invariant(page.ok, JSON.stringify(page));
    entries.push(...page.value.entries);
    after = page.value.next;
  }
  return entries;
}
