/**
 * Learning of new messages of the log: a consumer that gets each message once it is stored, without its body. The
 * server sends a heartbeat every few seconds, so a consumer that is gone is noticed and made again.
 */
import { systemClock } from "../../base/clock.ts";
import type { Link } from "./connection.ts";

const heartbeatMs = 2_000;
const betweenTriesMs = 500;

/** Calls `ring` with the team of each new message until `signal` aborts; with null where some may have been missed. */
export async function watchLog(
  link: Link,
  stream: string,
  subject: string,
  ring: (team: string | null) => void,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const inbox = link.inbox();
    let heardAt = systemClock.monotonic();
    const leave = link.listen(inbox, (message) => {
      heardAt = systemClock.monotonic();
      // A status has a code: a heartbeat, or that the consumer is gone.
      if ((message.headers?.code ?? 0) === 0) ring(message.subject.slice(message.subject.lastIndexOf(".") + 1));
      if (message.headers?.code === 100 && message.reply !== undefined && message.reply !== "")
        link.tell(message.reply, "");
    });
    const name = inbox.slice("_INBOX.".length);
    const made = await link.api(`CONSUMER.CREATE.${stream}.${name}`, {
      stream_name: stream,
      action: "create",
      config: {
        name,
        deliver_subject: inbox,
        deliver_policy: "new",
        ack_policy: "none",
        filter_subject: subject,
        headers_only: true,
        flow_control: true,
        idle_heartbeat: heartbeatMs * 1_000_000,
        inactive_threshold: 30_000_000_000,
        mem_storage: true,
        num_replicas: 1,
      },
    });
    if (made.ok) {
      ring(null);
      heardAt = systemClock.monotonic();
      while (!signal.aborted && systemClock.monotonic() < heardAt + 2.5 * heartbeatMs)
        await systemClock.wait(heartbeatMs, signal);
    } else if (made.error.kind === "final") return;
    leave();
    link.tell(`$JS.API.CONSUMER.DELETE.${stream}.${name}`, "");
    if (!signal.aborted) await systemClock.wait(betweenTriesMs, signal);
  }
}
