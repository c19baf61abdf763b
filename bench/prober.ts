/**
 * Asks a hub's `/healthz` over a separate connection again and again, in a separate process so that nothing of the
 * bench disturbs it. An order to begin resets the count; an order to end returns the worst time in milliseconds.
 */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { Agent, get } from "node:http";

/** The worst answer that the process of a prober saw while `act` ran, in milliseconds. */
export async function worstDuring(prober: ChildProcess, act: () => Promise<unknown>): Promise<number> {
  prober.send("begin");
  await act();
  prober.send("end");
  const [worst] = (await once(prober, "message")) as [number];
  return worst;
}

async function probe(url: string): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let worst = 0;
  const ask = () =>
    new Promise<void>((resolve, reject) => {
      const start = performance.now();
      get(`${url}/healthz`, { agent }, (response) => {
        response.resume().once("end", () => {
          worst = Math.max(worst, performance.now() - start);
          resolve();
        });
      }).once("error", reject);
    });
  process.on("message", (word) => {
    if (word === "begin") worst = 0;
    else process.send?.(worst);
  });
  for (;;) {
    await ask();
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

if (import.meta.main) await probe(process.argv[2] ?? "");
