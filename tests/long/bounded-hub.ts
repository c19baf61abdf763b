/**
 * A hub as a process whose buffer for a slow stream is given: `node --expose-gc bounded-hub.ts FOLDER BYTES`. Ends with its
 * input. One that is to let none go does not do so either where a reader still catches up. It answers each line of its input
 * with the bytes that it holds: its garbage is collected first.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { hubLimits } from "../../src/doors/http/index.ts";
import { silentLog } from "../../src/doors/http/server/monitoring.ts";
import { startHub } from "../../src/main/hub.ts";

const [folder = "", bytes = ""] = process.argv.slice(2);
const agents = Array.from(
  { length: 26 },
  (_, index) => `  ${`dev-${index + 1}`.padEnd(64, "x")}: { role: dev }\n`,
).join("");
const text = `version: 1\nteam: web\ndialects: [vbw/2]\npolicy: enforce\nagents:\n  lead-1: { role: lead }\n${agents}`;
const started = await startHub({
  journal: join(folder, "journal.db"),
  teamFile: { path: join(folder, "team.yaml"), text },
  create: true,
  port: 0,
  version: "0.0.0-test",
  log: silentLog,
  limits: {
    ...hubLimits,
    streamBufferBytesMax: Number(bytes),
    streamIdleMs: Number(bytes) > hubLimits.streamBufferBytesMax ? 3_600_000 : hubLimits.streamIdleMs,
    streamFarewellMs: 500,
  },
});
if (!started.ok) throw new Error(JSON.stringify(started.error));
process.stdout.write(`${started.value.ownerUrl()}\n`);
const { gc } = globalThis;
assert.ok(gc !== undefined, "node was started without --expose-gc");
for await (const _ of createInterface({ input: process.stdin })) {
  gc();
  const { heapUsed, external } = process.memoryUsage();
  process.stdout.write(`${heapUsed + external}\n`);
}
await started.value.stop();
