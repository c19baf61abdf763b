/** The order in which the hooks of one session are answered. Source: docs/protocol/doors.md, section 7. */
import { systemClock } from "../../base/clock.ts";
import type { HookAnswer } from "../hooks/hook-answer.ts";
import type { HookOutcome } from "./hook-asking.ts";

/**
 * Answers of one session: what follows from one is done after the program has it, and before the next. `onFault` is called
 * with errors in what follows; absent: the next call fails with them.
 */
export function answerQueue(onProblem?: (problem: unknown) => void) {
  let settled: Promise<void> = Promise.resolve();
  return {
    [Symbol.asyncDispose]: () => settled,
    next: async (ask: () => Promise<HookOutcome>): Promise<HookAnswer> => {
      await settled;
      const { answer, end } = await ask();
      // The program waits for the answer, and for nothing of this.
      const ended = systemClock.wait(1).then(end);
      const done = onProblem === undefined ? ended : ended.catch(onProblem);
      settled = Promise.all([settled, done]).then(() => undefined);
      return answer;
    },
  };
}
