/**
 * Long work on a journal, each in a separate thread, so that the hub answers meanwhile. A job whose caller is gone ends
 * with its thread.
 */
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { TeamName } from "../base/ids.ts";
import { makeProblem, type Problem } from "../base/problem.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { Receipt } from "../journal/entry.ts";
import type { LongWork } from "../perform/long-work.ts";
import type { OpenedJournal } from "../perform/open.ts";
import { packageFacts } from "../perform/workspace/package-root.ts";

/** The job of a thread. */
export type Ordered = { readonly journal: string } & (
  | { readonly work: "verify"; readonly presented: readonly Receipt[] }
  | { readonly work: "backup"; readonly file: string }
  | { readonly work: "export"; readonly teams: readonly TeamName[] }
  | { readonly work: "index" }
);

/** What a thread says: a part of an export, or its answer. */
type Said<Value> = { readonly part: Uint8Array } | { readonly done: Result<Value, Problem> };

/**
 * The work on `journal`, done in threads, each of which opens `address`: absent, the place that the journal names, which of
 * one in a server lacks the credentials. What a verification finds wrong with the file stops the
 * journal's writing.
 */
export function longWorkInThreads(journal: OpenedJournal, address: string = journal.place): LongWork {
  const start = (order: DistributiveOmit<Ordered, "journal">) =>
    new Worker(programFile(), { workerData: { ...order, journal: address } });
  return {
    async verify(presented, signal) {
      const report = await answerOf<Parameters<OpenedJournal["heed"]>[0]>(start({ work: "verify", presented }), signal);
      if (report.ok) journal.heed(report.value);
      return report;
    },
    async backup(file, signal) {
      const done = await answerOf<void>(start({ work: "backup", file }), signal);
      // Half a copy is none.
      if (!done.ok && done.error.code === "interrupted") await rm(file, { force: true });
      return done;
    },
    index: (signal) => answerOf<number>(start({ work: "index" }), signal),
    exported: (teams, signal) => partsOf(start({ work: "export", teams }), signal),
  };
}

type DistributiveOmit<Whole, Key extends PropertyKey> = Whole extends unknown ? Omit<Whole, Key> : never;

/** The thread's program: a bundle next to the command's, or the source. */
function programFile(): string {
  const { root } = packageFacts();
  return import.meta.url.endsWith(".ts")
    ? join(root, "src/main/long-work-thread.ts")
    : join(root, "dist/cli/long-work-thread.cjs");
}

async function answerOf<Value>(thread: Worker, signal: AbortSignal): Promise<Result<Value, Problem>> {
  for await (const said of saidBy<Value>(thread, signal)) if ("done" in said) return said.done;
  return err(cancelled);
}

async function* partsOf(thread: Worker, signal: AbortSignal): AsyncIterable<Result<Uint8Array, Problem>> {
  for await (const said of saidBy<void>(thread, signal)) {
    if ("part" in said) {
      yield ok(said.part);
      thread.postMessage("next");
    } else {
      if (!said.done.ok) yield said.done;
      return;
    }
  }
  yield err(cancelled);
}

/** What the thread says until it ends; it is ended when `signal` aborts or nobody listens any more. */
async function* saidBy<Value>(thread: Worker, signal: AbortSignal): AsyncGenerator<Said<Value>> {
  const seen: Said<Value>[] = [];
  let wake = Promise.withResolvers<void>();
  const problems: Error[] = [];
  let isOver = false;
  const end = (error: Error | null) => {
    if (error !== null) problems.push(error);
    isOver = true;
    wake.resolve();
  };
  thread.on("message", (said: Said<Value>) => {
    seen.push(said);
    wake.resolve();
  });
  thread.once("error", end);
  thread.once("exit", () => end(null));
  const stop = () => void thread.terminate();
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  try {
    for (;;) {
      for (let said = seen.shift(); said !== undefined; said = seen.shift()) yield said;
      const [problem] = problems;
      if (problem !== undefined) throw problem;
      if (isOver) return;
      await wake.promise;
      wake = Promise.withResolvers();
    }
  } finally {
    signal.removeEventListener("abort", stop);
    // The connection is closed with its thread, before anybody touches what it worked on.
    if (!isOver) await Promise.all([once(thread, "exit"), thread.terminate()]);
  }
}

const cancelled = makeProblem("interrupted", "journal", "The work was cancelled.");
