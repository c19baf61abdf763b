/**
 * What a finished command tells the shell. Scripts rely on these numbers; a test compares them with literals.
 * Source: docs/protocol/doors.md, section 3.
 */
import { isMachines, type Problem, type ProblemCode } from "../../../base/problem.ts";

/** Every exit code by its meaning. `interrupted` is the shell's own convention for Ctrl-C (128 + SIGINT). */
export const exitCodes = {
  done: 0,
  problem: 1,
  refused: 2,
  notFound: 3,
  timedOut: 4,
  undecided: 5,
  usage: 64,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Codes whose exit code does not follow from their family. */
const special: Partial<Record<ProblemCode, ExitCode>> = {
  "not-found": exitCodes.notFound,
  "unknown-request": exitCodes.notFound,
  "unknown-task": exitCodes.notFound,
  "unknown-team": exitCodes.notFound,
  "not-initialised": exitCodes.notFound,
  "journal-missing": exitCodes.notFound,
  "timed-out": exitCodes.timedOut,
  "wrong-usage": exitCodes.usage,
  // Nothing went wrong. Ctrl-C has its own code, whatever the command says; a reader who has seen enough has none.
  interrupted: exitCodes.done,
  "not-a-hub": exitCodes.problem,
  "node-too-old": exitCodes.problem,
};

/**
 * The exit code for a command that ended with `problem`: 3 where what the command line names does not exist, 4 after
 * a wait in vain, 64 for wrong usage, 1 where journal or machine gave no answer at all, 2 for everything that was
 * judged and refused.
 */
export function exitCodeOf(problem: Problem): ExitCode {
  const named = special[problem.code];
  if (named !== undefined) return named;
  if (problem.code.startsWith("journal-") || isMachines(problem.code)) return exitCodes.problem;
  return exitCodes.refused;
}
