/**
 * Which changed paths a claim covers, the work's own or another's. A claim may have thousands of globs and a commit tens
 * of thousands of files, so the globs are read once, and the paths are looked at in short pieces between which
 * everything else goes on. Rules: docs/protocol/verdicts.md.
 */
import { ownTurn } from "../../base/clock.ts";
import type { Meter } from "../../base/paths/glob-matching.ts";
import { allowing, type Glob, readGlob } from "../../base/paths/globs.ts";
import { canonicalPath } from "../../base/paths/paths.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import type { Note } from "../../messages/message.ts";
import type { ChangedPath } from "../git/changed-paths.ts";
import { cutList } from "./scope-judgement.ts";

/** Steps of comparing, and paths, after which others have their turn: a few milliseconds. */
const stepsTogether = 200_000;
const pathsTogether = 500;

/** The paths among the changes that one of the globs matches; where a glob cannot be read, none is covered. */
export async function coveredPaths(
  claimed: readonly string[],
  changed: readonly ChangedPath[],
): Promise<ReadonlySet<string>> {
  const covered = new Set<string>();
  const globs = await readInTurns(claimed);
  if (globs === null) return covered;
  const meter: Meter = { steps: 0 };
  let [turnAt, looked] = [stepsTogether, 0];
  for (const { path } of changed) {
    const read = canonicalPath(path);
    if (read.ok && allowing(globs, read.value, meter) !== null) covered.add(path);
    looked += 1;
    if (meter.steps < turnAt && looked % pathsTogether !== 0) continue;
    turnAt = meter.steps + stepsTogether;
    await ownTurn();
  }
  return covered;
}

async function readInTurns(claimed: readonly string[]): Promise<readonly Glob[] | null> {
  const globs: Glob[] = [];
  for (const text of claimed) {
    const glob = readGlob(text);
    if (!glob.ok) return null;
    globs.push(glob.value);
    if (globs.length % pathsTogether === 0) await ownTurn();
  }
  return globs;
}

/** Files that another agent has claimed for its task, or edits. */
export interface HeldFiles {
  readonly holder: string;
  /** Null: it edits them and holds no task. */
  readonly task: string | null;
  readonly files: readonly string[];
}

/** Who else holds each of the changed paths that somebody else holds. */
export async function holdersOf(
  changed: readonly ChangedPath[],
  held: readonly HeldFiles[],
): Promise<ReadonlyMap<string, HeldFiles>> {
  const holders = new Map<string, HeldFiles>();
  for (const holder of held) {
    const covered = holder.files.length === 0 ? [] : await coveredPaths(holder.files, changed);
    for (const path of covered) if (!holders.has(path)) holders.set(path, holder);
  }
  return holders;
}

/** `outside-claim` for each change in a file that another agent holds. */
export function heldProblems(
  changed: readonly ChangedPath[],
  holders: ReadonlyMap<string, HeldFiles>,
): readonly Problem[] {
  const found = changed.flatMap(({ path }) => {
    const by = holders.get(path);
    return by === undefined ? [] : [heldProblem(path, by)];
  });
  return cutList(found);
}

function heldProblem(path: string, { holder, task }: HeldFiles): Problem {
  const what = task === null ? "edits this file" : `has claimed this file for ${task}`;
  return makeProblem("outside-claim", path, `${holder} ${what}.`, {
    expected: "changes in files that no other agent holds",
    received: path,
    hint: "Report the commit with the work of this task, and claim the files that it changes.",
  });
}

/** So many files are named in a note. */
const shownMax = 10;

/** What was changed and not expected, of what nobody else holds: that is a problem, and no note. */
export async function forecastNotes(
  changed: readonly ChangedPath[],
  forecast: readonly string[] | null,
  holders: ReadonlyMap<string, HeldFiles>,
): Promise<readonly Note[]> {
  if (forecast === null) return [];
  const covered = await coveredPaths(forecast, changed);
  const outside = changed.filter(({ path }) => !covered.has(path) && !holders.has(path));
  if (outside.length === 0) return [];
  const named = outside.slice(0, shownMax).map(({ path }) => path);
  const more = outside.length > named.length ? `, and ${outside.length - named.length} more` : "";
  const message = `The task did not name these files: ${named.join(", ")}${more}.`;
  return [{ code: "outside-forecast", path: "$", message }];
}
