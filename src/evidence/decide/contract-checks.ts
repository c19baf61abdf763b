/**
 * The verification checks of a contract, which are shell commands that an agent wrote. They run only when the operator
 * says so, each in its own process group that is killed when the check ends or its time is over, without Baton's own
 * variables; what they print is digested, not obeyed. Rules: docs/protocol/verdicts.md.
 */
import { createHash } from "node:crypto";
import { type Clock, systemClock } from "../../base/clock.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import type { Environment } from "../git/git.ts";

/** How a check ended. */
export interface CheckOutcome {
  readonly check: string;
  /** Null: it could not be started, or a signal ended it. */
  readonly exitCode: number | null;
  readonly isTimedOut: boolean;
  readonly durationMs: number;
  /** SHA-256 of what it wrote, standard output and standard error as they came, and how many bytes that were. */
  readonly outputDigest: string;
  readonly outputBytes: number;
  /** The end of what it wrote; shown to people, never recorded. */
  readonly outputEnd: string;
}

export interface CheckOptions {
  /** Where it runs, an absolute path. */
  readonly directory: string;
  readonly environment: Environment;
  readonly clock?: Clock;
  readonly msMax?: number;
}

/** Longest time of one check unless another is given. */
export const checkMsMax = 300_000;
const outputEndBytesMax = 4096;
const hasGroups = process.platform !== "win32";

/** Runs one check to its end by the system's shell. Total: a check that cannot be started has no exit code. */
export async function runCheck(check: string, options: CheckOptions): Promise<CheckOutcome> {
  const clock = options.clock ?? systemClock;
  const digest = createHash("sha256");
  let bytes = 0;
  let end = Buffer.alloc(0);
  let isTimedOut = false;
  const startedAt = clock.monotonic();
  const child = process.getBuiltinModule("node:child_process").spawn(check, {
    shell: true,
    cwd: options.directory,
    env: checkEnvironment(options.environment),
    stdio: ["ignore", "pipe", "pipe"],
    detached: hasGroups,
    windowsHide: true,
  });
  const take = (chunk: Buffer): void => {
    digest.update(chunk);
    bytes += chunk.length;
    end = Buffer.concat([end, chunk]).subarray(-outputEndBytesMax);
  };
  child.stdout.on("data", take);
  child.stderr.on("data", take);
  const { promise, resolve } = Promise.withResolvers<number | null>();
  let hasEnded = false;
  child.on("error", () => resolve(null));
  child.on("close", (code) => resolve(code));
  // What it left running holds its output open; that ends with the check.
  child.on("exit", () => {
    hasEnded = true;
    killGroup(child.pid);
  });
  const over = new AbortController();
  void clock.wait(options.msMax ?? checkMsMax, over.signal).then(() => {
    if (over.signal.aborted) return;
    if (!hasEnded) {
      isTimedOut = true;
      killGroup(child.pid);
    }
    // What left the group cannot be found; but its hold on the output does not prolong the check.
    child.stdout.destroy();
    child.stderr.destroy();
  });
  const exitCode = await promise;
  over.abort();
  return {
    check,
    exitCode: isTimedOut ? null : exitCode,
    isTimedOut,
    durationMs: Math.round(clock.monotonic() - startedAt),
    outputDigest: digest.digest("hex"),
    outputBytes: bytes,
    outputEnd: end.toString("utf8"),
  };
}

/** The variables that a check gets: all of this process but Baton's own, among which are tokens, and git's. */
function checkEnvironment(environment: Environment): Record<string, string> {
  const kept = Object.entries(environment).filter(([name]) => !/^(?:BATON|GIT)_/i.test(name));
  return { ...Object.fromEntries(kept), CI: "1" };
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(hasGroups ? -pid : pid, "SIGKILL");
  } catch {
    // Nobody is left in the group.
  }
}

/** The problem of a check that did not end well; null: it passed. */
export function checkProblem({ check, exitCode, isTimedOut, durationMs }: CheckOutcome): Problem | null {
  if (exitCode === 0) return null;
  const how = isTimedOut
    ? `was ended after ${durationMs} ms`
    : exitCode === null
      ? "was ended by a signal"
      : `ended with ${exitCode}`;
  return makeProblem(
    "check-failed",
    "$.verification_checks",
    `The check "${check.slice(0, 200).toWellFormed()}" ${how}.`,
    {
      expected: "exit code 0",
      received: exitCode === null ? (isTimedOut ? "timed out" : "signal") : String(exitCode),
      hint: "Repair what it found, then report the task again.",
    },
  );
}
