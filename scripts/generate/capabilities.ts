/**
 * What works in which agent program, as a page: read from `tests/programs/capabilities.tsv`. Each cell names the test that
 * shows it, or after `! ` why the program cannot do it. A run of all tests with the programs compares the names with what
 * passed.
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

function capabilities(): { readonly programs: readonly string[]; readonly rows: readonly Capability[] } {
  const lines = readFileSync(join(home, "tests/programs/capabilities.tsv"), "utf8").trim().split("\n");
  const [[, ...programs] = [], ...rows] = lines.map((line) => line.split("\t"));
  return { programs, rows: rows.map(([says = "", ...cells]) => ({ says, cells })) };
}

const isReason = (cell: string) => cell.startsWith("! ");

/** The titles of the tests that the page names. */
export function capabilityTests(): readonly string[] {
  return [...new Set(capabilities().rows.flatMap(({ cells }) => cells.filter((cell) => !isReason(cell))))];
}

/** The page. */
export function capabilityPage(): string {
  const { programs, rows } = capabilities();
  const versions = readFileSync(join(home, "scripts/agent-programs.txt"), "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => line.replace(" ", " at version "));
  const tests = capabilityTests();
  const cellOf = (cell: string) =>
    isReason(cell) ? `not possible in this program, because ${cell.slice(2)}` : `works [${tests.indexOf(cell) + 1}]`;
  return `# What works in which agent program

Written by \`npm run generate\` from \`tests/programs/capabilities.tsv\`; do not edit. \`npm run test:programs\` runs the programs
themselves, offline and with scripted models: ${versions.join(", ")}. It fails if a test that is named here did not pass. The
[guide](guides/agent-programs.md) says how to use them.

| | ${programs.join(" | ")} |
|---|${programs.map(() => "---|").join("")}
${rows.map(({ says, cells }) => `| ${says} | ${cells.map(cellOf).join(" | ")} |`).join("\n")}

## The tests

${tests.map((title, index) => `${index + 1}. ${title}`).join("\n")}
`;
}
