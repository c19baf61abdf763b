/**
 * Asks a hub's `/healthz` over a connection of its own again and again, in a process of its own so that nothing of the bench
 * disturbs it. Told to begin, it counts afresh; told to end, it answers the worst time in milliseconds.
 */
import { Agent, get } from "node:http";

const url = process.argv[2] ?? "";
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
let worst = 0;

function ask(): Promise<void> {
  return new Promise((resolve, reject) => {
    const start = performance.now();
    get(`${url}/healthz`, { agent }, (response) => {
      response.resume().once("end", () => {
        worst = Math.max(worst, performance.now() - start);
        resolve();
      });
    }).once("error", reject);
  });
}

process.on("message", (word) => {
  if (word === "begin") worst = 0;
  else process.send?.(worst);
});

for (;;) {
  await ask();
  await new Promise((resolve) => setTimeout(resolve, 2));
}
