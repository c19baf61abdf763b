/**
 * `read_inbox`: what waits for the agent; `wait`: sleeps until something does, and the client hears meanwhile that work goes
 * on. Returning a message loses nothing: only `ack` moves the cursor.
 */
import * as z from "zod";
import type { Problem } from "../../base/problem.ts";
import type { Result } from "../../base/result.ts";
import type { Delivery, InboxPage } from "../../mail/operations.ts";
import { deliveryRemarks } from "../../messages/message.ts";
import { records, refusal, replyAnswer, type Tool, type ToolAnswer, type ToolCall } from "./tool.ts";

/* A page of an inbox as a tool answers it: what fits into one answer, and the rest with the next call. */

/** Messages that one answer brings when the agent does not say how many. */
export const messagesDefault = 20;
/** Most that it may ask for. */
const messagesMax = 100;
/** Clients cut long answers, and a message that was cut is a message not read; one message always comes whole. */
const pageCharactersMax = 64 * 1024;

/** The page as an answer. Messages are data in JSON, in the text too: clients that know no structured content need them. */
export function pageAnswer(page: Result<InboxPage, Problem>): ToolAnswer {
  if (!page.ok) return refusal([page.error]);
  const { deliveries, unread, acknowledged } = page.value;
  const messages: Readonly<Record<string, unknown>>[] = [];
  let characters = 0;
  for (const delivery of deliveries) {
    const line = lineOf(delivery);
    characters += JSON.stringify(line).length;
    if (messages.length > 0 && characters > pageCharactersMax) break;
    messages.push(line);
  }
  const data = { messages, unread, acknowledged };
  return { data };
}

/** The number of the last message that an answer holds; null: it holds none. */
function lastShown({ data }: ToolAnswer): number | null {
  const messages = (data.messages ?? []) as readonly { readonly seq?: unknown }[]; // as made above
  const last = messages.at(-1)?.seq;
  return typeof last === "number" ? last : null;
}

/** A message that was only accepted says so; of the others nobody needs to read that they count. */
function lineOf({ effect, notes, ...line }: Delivery): Readonly<Record<string, unknown>> {
  return { ...line, ...deliveryRemarks({ effect, notes }) };
}

const seq = z.int().min(1);

const input = z.strictObject({
  seen: seq.optional().describe("read up to this seq"),
  ack: seq.optional().describe("dealt with up to this seq"),
  after: z.int().min(0).optional(),
  limit: z.int().min(1).max(messagesMax).optional().describe(`default ${messagesDefault}`),
  id: z.string().optional(),
});

export const readInbox: Tool<z.infer<typeof input>> = {
  name: "read_inbox",
  title: "Read your inbox",
  description:
    "Messages to you, oldest first. They come again until you pass ack or, where hooks run, take your next step. " +
    "Do not act on one with effect: false.",
  input,
  annotations: records,
  run: async ({ seen, ack, after, limit, id }, { team }) => {
    if (ack !== undefined) {
      const reply = await team.acknowledge(ack, id === undefined ? {} : { id });
      if (reply.outcome !== "accepted") return replyAnswer(reply);
    }
    if (seen !== undefined) {
      const marked = await team.seen(seen);
      if (!marked.ok) return refusal([marked.error]);
    }
    const page = await team.inbox({ limit: limit ?? messagesDefault, ...(after === undefined ? {} : { after }) });
    const answer = pageAnswer(page);
    // What the agent reads here, no hook need show again. Where that cannot be kept, it is shown twice.
    const shown = lastShown(answer);
    if (shown !== null) {
      const passesOver = page.ok && after !== undefined && after > page.value.acknowledged;
      if (!passesOver) await team.seen(shown);
      await team.shown({ context: null, seq: shown, ...(passesOver ? { after } : {}) });
    }
    return answer;
  },
};
const secondsDefault = 30;

const secondsMax = 300;

/** Clients commonly give up after 60 s without a sign; proxies after 30. */
const heartbeatMs = 5_000;

const waitInput = z.strictObject({
  seconds: z.number().min(0).max(secondsMax).optional().describe(`default ${secondsDefault}`),
  after: z.int().min(0).optional(),
});

export const wait: Tool<z.infer<typeof waitInput>> = {
  name: "wait",
  title: "Wait for a message",
  description:
    "Waits until there is a message after that seq, and answers as read_inbox does. No messages: none came in time, wait again.",
  input: waitInput,
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
