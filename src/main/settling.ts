/**
 * How a command that serves says that its start is over: the program that loaded it keeps the code that it used until then
 * (`start.ts`). Not at its end, for a hub may be killed, and what it did for days is not what the next start waits for.
 */
import { channel } from "node:diagnostics_channel";
import { systemClock } from "../base/clock.ts";

/** Published to once the start is over. */
export const startOver = channel("baton.start-over");

/** How long what is asked first counts as start. */
const settlesMs = 2_000;

/** Begins that time; it ends early where the command ends. */
export function settling(): AsyncDisposable {
  const end = new AbortController();
  const settled = systemClock.wait(settlesMs, end.signal).then(() => startOver.publish(null));
  return {
    async [Symbol.asyncDispose]() {
      end.abort();
      await settled;
    },
  };
}
