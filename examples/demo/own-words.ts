/**
 * Words by which the demo starts this same program for its own ends; no command is called so. Every start of the command
 * loads this file, so it loads nothing.
 */

/** An agent, which reads its order from standard input. */
export const agentWord = "demo-agent";

/** `baton up` that ends with its standard input, so that no hub outlives a demo that was killed. */
export const hubWord = "demo-hub";

/** Asks this process to end, as SIGTERM does, when its standard input ends. */
export function endWithInput(): void {
  process.stdin.on("error", () => process.kill(process.pid, "SIGTERM"));
  process.stdin.on("end", () => process.kill(process.pid, "SIGTERM"));
  process.stdin.resume();
  // Only the hub keeps this process alive.
  if ("unref" in process.stdin && typeof process.stdin.unref === "function") process.stdin.unref();
}
