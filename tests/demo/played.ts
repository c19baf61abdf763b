/** `baton demo` played to its end in a separate process. */
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { environment, mainBundle } from "../e2e/command.ts";

/** A demo that hangs fails by this, in milliseconds; nothing else is asked of the time of a busy machine. */
const hangsMs = 180_000;

/** Plays the demo with these words; how it ended, what it said and how long it took. */
export async function demo(
  directory: string,
  words: readonly string[],
  variables: Readonly<Record<string, string>> = {},
) {
  const started = performance.now();
  const child = spawn(process.execPath, [mainBundle, "demo", ...words], {
    cwd: directory,
    env: environment(variables),
    stdio: ["ignore", "pipe", "pipe"],
    timeout: hangsMs,
  });
  const [stdout, stderr, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.on("close", resolve)),
  ]);
  return { code, stdout, stderr, tookMs: performance.now() - started };
}
