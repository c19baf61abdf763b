/**
 * Hearing agents that ask over NATS. The hubs of a journal share the asks; what an ask becomes is the caller's business.
 * Source: docs/protocol/record.md, section 18.
 */
import { type Ask, type Problem, systemClock } from "batonhq/journal";
import { type NatsAddress, readNatsAddress } from "./address.ts";
import { connectTo, type Link } from "./connection.ts";
import type { Message } from "./driver.ts";
import { answersTo, everyAsk, readAsk } from "./permissions.ts";

/** Asks that are under way at once; a further one gets no answer, and its sender asks again. */
const underWayMax = 64;
/** Servers that are away or do not let the user in are asked again after this, as by a hub that runs. */
const againMs = 1_000;

/**
 * Calls `answer` for each ask and sends what it gives as JSON, until `signal` aborts. `changed` learns why none can come,
 * and (null) that they come now.
 */
export async function hearNatsAsks(
  url: string,
  answer: (ask: Ask) => Promise<unknown>,
  changed: (problem: Problem | null) => void,
  signal: AbortSignal,
): Promise<void> {
  const address = readNatsAddress(url);
  if (!address.ok) return changed(address.error);
  const link = await connectInTheEnd(address.value, changed, signal);
  if (link === null) return;
  let underWay = 0;
  const hear = async ({ subject, data, headers, reply = "" }: Message) => {
    const asked = readAsk(subject);
    if (asked === null || underWay >= underWayMax) return;
    underWay += 1;
    try {
      const id = headers?.get("Nats-Msg-Id") ?? "";
      const said = await answer({ ...asked, id: id === "" ? null : id, message: data });
      // Who asks names the subject of the answer: one elsewhere would be written with the hub's rights, even into the log.
      if (reply.startsWith(answersTo(address.value, asked))) link.tell(reply, JSON.stringify(said));
    } finally {
      underWay -= 1;
    }
  };
  link.listen(everyAsk(address.value), (message) => void hear(message), "baton-hubs");
  while (!signal.aborted) await systemClock.wait(60_000, signal);
  await link.close();
}

/** Tries until it is connected; null: `signal` aborted. */
async function connectInTheEnd(
  address: NatsAddress,
  changed: (problem: Problem | null) => void,
  signal: AbortSignal,
): Promise<Link | null> {
  while (!signal.aborted) {
    const connected = await connectTo(address, systemClock.monotonic());
    changed(connected.ok ? null : connected.error);
    if (connected.ok) return connected.value;
    await systemClock.wait(againMs, signal);
  }
  return null;
}
