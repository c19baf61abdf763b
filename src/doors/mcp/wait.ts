/** `wait`: sleeps until mail comes. While it waits the client hears that work goes on, so that it does not give up. */
import * as z from "zod";
import { messagesDefault, pageAnswer } from "./read-inbox.ts";
import { records, type Tool, type ToolCall, waitedShape } from "./tool.ts";

const secondsDefault = 30;
const secondsMax = 300;
/** Clients commonly give up after 60 s without a sign; proxies after 30. */
const heartbeatMs = 5_000;

const input = z.strictObject({
  seconds: z.number().min(0).max(secondsMax).optional().describe(`default ${secondsDefault}`),
  after: z.int().min(0).optional().describe("the last seq you have read"),
});

export const wait: Tool<z.infer<typeof input>> = {
  name: "wait",
  title: "Wait for a message",
  description:
    "Waits until a message for you is there and returns it as read_inbox does; at once if one waits already (pass after to skip " +
    "what you have read but not acknowledged). Empty messages: none came in time, wait again. " +
    "Better than asking again and again.",
  input,
  output: waitedShape,
  annotations: records,
  run: async ({ seconds, after }, call) => {
    const waitMs = Math.round((seconds ?? secondsDefault) * 1000);
    const over = new AbortController();
    const beating = beat(call, waitMs, over.signal);
    try {
      const page = await call.team.inbox({
        limit: messagesDefault,
        waitMs,
        signal: call.signal,
        ...(after === undefined ? {} : { after }),
      });
      if (page.ok || page.error.code !== "timed-out") return pageAnswer(page);
      // That nothing came is an answer, not an error; what was read before and still waits is counted all the same.
      const now = await call.team.inbox({ limit: 1, ...(after === undefined ? {} : { after }) });
      return pageAnswer(now);
    } finally {
      over.abort();
      await beating;
    }
  },
};

/** Says every few seconds how long it has waited, from the start on. */
async function beat(call: ToolCall, waitMs: number, signal: AbortSignal): Promise<void> {
  const { clock } = call;
  const start = clock.monotonic();
  while (!signal.aborted && !call.signal.aborted) {
    await call.progress(Math.round(clock.monotonic() - start) / 1000, waitMs / 1000);
    await clock.wait(heartbeatMs, AbortSignal.any([signal, call.signal]));
  }
}
