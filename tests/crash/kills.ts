/**
 * The kill campaign: concurrent writers are killed with signal 9 at random moments, started again, and send again what
 * was not acknowledged. In the end everything they meant to say is in the journal, each once, without a gap, and every
 * acknowledgement names the entry that is there.
 */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { bundledProgram } from "../apart/program.ts";
import { temporaryFolder } from "./folder.ts";
import { hold } from "./journal-subject.ts";
import { type Acknowledgement, compare } from "./ledger.ts";
import { type Chance, chanceFrom } from "./seed.ts";
import type { WriterOrder } from "./writer.ts";

export interface KillReport {
  readonly seed: number;
  readonly kills: number;
  /** Kills that struck a writer that had opened the journal and not yet ended. */
  readonly killsWhileWriting: number;
  readonly acknowledged: number;
  /** Sends that had been recorded although their writer died before it could say so. */
  readonly duplicates: number;
  readonly wrong: readonly string[];
}

export interface KillOptions {
  readonly seed: number;
  readonly kills: number;
  readonly writers: number;
  /** The planted bug. */
  readonly early?: boolean;
}

const program = await bundledProgram("tests/crash/writer.ts");

/** Several sends are under way at once, so that a kill can strike a shared transaction. */
const together = 3;

/** Runs the campaign in a separate folder. */
export async function killWriters(options: KillOptions): Promise<KillReport> {
  using folder = temporaryFolder();
  const path = join(folder.path, "journal.db");
  const chance = chanceFrom(options.seed);
  const writers = Array.from({ length: options.writers }, (_, index) =>
    newWriter(path, `dev-${index + 1}`, options.early === true),
  );
  let kills = 0;
  let killsWhileWriting = 0;
  await Promise.all(
    writers.map(async (writer) => {
      while (kills < options.kills) {
        kills++;
        if (await writer.runAndKill(chance)) killsWhileWriting++;
      }
      await writer.finish();
    }),
  );
  const acknowledged = writers.flatMap((writer) => [...writer.acknowledged.values()]);
  const holding = await hold(path);
  const wrong = [...compare(acknowledged, holding)];
  if (holding.entries.length !== acknowledged.length)
    wrong.push(`${holding.entries.length} entries stand for ${acknowledged.length} sends`);
  const duplicates = acknowledged.filter((each) => each.duplicate === true).length;
  return { seed: options.seed, kills, killsWhileWriting, acknowledged: acknowledged.length, duplicates, wrong };
}

interface Writer {
  readonly acknowledged: ReadonlyMap<number, Acknowledgement>;
  /** Starts the writer and kills it; true when it was killed between opening and ending. */
  runAndKill(chance: Chance): Promise<boolean>;
  /** Sends everything that any earlier run may have begun, to the end. */
  finish(): Promise<void>;
}

function newWriter(path: string, agent: string, early: boolean): Writer {
  const acknowledged = new Map<number, Acknowledgement>();
  const nextOrder = (until: number): WriterOrder => {
    let from = 0;
    while (acknowledged.has(from)) from++;
    const done = [...acknowledged.keys()].filter((position) => position > from);
    return { path, agent, from, until, done, together, early };
  };
  const note = (line: Line): void => {
    if (line.id !== undefined && line.problem === undefined)
      acknowledged.set(Number(line.id.slice(agent.length + 1)), { ...line, id: line.id });
  };
  return {
    acknowledged,
    async runAndKill(chance) {
      const delayMs = chance.next() * 120;
      // A third of the kills count from the start, to strike the opening and its recovery too.
      const fromStart = chance.next() < 0.33;
      const run = startWriter(nextOrder(Number.MAX_SAFE_INTEGER), note);
      if (!fromStart) await run.ready;
      await new Promise((resolve) => setTimeout(resolve, delayMs));
      const writing = run.isReady() && !run.isEnded();
      run.kill();
      await run.ended;
      return writing;
    },
    async finish() {
      const highest = Math.max(-1, ...acknowledged.keys());
      const run = startWriter(nextOrder(highest + 1 + 2 * together), note);
      const code = await run.ended;
      if (code !== 0) throw new Error(`the last run of ${agent} ended with ${code}: ${run.errors()}`);
    },
  };
}

/** A line as `writer.ts` prints it. */
export interface Line extends Partial<Acknowledgement> {
  readonly ready?: true;
  readonly problem?: string;
  readonly message?: string;
  readonly condition?: string;
}

export interface WriterRun {
  /** Resolves when the journal is open, or when the run ended without that. */
  readonly ready: Promise<void>;
  /** The exit code; null when a signal ended it. */
  readonly ended: Promise<number | null>;
  isReady(): boolean;
  isEnded(): boolean;
  kill(): void;
  errors(): string;
}

/** Starts a writer; `before` are words in front of the program, such as a tracer's. */
export function startWriter(order: WriterOrder, note: (line: Line) => void, before: readonly string[] = []): WriterRun {
  const words = [...before, process.execPath, program, JSON.stringify(order)];
  // A cache of compiled code would be written through the calls that a tracer strikes.
  const env = { ...process.env, NODE_DISABLE_COMPILE_CACHE: "1" };
  const child = spawn(words[0] ?? "", words.slice(1), { stdio: ["ignore", "pipe", "pipe"], env });
  let isReady = false;
  let isEnded = false;
  let rest = "";
  let errors = "";
  const opening = Promise.withResolvers<void>();
  const ending = Promise.withResolvers<number | null>();
  child.stdout.setEncoding("utf8");
  child.stdout.on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const text of lines) {
      const line = JSON.parse(text) as Line; // whole lines of our writer
      if (line.ready === true) isReady = true;
      note(line);
    }
    if (isReady) opening.resolve();
  });
  child.stderr.setEncoding("utf8");
  child.stderr.on("data", (chunk: string) => (errors += chunk));
  child.on("error", ending.reject);
  child.on("close", (code) => {
    isEnded = true;
    opening.resolve();
    ending.resolve(code);
  });
  return {
    ready: opening.promise,
    ended: ending.promise,
    isReady: () => isReady,
    isEnded: () => isEnded,
    kill: () => child.kill("SIGKILL"),
    errors: () => errors,
  };
}
