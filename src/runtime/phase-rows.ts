/**
 * What a journal holds for the folders of phases: the rows that were imported from such, each in its file and in order, and
 * a line of `summary.jsonl` for each plan that is done. Files that messages name as artifacts are the repository's.
 */
import type { Problem } from "../base/problem.ts";
import { ok, type Result } from "../base/result.ts";
import { summaryLine } from "../coordination/summary-form.ts";
import { summaryViewOf } from "../coordination/summary-view.ts";
import type { Entry } from "../journal/entry.ts";
import { contentOf } from "./content.ts";
import { isPhaseFile } from "./history.ts";
import { evolve, initialState } from "./state.ts";

/** A line of a file in the folder of a phase. */
export interface PhaseRow {
  /** `01-auth/critique.jsonl`. */
  readonly file: string;
  readonly line: string;
}

/** The rows of a team's entries; a problem ends them. */
export async function* phaseRows(
  entries: AsyncIterable<Result<Entry, Problem>>,
): AsyncGenerator<Result<PhaseRow, Problem>, void> {
  let state = initialState();
  const folders = new Set<string>();
  const recordedAt = new Map<number, string>();
  for await (const entry of entries) {
    if (!entry.ok) {
      yield entry;
      return;
    }
    state = evolve(state, entry.value);
    const { imported, message, events = [] } = contentOf(entry.value);
    if (events.some(({ event }) => event === "plan-summarised"))
      recordedAt.set(entry.value.seq, entry.value.recordedAt);
    const file = imported?.file;
    if (file === undefined || message === undefined || !isPhaseFile(file)) continue;
    folders.add(file.split("/")[0] ?? "");
    yield ok({ file, line: message.text });
  }
  for (const { key } of state.coordination.work.plans.values()) {
    const view = summaryViewOf(state.coordination, key);
    const date = view === null || view.seq === null ? undefined : recordedAt.get(view.seq);
    if (view === null || date === undefined) continue;
    yield ok({ file: `${folderOf(key, folders)}/summary.jsonl`, line: summaryLine(view, date) });
  }
}

/** The folder of a plan's phase: one that is known by its number, else that number in two digits. */
function folderOf(planKey: string, folders: ReadonlySet<string>): string {
  const number = /^(\d{1,9})-/.exec(planKey)?.[1];
  if (number === undefined) return "other";
  const known = [...folders].find((folder) => Number(/^\d+/.exec(folder)?.[0] ?? Number.NaN) === Number(number));
  return known ?? number.padStart(2, "0");
}
