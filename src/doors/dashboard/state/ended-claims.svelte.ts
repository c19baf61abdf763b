/**
 * Claims that ended or went to another while a person looks: the task's row stays, and says for a moment whose it was.
 * How it ended, the timeline says.
 */
import type { Clock } from "../../../base/clock.ts";
import type { TaskView } from "../../../coordination/tasks/board.ts";
import { claimEndWords } from "../shown/ending-words.ts";

/** Long enough to be read. */
const stayMs = 6_000;

export class EndedClaims {
  /** What is said of a task's last claim, by task. */
  said = $state.raw<ReadonlyMap<string, string>>(new Map());

  readonly #clock: Clock;
  #holders: ReadonlyMap<string, string> = new Map();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes the tasks as they stand now. */
  take(tasks: readonly TaskView[]): void {
    const ended = tasks.flatMap((task) => {
      const before = this.#holders.get(task.task);
      return before === undefined || before === task.holder ? [] : [[task.task, claimEndWords(task, before)] as const];
    });
    this.#holders = new Map(tasks.flatMap(({ task, holder }) => (holder === null ? [] : [[task, holder]])));
    if (ended.length > 0) void this.#say(ended);
  }

  async #say(ended: readonly (readonly [task: string, words: string])[]): Promise<void> {
    this.said = new Map([...this.said, ...ended]);
    await this.#clock.wait(stayMs);
    // What was said of the same task since then has its own moment.
    const over = new Map(ended);
    this.said = new Map([...this.said].filter(([task, words]) => over.get(task) !== words));
  }
}
