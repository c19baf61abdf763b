/**
 * What works in which agent program, as `tests/programs/capabilities.tsv` has it. Each cell names the test that shows it, or
 * after `! ` why the program cannot do it. A run of all tests with the programs compares the names with what passed.
 */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const home = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

/** One row: the capability, and of each program the test or the reason. */
interface Capability {
  readonly says: string;
  readonly cells: readonly string[];
}

/** The programs and the rows. */
export function capabilities(): { readonly programs: readonly string[]; readonly rows: readonly Capability[] } {
  const lines = readFileSync(join(home, "tests/programs/capabilities.tsv"), "utf8").trim().split("\n");
  const [[, ...programs] = [], ...rows] = lines.map((line) => line.split("\t"));
  return { programs, rows: rows.map(([says = "", ...cells]) => ({ says, cells })) };
}

/** Whether a cell says why the program cannot do it. */
export const isReason = (cell: string) => cell.startsWith("! ");

/** The titles of the tests that the table names. */
export function capabilityTests(): readonly string[] {
  return [...new Set(capabilities().rows.flatMap(({ cells }) => cells.filter((cell) => !isReason(cell))))];
}
