/**
 * What a journal holds for the folders of phases, in order: the rows that were imported from such, the rows of messages
 * that have their place there, and a line of `summary.jsonl` for each plan that is done. A row that is known in both ways,
 * said here and imported again, is one row.
 */
import type { Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import { phaseLines } from "../../coordination/phases/phase-lines.ts";
import { phaseKey, placeOf } from "../../coordination/phases/phase-state.ts";
import { summaryViewOf } from "../../coordination/tasks/plan-summary.ts";
import { summaryLine } from "../../coordination/tasks/summary-text.ts";
import type { Entry } from "../../journal/entry.ts";
import type { Fact } from "../../message/facts.ts";
import { evolve } from "../projection.ts";
import { contentOf } from "../record/content.ts";
import { isPhaseFile, isPhaseName } from "../record/restoring.ts";
import { initialState, type TeamState } from "../state.ts";
import { companyOf } from "./phase-setting.ts";

/** A line of a file in the folder of a phase. */
export interface PhaseRow {
  /** `01-auth/critique.jsonl`. */
  readonly file: string;
  readonly line: string;
}

type Entries = AsyncIterable<Result<Entry, Problem>>;

/** The folders of phases that are named anywhere: by rows that were imported, or by messages as places of artifacts. */
export type PhaseFolders = ReadonlyMap<string, string>;

/** The folder of each phase, by the phase's number: the first that is named. */
export async function phaseFolders(entries: Entries): Promise<Result<PhaseFolders, Problem>> {
  const folders = new Map<string, string>();
  for await (const entry of entries) {
    if (!entry.ok) return entry;
    const { imported, message, effect } = contentOf(entry.value);
    const file = imported?.file ?? (effect === false ? null : artifactFile(message?.fact ?? null));
    const [folder = ""] = file?.split("/") ?? [];
    const phase = numberOf(folder);
    if (phase !== null && !folders.has(phase)) folders.set(phase, folder);
  }
  return ok(folders);
}

/** The rows of a team's entries; a problem ends them. `folders`: from `phaseFolders`. */
export async function* phaseRows(
  entries: Entries,
  folders: PhaseFolders,
): AsyncGenerator<Result<PhaseRow, Problem>, void> {
  let state = initialState();
  const recordedAt = new Map<number, string>();
  const fresh = newRowFilter();
  for await (const entry of entries) {
    if (!entry.ok) {
      yield entry;
      return;
    }
    state = evolve(state, entry.value);
    const { imported, message, effect, events = [] } = contentOf(entry.value);
    if (events.some(({ event }) => event === "plan-summarised"))
      recordedAt.set(entry.value.seq, entry.value.recordedAt);
    if (message === undefined) continue;
    if (imported !== undefined) {
      const { file } = imported;
      if (file !== undefined && isPhaseFile(file)) yield* fresh("imported", { file, line: message.text });
    } else if (effect !== false && entry.value.kind === "message" && message.fact !== null) {
      for (const row of rowsOf(state, entry.value, message.fact, folders)) yield* fresh("said", row);
    }
  }
  for (const { key } of state.coordination.work.plans.values()) {
    const view = summaryViewOf(state.coordination, key);
    const date = view === null || view.seq === null ? undefined : recordedAt.get(view.seq);
    if (view === null || date === undefined) continue;
    const folder = folderOf(/^(\d{1,9})-/.exec(key)?.[1] ?? null, folders);
    yield* fresh("said", { file: `${folder}/summary.jsonl`, line: summaryLine(view, date) });
  }
}

/** The rows of what was said: in the file that the message names, else in the usual one of its phase's folder. */
function rowsOf(state: TeamState, entry: Entry, fact: Fact, folders: PhaseFolders): readonly PhaseRow[] {
  const company = companyOf(state, entry.principal, entry.receivers);
  const [part, ...others] = placeOf(state.coordination.phases, fact, company);
  const department = others.length === 0 ? (part?.department ?? null) : null;
  const found = phaseLines(fact, { date: entry.recordedAt, department });
  if (found === null) return [];
  const file = artifactFile(fact) ?? `${folderOf(part?.phase ?? null, folders)}/${found.file}`;
  return found.lines.map((line) => ({ file, line }));
}

/** The artifact that a message names, where it is a file of a phase's folder; else null. Its path is only a name here. */
function artifactFile(fact: Fact | null): string | null {
  const { artifact }: { readonly [field: string]: unknown } = fact?.body ?? {};
  if (typeof artifact !== "string" || !artifact.endsWith(".jsonl")) return null;
  const file = artifact.split("/").slice(-2).join("/");
  return isPhaseFile(file) && numberOf(file) !== null ? file : null;
}

/** The number that a folder's name begins with, as phases are compared by it. */
function numberOf(folder: string): string | null {
  const digits = /^\d{1,9}/.exec(folder)?.[0];
  return digits === undefined ? null : phaseKey(digits);
}

/** The folder of a phase: the one that is known, else its number in two digits; `other` where no phase is known. */
function folderOf(phase: string | null, folders: PhaseFolders): string {
  const key = phaseKey(phase);
  if (key === null) return "other";
  return folders.get(key) ?? (/^\d+$/.test(key) ? key.padStart(2, "0") : isPhaseName(key) ? key : "other");
}

/** Lets through of each row as many as were said, or as many as were imported, whichever are more. */
function newRowFilter() {
  const counts = new Map<string, { said: number; imported: number }>();
  return function* fresh(how: "said" | "imported", row: PhaseRow): Generator<Result<PhaseRow, Problem>, void> {
    const key = `${row.file}\n${row.line}`;
    const count = counts.get(key) ?? { said: 0, imported: 0 };
    counts.set(key, count);
    const before = Math.max(count.said, count.imported);
    count[how] += 1;
    if (count[how] > before) yield ok(row);
  };
}
