/** The drop-in as hooks run it: a whole process that judges one message, against Node doing nothing. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import type { Measure } from "./measure.ts";
import { updateText } from "./messages.ts";

const launcher = join(import.meta.dirname, "../bin/baton.js");

/** `baton validate-message` with the message as its argument, in an empty folder. */
export const validateProcess: Measure = {
  name: "validate-message as a whole process",
  subject: "baton validate-message '{...}'",
  yardstick: "node -e 0",
  target: { of: "time", atMost: 1.35 },
  rounds: 60,
  open: async (folder) => {
    const text = updateText();
    return {
      yardstick: () => processMs(["-e", "0"], folder, null),
      subject: () => processMs([launcher, "validate-message", text], folder, '"valid":true'),
    };
  },
};

function processMs(words: readonly string[], folder: string, expected: string | null): number {
  const start = performance.now();
  const done = spawnSync(process.execPath, words, { cwd: folder, encoding: "utf8" });
  const took = performance.now() - start;
  if (done.status !== 0 || (expected !== null && !done.stdout.includes(expected))) {
    throw new Error(`node ${words[0]} did not do its work: ${done.stdout}${done.stderr}`);
  }
  return took;
}
