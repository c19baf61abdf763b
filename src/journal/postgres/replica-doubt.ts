/**
 * Commits that the server answers although no replica has them: an administrator who cancels a commit that waits for its
 * replica ends the wait, not the commit, and the server says so in a warning next to its answer.
 * Source: docs/protocol/record.md, section 15.
 */
import type { Client } from "./driver.ts";

/** The file of the server's source that sends the warning. Its message may be in the server's language. */
const sourceFile = "syncrep.c";

/** What the server said, by connection. */
const doubts = new WeakMap<Client, string>();

/** Notes such warnings of a new connection. */
export function noteDoubts(client: Client): void {
  client.on("notice", ({ file, message }) => {
    if (file === sourceFile) doubts.set(client, message ?? "no replica was waited for");
  });
}

/**
 * Throws where the server gave up waiting for a replica on this connection: as where no answer came, it is in doubt whether
 * what was committed is durable. The connection is closed then.
 */
export function throwDoubt(client: Client): void {
  const said = doubts.get(client);
  if (said !== undefined) throw new Error(`Connection answered without its replica: ${said}`);
}
