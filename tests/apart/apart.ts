/**
 * A campaign of very many promises in a separate thread: the test runner follows every promise of the thread that the
 * tests run in, which takes up to a third of such a campaign's time
 * (docs/decisions.md).
 */
import { Worker } from "node:worker_threads";

/** The order of a thread: which export of which module to call, and with what. */
export interface Order {
  readonly module: string;
  readonly name: string;
  readonly given: readonly unknown[];
}

/**
 * Calls an export of the module at `url`, a function of this type and name, in a separate thread. What goes in and out
 * must be data that a thread can be given. Rejects with what the call throws.
 */
export function apart<Call extends (...given: never[]) => unknown>(
  url: string,
  name: string,
  ...given: Parameters<Call>
): Promise<Awaited<ReturnType<Call>>> {
  const order: Order = { module: url, name, given };
  const thread = new Worker(new URL("./thread.ts", import.meta.url), { workerData: order });
  return new Promise((resolve, reject) => {
    thread.once("message", resolve);
    thread.once("error", reject);
    thread.once("exit", (code) => reject(new Error(`the thread of ${name} ended with ${code} and no answer`)));
  });
}
