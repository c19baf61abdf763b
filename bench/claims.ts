/** Claims and the board: what a decision costs among few and among many live claims, and what a full board costs. */
import { boardOf } from "../src/coordination/tasks/board.ts";
import { type WorkCommand, work } from "../src/coordination/tasks/task-decider.ts";
import { initialWork, type Work } from "../src/coordination/tasks/task-state.ts";
import type { Viewer } from "../src/coordination/tasks/task-view.ts";
import { type Measure, timed } from "./measure.ts";

const decisionsPerRound = 2_000;
const boardsPerRound = 5;
const boardTasks = 1_000;
const holders = 50;

/** Decides and folds; a refused order would measure the wrong thing. */
function give(state: Work, command: WorkCommand): void {
  const decided = work.decide(command, state);
  if (!decided.ok) throw new Error(`the bench's order is refused: ${JSON.stringify(decided.error)}`);
  for (const event of decided.value.events) work.evolve(state, event);
}

function addTask(state: Work, number: number, dependsOn: readonly string[] = []): string {
  const taskId = `${Math.floor(number / 100) + 1}-1-T${number}`;
  const files = [`src/part-${number % 97}/file-${number}.ts`, `tests/part-${number % 97}/file-${number}/`];
  give(state, { command: "add-task", taskId, planId: null, files, dependsOn, seq: number + 1 });
  return taskId;
}

function claim(state: Work, taskId: string, holder: string, seq: number): void {
  const lease = { session: 1, scope: null, atMs: seq, leaseMs: 300_000 };
  give(state, { command: "claim-task", taskId, planId: null, files: null, holder, seq, ...lease });
}

/** Work with that many live claims, and some tasks that are free. */
function claimed(claims: number): { readonly state: Work; readonly free: readonly string[] } {
  const state = initialWork();
  for (let number = 0; number < claims; number += 1)
    claim(state, addTask(state, number), `dev-${number % holders}`, number + 1);
  const free = Array.from({ length: 20 }, (_, index) => addTask(state, claims + index));
  return { state, free };
}

/** Claims and releases the free tasks in turn, so that the number of live claims stays. */
function decide({ state, free }: ReturnType<typeof claimed>): Promise<number> {
  return timed(decisionsPerRound, () => {
    for (let count = 0; count < decisionsPerRound; count += 1) {
      const taskId = free[count % free.length] ?? "";
      claim(state, taskId, "dev-new", 1_000_000 + count);
      give(state, { command: "release-task", taskId, planId: null, token: null, by: "dev-new", mayTake: false });
    }
  });
}

/** A claim granted and given back, among ten live claims and among ten thousand. */
export const claimDecision: Measure = {
  name: "Deciding a claim",
  subject: "among 10,000 live claims",
  yardstick: "among 10 live claims",
  target: { of: "time", atMost: 2 },
  rounds: 25,
  async open() {
    const [few, many] = [claimed(10), claimed(10_000)];
    return { yardstick: () => decide(few), subject: () => decide(many) };
  },
};

/** The whole board: every task with its state, what is available, the waves. The yardstick is the bound itself. */
export const fullBoard: Measure = {
  name: "A board of 1,000 tasks",
  subject: "every task, what is available, the waves",
  yardstick: "50 ms",
  target: { of: "time", atMost: 1 },
  rounds: 25,
  async open() {
    const state = initialWork();
    const ids: string[] = [];
    for (let number = 0; number < boardTasks; number += 1)
      ids.push(addTask(state, number, number % 4 === 3 ? ids.slice(-2) : []));
    for (let number = 0; number < boardTasks; number += 10)
      if (number % 4 !== 3) claim(state, ids[number] ?? "", `dev-${number % holders}`, number + 1);
    const viewer: Viewer = { agent: "dev-1", signOf: () => 0, leaseMs: 300_000, hasRepository: true };
    return {
      yardstick: () => 50,
      subject: () =>
        timed(boardsPerRound, () => {
          for (let count = 0; count < boardsPerRound; count += 1) boardOf(state, viewer);
        }),
    };
  },
};
