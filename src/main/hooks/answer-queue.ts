/** The order in which the hooks of one session are answered. Source: docs/protocol/doors.md, section 7. */
import { systemClock } from "../../base/clock.ts";
import type { HookAnswer } from "../../doors/hooks/hook-answer.ts";
import type { HookOutcome } from "./hook-asking.ts";

/**
 * Answers of one session: what follows from one is done after the program has it, and before the next. `overlaps`: until
 * this call was answered another one was under way too. `onFault` is called with errors in what follows; absent: the next
 * call fails with them.
 */
export function answerQueue(onFault?: (fault: unknown) => void) {
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
      let isAlone: boolean | null = null;
      const isStillAlone = () => isFirst && came === own;
      try {
        await settled;
        const { answer, end } = await ask(() => !(isAlone ?? isStillAlone()));
        // A call that comes from now on comes after the answer.
        isAlone = isStillAlone();
        // The program waits for the answer, and for nothing of this.
        const ended = systemClock.wait(1).then(end);
        const done = onFault === undefined ? ended : ended.catch(onFault);
        settled = Promise.all([settled, done]).then(() => undefined);
        return answer;
      } finally {
        open -= 1;
      }
    },
  };
}
