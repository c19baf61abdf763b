/** A file of messages, one a line, judged by the command in one process: from its start to its last answer. */
import { spawnSync } from "node:child_process";
import { closeSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Measure } from "./measure.ts";
import { updateText } from "./messages.ts";

const launcher = join(import.meta.dirname, "../bin/baton.js");
const lines = 10_000;
const aSecond = 50_000;

/** `baton validate FILE.jsonl --json`, the answers written to a file. */
export const validateLines: Measure = {
  name: "A file of 10,000 messages",
  subject: "baton validate FILE.jsonl --json, a message",
  yardstick: "50,000 messages a second",
  target: { of: "rate", atLeast: 1 },
  rounds: 15,
  open: async (folder) => {
    const file = join(folder, "messages.jsonl");
    writeFileSync(file, `${Array.from({ length: lines }, updateText).join("\n")}\n`);
    return {
      yardstick: () => 1000 / aSecond,
      subject: () => {
        const output = openSync(join(folder, "answers.jsonl"), "w");
        const start = performance.now();
        const done = spawnSync(process.execPath, [launcher, "validate", file, "--json"], {
          cwd: folder,
          stdio: ["ignore", output, "inherit"],
        });
        const took = performance.now() - start;
        closeSync(output);
        if (done.status !== 0) throw new Error(`baton validate ended with ${done.status}`);
        return took / lines;
      },
    };
  },
};
