/** The order in which the hooks of one session are answered. Source: docs/protocol/doors.md, section 7. */
import { systemClock } from "../../base/clock.ts";
import type { HookAnswer } from "../../doors/hooks/hook-answer.ts";
import type { HookOutcome } from "./hook-asking.ts";

/**
 * Answers of one session: what follows from one is done after the program has it, and before the next. `overlaps`: until
 * now another call was under way too.
 */
export function answerQueue() {
  let settled: Promise<void> = Promise.resolve();
  let open = 0;
  let came = 0;
  return {
    [Symbol.asyncDispose]: () => settled,
    next: async (ask: (overlaps: () => boolean) => Promise<HookOutcome>): Promise<HookAnswer> => {
      const isFirst = open === 0;
      open += 1;
      came += 1;
      const own = came;
      const overlaps = () => !isFirst || came !== own;
      let ended: Promise<void> = Promise.resolve();
      try {
        await settled;
        const { answer, end } = await ask(overlaps);
        // The program waits for the answer, and for nothing of this.
        ended = systemClock.wait(1).then(end);
        settled = Promise.all([settled, ended]).then(() => undefined);
        return answer;
      } finally {
        const isDone = () => {
          open -= 1;
        };
        ended.then(isDone, isDone);
      }
    },
  };
}
