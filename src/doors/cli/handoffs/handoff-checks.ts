/** What was found of a handoff document's files, for programs a line each, for people a table. */
import { counted, visible } from "../../../base/text.ts";
import { type FileCheck, fileProblems } from "../../../evidence/checksums.ts";
import { fileStates } from "../../../message/handoff-files.ts";
import type { Call } from "../kernel/command.ts";
import { type ExitCode, exitCodes } from "../kernel/exit-codes.ts";

/** Tells every check; exits 2 when a file is changed, missing or outside the root. Weak checksums only inform. */
export function tellChecks({ output }: Call, checks: readonly FileCheck[]): ExitCode {
  const { stdout: paint } = output.paint;
  const colours = { ok: paint.good, weak: paint.warn, changed: paint.bad, missing: paint.bad, outside: paint.bad };
  for (const check of checks) {
    output.result(check, () => {
      const { path, state, expected, reason } = check;
      const why = reason ?? (state === "ok" && expected === null ? "there; no checksum is given" : null);
      return `${colours[state](state.padEnd("outside".length))}  ${visible(path)}${why === null ? "" : paint.faint(`  ${visible(why)}`)}`;
    });
  }
  output.say(`${counted(checks.length, "file")}: ${countsOf(checks)}.`);
  const problems = fileProblems(checks);
  output.problems(problems);
  return problems.length === 0 ? exitCodes.done : exitCodes.refused;
}

function countsOf(checks: readonly FileCheck[]): string {
  const counts = fileStates
    .map((state) => [state, checks.filter((check) => check.state === state).length] as const)
    .filter(([, count]) => count > 0);
  return counts.length === 0 ? "none is named" : counts.map(([state, count]) => `${count} ${state}`).join(", ");
}
