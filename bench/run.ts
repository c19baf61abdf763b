/**
 * `npm run bench`: takes every measure and writes a page into `.tmp`. Words narrow the measures by name and then only
 * print: `npm run bench -- accepting`; with `--record` their rows on the page are replaced, and the others stay as they were
 * measured. Exits with 1 when a target is missed.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { acceptGrouped, acceptGroupedOfMany, acceptOne, acceptOneOfMany } from "./accept-message.ts";
import { adoptProject } from "./adopting.ts";
import { programMeasures } from "./agent-programs.ts";
import { claimDecision, fullBoard } from "./claims.ts";
import { fireAtOnce, idleHub } from "./deadlines.ts";
import { startOfHub } from "./engines/hub-start.ts";
import { engineMeasures } from "./engines/rows.ts";
import { firstPaint } from "./first-paint.ts";
import { refuseBombs, verifyHandoff } from "./handoffs.ts";
import { hookMeasures } from "./hook-process.ts";
import { a2aRate, postRate, sendToSeen } from "./hub-calls.ts";
import { liveFolder } from "./live-folder.ts";
import { matchWorst } from "./match-glob.ts";
import { hookCall, readCall, sendCall, toolSchemas } from "./mcp-calls.ts";
import { type Outcome, take } from "./measure.ts";
import { openLarge } from "./open-journal.ts";
import { pageOf, targetText, withRows } from "./page.ts";
import { phaseCold, phaseOpen } from "./phase-views.ts";
import { readOne, readWorst } from "./read-message.ts";
import { closeLargeHub, stallMeasures } from "./stall.ts";
import { validateLines } from "./validate-lines.ts";
import { validateProcess } from "./validate-process.ts";
import { verbMeasures } from "./verbs.ts";
import { verifyCommit } from "./verify-commit.ts";

const measures = [
  validateProcess,
  ...hookMeasures,
  ...verbMeasures,
  validateLines,
  acceptOne,
  acceptOneOfMany,
  acceptGrouped,
  acceptGroupedOfMany,
  ...engineMeasures(),
  ...startOfHub,
  readOne,
  readWorst,
  matchWorst,
  openLarge,
  readCall,
  sendCall,
  hookCall,
  ...programMeasures,
  toolSchemas,
  firstPaint,
  sendToSeen,
  postRate,
  a2aRate,
  idleHub,
  fireAtOnce,
  verifyCommit,
  verifyHandoff,
  refuseBombs,
  claimDecision,
  fullBoard,
  phaseCold,
  phaseOpen,
  adoptProject,
  liveFolder,
  ...stallMeasures,
];
const home = join(import.meta.dirname, "..");
const isRecorded = process.argv.includes("--record");
const words = process.argv
  .slice(2)
  .filter((word) => word !== "--record")
  .map((word) => word.toLowerCase());
const chosen = measures.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)));

const outcomes: Outcome[] = [];
// Also where a measure fails: that hub runs on for all of them.
await using _large = { [Symbol.asyncDispose]: closeLargeHub };
// On the repository's own disk: a temporary folder in memory would make every commit free.
mkdirSync(join(home, ".tmp"), { recursive: true });
for (const measure of chosen) {
  const folder = mkdtempSync(join(home, ".tmp/bench-"));
  try {
    const outcome = await take(measure, folder);
    outcomes.push(outcome);
    console.log(
      `${measure.name}: ${outcome.ratio.toFixed(2)} x ${measure.unit ?? measure.target.of} (${targetText(measure.target)})`,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const page = join(home, ".tmp/benchmarks.md");
if (words.length === 0) writeFileSync(page, pageOf(outcomes));
else if (isRecorded) {
  const names = measures.map(({ name }) => name);
  writeFileSync(page, withRows(readFileSync(page, "utf8"), outcomes, names));
}
if (outcomes.some(({ met }) => !met)) process.exitCode = 1;
