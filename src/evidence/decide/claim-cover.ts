/** Which changed paths another agent holds, and which the work did not expect. Rules: docs/protocol/verdicts.md. */
import { ownTurn } from "../../base/clock.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import type { Note } from "../../messages/message.ts";
import type { ChangedPath } from "../git/changes.ts";
import { cutList } from "./scope-judgement.ts";
import { coverOf } from "./taking.ts";

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
    await ownTurn();
    const isHeld = coverOf(holder.files);
    for (const { path } of changed) if (!holders.has(path) && isHeld(path)) holders.set(path, holder);
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
export function forecastNotes(
  changed: readonly ChangedPath[],
  forecast: readonly string[] | null,
  holders: ReadonlyMap<string, HeldFiles>,
): readonly Note[] {
  const isExpected = coverOf(forecast);
  const outside = changed.filter(({ path }) => !isExpected(path) && !holders.has(path));
  if (outside.length === 0) return [];
  const named = outside.slice(0, shownMax).map(({ path }) => path);
  const more = outside.length > named.length ? `, and ${outside.length - named.length} more` : "";
  const message = `The task did not name these files: ${named.join(", ")}${more}.`;
  return [{ code: "outside-forecast", path: "$", message }];
}
