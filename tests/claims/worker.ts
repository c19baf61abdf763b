/**
 * A worker of the claim campaign, as a separate process: an agent that claims, renews, releases and completes until it
 * has had so many answers. Its book is what it knows: started again after a kill it reads it, and repeats under the
 * same id what it has no answer to. Argument: a `WorkerOrder` as JSON. Exit code 0: everything was answered.
 */
import { existsSync, openSync, readFileSync, truncateSync, writeSync } from "node:fs";
import type { Team } from "../../src/perform/team.ts";
import { type Began, chooseOperation, type Habits, type Line, perform } from "./operations.ts";
import { openUnlocked } from "./unlocked.ts";
import { openWorkerTeam } from "./worker-team.ts";

export interface WorkerOrder {
  readonly journal: string;
  readonly agent: string;
  readonly book: string;
  readonly seed: number;
  readonly operations: number;
  readonly habits: Habits;
  /** The planted error: decisions are taken outside of the transaction. */
  readonly unlocked?: boolean;
}

/** How many operations are under way at once, so that a kill can strike a shared transaction. */
const lanes = 4;

const order = JSON.parse(process.argv[2] ?? "") as WorkerOrder; // the parent test's own words
const held = new Map<string, number>();
const lost = new Map<string, number>();
const answered = new Set<number>();
/** Operations that were asked and not answered. */
const open = new Map<number, Began>();

for (const line of readBook(order.book)) note(line);
const book = openSync(order.book, "a");
// A process that ends before its work has not done it.
process.exitCode = 1;
void workAll().then(() => {
  process.exitCode = 0;
});

async function workAll(): Promise<void> {
  await using team = await (order.unlocked === true ? openUnlocked : openWorkerTeam)(order.journal, order.agent);
  await Promise.all(Array.from({ length: lanes }, (_, lane) => work(team, lane)));
}

/** Every operation whose number falls to this lane, in order. */
async function work(team: Team, lane: number): Promise<void> {
  for (let number = lane; number < order.operations; number += lanes) {
    if (answered.has(number)) continue;
    const { id, operation } = begin(number);
    let answer = await perform(team, operation, id);
    // A journal that is busy is asked again, by the same name.
    while (answer === null) answer = await perform(team, operation, id);
    write({ ended: number, at: now(), answer });
  }
}

/** Writes down what is about to be asked: a new operation, or one that was asked before and not answered. */
function begin(number: number): Began {
  const known = open.get(number);
  const seed = (order.seed + Math.imul(number, 0x9e3779b1)) >>> 0;
  const line: Began =
    known === undefined
      ? {
          began: number,
          at: now(),
          id: `${order.agent}/${number}`,
          operation: chooseOperation(seed, held, lost, order.habits),
        }
      : { ...known, at: now(), again: true };
  write(line);
  return line;
}

/** A whole line in one write, before going on: what was written down is there whatever happens to this process. */
function write(line: Line): void {
  writeSync(book, `${JSON.stringify(line)}\n`);
  note(line);
}

function note(line: Line): void {
  if ("began" in line) {
    open.set(line.began, line);
    return;
  }
  const operation = open.get(line.ended)?.operation;
  answered.add(line.ended);
  open.delete(line.ended);
  if (operation === undefined) return;
  const { act, task } = operation;
  const token = held.get(task);
  const { granted, token: given } = line.answer;
  if (granted && given !== null) held.set(task, given);
  const isOver = act === "release" || (act === "complete" && operation.status === "complete");
  if (token !== undefined && (granted ? isOver : act !== "claim")) {
    held.delete(task);
    lost.set(task, token);
  }
}

function now(): string {
  return String(process.hrtime.bigint());
}

function readBook(path: string): readonly Line[] {
  if (!existsSync(path)) return [];
  const text = readFileSync(path, "utf8");
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  // A line that a kill has cut goes, or the next one would be written behind it.
  truncateSync(path, Buffer.byteLength(whole));
  return whole
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Line); // this program's own lines
}
