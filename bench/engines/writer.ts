/**
 * A process with a journal open, as a hub has it: it writes to a team for some time, or follows one. Several of them on one
 * journal do to each other what several hubs do. Run as a program it takes orders from the process that started it.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { systemClock } from "../../src/base/clock.ts";
import { openJournal } from "../../src/journal/engines.ts";
import type { Journal } from "../../src/journal/journal.ts";
import { attempt, must, mustRecord, type Tally, tally, team } from "../../src/testing/journal-subject.ts";

/** What every measure of an engine commits. */
export const content = { text: "b".repeat(500) };

/** So much is written to which teams, by whom. */
export interface Load {
  readonly teams: readonly string[];
  /** Commits under way to each team. */
  readonly inFlight: number;
  readonly forMs: number;
}

export interface Written {
  readonly commits: number;
  /** From the call of `commit` to its answer, in milliseconds, in the order of the answers. */
  readonly tookMs: readonly number[];
}

/** Commits to each of the teams until the time is over. */
export async function writeFor(
  journal: Journal<Tally>,
  agent: string,
  { teams, inFlight, forMs }: Load,
): Promise<Written> {
  const end = performance.now() + forMs;
  const tookMs: number[] = [];
  const lane = async (name: string) => {
    const to = team(name);
    for (;;) {
      const start = performance.now();
      if (start >= end) return;
      count += 1;
      mustRecord(await journal.commit(to, attempt({ agent, id: `m-${count}`, content })));
      tookMs.push(performance.now() - start);
    }
  };
  await Promise.all(teams.flatMap((name) => Array.from({ length: inFlight }, () => lane(name))));
  return { commits: tookMs.length, tookMs };
}

/** Ids are used once in a process. */
let count = 0;

/** The process as the bench has it. */
export interface Writer {
  write(load: Load): Promise<Written>;
  /** Follows the team from here on; `seen` gets the number of each entry, and when it came by `process.hrtime`. */
  follow(team: string, seen: (seq: number, at: bigint) => void): Promise<void>;
  /** Its memory in bytes, after a collection. */
  memory(): Promise<number>;
  close(): Promise<void>;
}

type Order =
  | { readonly order: "write"; readonly load: Load }
  | { readonly order: "follow"; readonly team: string }
  | { readonly order: "memory" }
  | { readonly order: "close" };

type Answer =
  | { readonly answer: "ready" }
  | { readonly answer: "written"; readonly written: Written }
  | { readonly answer: "memory"; readonly bytes: number }
  | { readonly answer: "seen"; readonly seq: number; readonly at: string };

/** Starts the process on the journal at `url`; `agent` writes. */
export async function startWriter(url: string, agent: string): Promise<Writer> {
  const child = fork(import.meta.filename, [agent], {
    // Not as an argument: those are shown to everybody on the machine.
    env: { ...process.env, BENCH_JOURNAL: url },
    execArgv: ["--expose-gc"],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  await answerOf(child);
  const ask = (order: Order) => {
    const answered = answerOf(child);
    child.send(order);
    return answered;
  };
  return {
    async write(load) {
      const done = await ask({ order: "write", load });
      if (done.answer !== "written") throw new Error(JSON.stringify(done));
      return done.written;
    },
    async follow(name, seen) {
      child.on("message", (message) => {
        const heard = message as Answer; // sent by this file
        if (heard.answer === "seen") seen(heard.seq, BigInt(heard.at));
      });
      await ask({ order: "follow", team: name });
    },
    async memory() {
      const done = await ask({ order: "memory" });
      return done.answer === "memory" ? done.bytes : Number.NaN;
    },
    async close() {
      const ended = once(child, "exit");
      child.send({ order: "close" } satisfies Order);
      await ended;
    },
  };
}

/** The next answer that is not an entry which was seen. Rejects when the process ends. */
function answerOf(child: ChildProcess): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const hear = (message: unknown) => {
      const answer = message as Answer; // sent by this file
      if (answer.answer === "seen") return;
      child.off("message", hear);
      child.off("exit", fail);
      resolve(answer);
    };
    const fail = () => reject(new Error("the writer's process ended"));
    child.on("message", hear);
    child.once("exit", fail);
  });
}

if (import.meta.main) {
  const agent = process.argv[2] ?? "dev-1";
  const journal = must(await openJournal(process.env.BENCH_JOURNAL ?? "", tally, { gathers: true }));
  const ended = new AbortController();
  const say = (answer: Answer) => void process.send?.(answer);
  const follow = async (name: string) => {
    const { head } = must(await journal.state(team(name)));
    for await (const { seq } of journal.follow(team(name), { after: head.seq, signal: ended.signal }))
      say({ answer: "seen", seq, at: String(process.hrtime.bigint()) });
  };
  const obey = async (order: Order) => {
    if (order.order === "write") say({ answer: "written", written: await writeFor(journal, agent, order.load) });
    if (order.order === "memory") {
      globalThis.gc?.();
      say({ answer: "memory", bytes: process.memoryUsage().rss });
    }
    if (order.order === "follow") {
      void follow(order.team);
      // The server is told to ring when somebody follows first, and rings for what comes afterwards.
      await systemClock.wait(500);
      say({ answer: "ready" });
    }
    if (order.order === "close") {
      ended.abort();
      await journal.close();
      process.exit(0);
    }
  };
  process.on("message", (message) => void obey(message as Order)); // sent by this file
  say({ answer: "ready" });
}
