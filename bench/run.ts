/**
 * `npm run bench`: takes every measure and prints a table; words narrow the measures by name: `npm run bench -- accepting`.
 * Exits with 1 when a target is missed.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { acceptGrouped, acceptOne } from "./accept-message.ts";
import { dayMeasures } from "./day.ts";
import { evidenceMeasures } from "./evidence.ts";
import { firstPaint } from "./first-paint.ts";
import { hookMeasures } from "./hook-process.ts";
import { postRate, sendToSeen } from "./hub-calls.ts";
import { headOfTable, tableRow, take } from "./measure.ts";
import { foldLarge, openLarge } from "./open-journal.ts";
import { verbMeasures } from "./verbs.ts";

const measures = [
  ...verbMeasures,
  ...hookMeasures,
  acceptOne,
  acceptGrouped,
  openLarge,
  foldLarge,
  sendToSeen,
  postRate,
  firstPaint,
  ...dayMeasures,
  ...evidenceMeasures,
];
const words = process.argv.slice(2).map((word) => word.toLowerCase());
const chosen = measures.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)));
const home = join(import.meta.dirname, "..");

console.log(`${cpus().length} x ${cpus()[0]?.model.trim() ?? "an unknown processor"}, Node ${process.version}`);
console.log(headOfTable);
// On the repository's own disk: a temporary folder in memory would make every commit free.
mkdirSync(join(home, ".tmp"), { recursive: true });
for (const measure of chosen) {
  const folder = mkdtempSync(join(home, ".tmp/bench-"));
  try {
    const outcome = await take(measure, folder);
    console.log(tableRow(outcome));
    if (!outcome.met) process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
