/**
 * What long work of one caller costs everybody else: a hub on a journal of a million entries does it, while another
 * process asks `/healthz` on a separate connection. What counts is its worst answer beyond the worst of an idle hub.
 */
import { type ChildProcess, fork } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { catchUpSearchIndex, searchIndexPath } from "../src/journal/sqlite/search/search-index.ts";
import { teamProjection } from "../src/runtime/projection.ts";
import type { BenchHub } from "./hub-calls.ts";
import { largeEntries, openLargeHub, rareWord, smallJournal } from "./large-journal.ts";
import { type Measure, timed } from "./measure.ts";
import { worstDuring } from "./prober.ts";
import { stallAtRenames } from "./stall-renames.ts";
import { stallAtShutdown } from "./stall-shutdown.ts";

const count = largeEntries.toLocaleString("en");
const boundMs = 50;
const idleMs = 3_000;
/** Pages of one filtered reading, of 20,000 entries each. */
const pages = 5;
const streams = 6;
const streamEntries = 20_000;
const tasks = 3_000;

interface Place {
  readonly folder: string;
  readonly hub: BenchHub;
  readonly prober: ChildProcess;
}

let place: Promise<Place> | null = null;

/** One hub for all of them, built when the first needs it. */
function largeHub(): Promise<Place> {
  place ??= (async () => {
    const folder = mkdtempSync(join(import.meta.dirname, "../.tmp/bench-large-"));
    try {
      const hub = await openLargeHub(folder);
      return { folder, hub, prober: fork(join(import.meta.dirname, "prober.ts"), [hub.url], { execArgv: [] }) };
    } catch (cause) {
      place = null;
      rmSync(folder, { recursive: true, force: true });
      throw cause;
    }
  })();
  return place;
}

/** Ends the hub and removes its journal, where there is one. */
export async function closeLargeHub(): Promise<void> {
  if (place === null) return;
  const { folder, hub, prober } = await place;
  prober.kill();
  await hub.close();
  rmSync(folder, { recursive: true, force: true });
}

type Work = (hub: BenchHub) => Promise<unknown>;

function stall(
  name: string,
  subject: string,
  work: Work,
  { prepare, rounds = 3 }: { readonly prepare?: Work; readonly rounds?: number } = {},
): Measure {
  return {
    name: `Stall of a hub with ${count} entries: ${name}`,
    subject: `${subject}; worst answer of /healthz to another connection beyond the idle worst`,
    yardstick: "fifty milliseconds",
    target: { of: "time", atMost: 1 },
    rounds,
    async open() {
      const at = await largeHub();
      await prepare?.(at.hub);
      return {
        yardstick: () => boundMs,
        async subject() {
          const idle = await worstDuring(at.prober, () => setTimeout(idleMs));
          return Math.max(0.01, (await worstDuring(at.prober, () => work(at.hub))) - idle);
        },
      };
    },
  };
}

const as = (hub: BenchHub) => ({ cookie: hub.cookie, origin: hub.url });

interface Page {
  readonly entries: readonly unknown[];
  readonly next: number | null;
}

/** Follows the pages of a reading, `most` of them; answers how many entries were found. */
async function readPages(hub: BenchHub, query: string, order: "asc" | "desc", most: number): Promise<number> {
  let found = 0;
  let at = "";
  for (let page = 0; page < most; page += 1) {
    const answer = await fetch(`${hub.url}/api/teams/bench/messages?order=${order}&${query}${at}`, {
      headers: as(hub),
    });
    const { entries, next } = (await answer.json()) as Page;
    found += entries.length;
    if (next === null) break;
    at = order === "asc" ? `&after=${next}` : `&before=${next}`;
  }
  return found;
}

async function drain(hub: BenchHub, path: string, init: RequestInit = {}): Promise<void> {
  const answer = await fetch(`${hub.url}${path}`, { ...init, headers: { ...as(hub), ...init.headers } });
  if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
  for await (const _ of answer.body ?? []);
}

function catchUp(hub: BenchHub, token: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` };
    const request = get(`${hub.url}/api/teams/bench/events?after=0`, { agent: false, headers }, (response) => {
      let seen = 0;
      response.setEncoding("latin1");
      response.on("data", (part: string) => {
        seen += part.split("\nevent: entry").length - 1;
        if (seen < streamEntries) return;
        request.destroy();
        resolve();
      });
    });
    request.on("error", (fault) => (request.destroyed ? undefined : reject(fault)));
  });
}

async function sixStreams(hub: BenchHub): Promise<void> {
  await Promise.all(Array.from({ length: streams }, () => catchUp(hub, hub.dev)));
}

const json = { "content-type": "application/json" };

function post(hub: BenchHub, path: string, body: object, headers: Record<string, string> = as(hub)) {
  return fetch(`${hub.url}/api/teams/bench/${path}`, {
    method: "POST",
    headers: { ...headers, ...json },
    body: JSON.stringify(body),
  });
}

/** Adds the tasks, 100 to a plan from `firstPlan` on, with the files that `filesOf` names. */
async function addTasks(hub: BenchHub, firstPlan: number, filesOf: (at: number) => readonly string[]): Promise<void> {
  for (let number = 0; number < tasks; number += 50) {
    const added = Array.from({ length: 50 }, (_, index) => {
      const at = number + index;
      return post(hub, "tasks", { task: `${Math.floor(at / 100) + firstPlan}-1-T${at}`, files: filesOf(at) });
    });
    for (const answer of await Promise.all(added)) if (!answer.ok) throw new Error(await answer.text());
  }
}

/** Adds tasks with two files each, and the worst claim that is accepted. */
async function fillBoard(hub: BenchHub): Promise<void> {
  await addTasks(hub, 10, (at) => [`src/part-${at % 97}/file-${at}.ts`, `tests/part-${at % 97}/file-${at}/`]);
  const globs = Array.from({ length: 8 }, (_, number) => `**/${"*?".repeat(120)}${number}/**/x`);
  await post(hub, "tasks", { task: "99-1-T1", files: globs });
  const claimed = await post(hub, "tasks/99-1-T1/claim", {}, { authorization: `Bearer ${hub.dev}` });
  if (claimed.status !== 201) throw new Error(`the worst claim is not accepted: ${await claimed.text()}`);
}

/** Adds tasks that all name one file. */
async function crowdFile(hub: BenchHub): Promise<void> {
  await addTasks(hub, 100, () => ["one.ts"]);
}

async function board(hub: BenchHub): Promise<void> {
  for (let look = 0; look < 5; look += 1) await drain(hub, "/api/teams/bench/tasks/board");
}

/** How long a rare word takes to be found, by the index. */
const rareSearch: Measure = {
  name: `Searching a rare word in ${count} entries`,
  subject: "over HTTP, all pages",
  yardstick: "fifty milliseconds",
  target: { of: "time", atMost: 1 },
  rounds: 15,
  async open() {
    const { hub } = await largeHub();
    return {
      yardstick: () => boundMs,
      async subject() {
        const start = performance.now();
        const found = await readPages(hub, `text=${rareWord}`, "desc", 100);
        if (found !== 1) throw new Error(`the rare word is found ${found} times`);
        return performance.now() - start;
      },
    };
  },
};

const indexedEntries = 32_768;

/** What the search index costs an entry, in the thread that writes it. */
const indexCost: Measure = {
  name: "Indexing an entry for searches",
  subject: `${indexedEntries.toLocaleString("en")} entries from none, an entry`,
  yardstick: "a tenth of a millisecond",
  target: { of: "time", atMost: 1 },
  rounds: 3,
  async open(folder) {
    const path = await smallJournal(folder, indexedEntries);
    return {
      yardstick: () => 0.1,
      async subject() {
        for (const end of ["", "-wal", "-shm"]) rmSync(`${searchIndexPath(path)}${end}`, { force: true });
        return timed(indexedEntries, async () => {
          const added = await catchUpSearchIndex(path, teamProjection, new AbortController().signal);
          if (!added.ok || added.value !== indexedEntries) throw new Error(`indexed: ${JSON.stringify(added)}`);
        });
      },
    };
  },
};

/** How much room the search index takes. */
const indexSize: Measure = {
  name: `Size of the search index of ${count} entries`,
  subject: "the index with its log",
  yardstick: "the journal",
  target: { of: "time", atMost: 0.5 },
  rounds: 1,
  unit: "MiB",
  async open() {
    const { hub } = await largeHub();
    const answer = await fetch(`${hub.url}/api/journal/stats`, { headers: as(hub) });
    const stats = (await answer.json()) as { readonly bytes: number; readonly search: { readonly bytes: number } };
    const mebibytes = (bytes: number) => Math.round(bytes / 2 ** 20);
    return { yardstick: () => mebibytes(stats.bytes), subject: () => mebibytes(stats.search.bytes) };
  },
};

/** The most memory that the hub ever had, after all of that. */
const memory: Measure = {
  name: `Memory of that hub`,
  subject: "the most it ever had, with its threads",
  yardstick: "a bound that does not grow with the work",
  target: { of: "time", atMost: 1 },
  rounds: 1,
  unit: "MiB",
  async open() {
    const { hub } = await largeHub();
    const [, kibibytes] = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${hub.pid}/status`, "utf8")) ?? [];
    return { yardstick: () => 1_536, subject: () => Math.round(Number(kibibytes) / 1_024) };
  },
};

/** In this order: the last ones leave the most behind. */
export const stallMeasures: readonly Measure[] = [
  indexCost,
  rareSearch,
  indexSize,
  stall("searching", "a string that no entry contains, then two characters, page after page", async (hub) => {
    await readPages(hub, "text=zzzz", "desc", 100);
    await readPages(hub, "text=zz", "asc", pages);
  }),
  stall("filtered log, oldest first", "a sender that sent nothing", (hub) =>
    readPages(hub, "sender=nobody", "asc", pages),
  ),
  stall("filtered log, newest first", "a type that nobody sent", (hub) =>
    readPages(hub, "type=nothing", "desc", pages),
  ),
  stall("catching up of six streams", `each takes ${streamEntries.toLocaleString("en")} entries`, sixStreams),
  stall("export", "every entry", (hub) => drain(hub, "/api/journal/export"), { rounds: 1 }),
  stall("backup", "one complete copy", (hub) => drain(hub, "/api/journal/backup"), { rounds: 1 }),
  stall(
    "verify",
    "the whole journal",
    (hub) => drain(hub, "/api/journal/verify", { method: "POST", headers: json, body: "{}" }),
    { rounds: 1 },
  ),
  stall(`board with ${tasks.toLocaleString("en")} tasks and the worst claim`, "five looks", board, {
    prepare: fillBoard,
  }),
  stall(`board with ${tasks.toLocaleString("en")} more tasks that all name one file`, "five looks", board, {
    prepare: crowdFile,
  }),
  memory,
  ...stallAtRenames,
  stallAtShutdown,
];
