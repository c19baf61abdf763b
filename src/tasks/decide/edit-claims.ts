/**
 * Files that agents hold because they edit them: taken by the first edit, free again with the commit, the report, or the
 * holder's silence. Kept by path, apart from the claims of tasks; an explicit claim and an edit keep each other out.
 * Rules: docs/protocol/tasks.md, section 15.
 */
import { timestampOf } from "../../base/clock.ts";
import { overlaps } from "../../base/paths/glob-overlap.ts";
import { asStored, type Glob, readGlob } from "../../base/paths/globs.ts";
import { canonicalPath, foldAsStored } from "../../base/paths/paths.ts";
import { allowsAny } from "../../base/paths/scope.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { shortList, shownMax } from "../../base/text.ts";
import type { Note } from "../../messages/message.ts";
import type { Decided } from "../../perform/decider.ts";
import type { FilesFreed, FilesTaken } from "../state/claim-events.ts";
import { globsMeeting, globsOf } from "../state/claim-index.ts";
import { isReported } from "../state/report-status.ts";
import type { Edit, Task, Work } from "../state/task-state.ts";

/** A file that an agent holds because it edits it. */
export interface EditView {
  readonly file: string;
  readonly holder: string;
  /** The task it is edited for; null: its holder holds none. */
  readonly task: string | null;
  /** The task names files, and this is none of them. */
  readonly isOutside: boolean;
  /** RFC 3339. */
  readonly since: string;
}

/** An agent is about to edit files. */
export interface TakeFiles {
  readonly holder: string;
  readonly session: number;
  /** Paths as the repository has them. */
  readonly files: readonly string[];
  readonly seq: number;
  readonly atMs: number;
}

/** Edits are over: `edits` names each by its file and the entry that took it. Others of that name stay. */
export interface FreeFiles {
  readonly edits: readonly Pick<Edit, "file" | "seq">[];
  readonly reason: FilesFreed["reason"];
}

/**
 * Takes the files that the agent does not hold yet. Refuses `invalid-path`, and `claim-overlap` for each file that another
 * agent holds; then nothing is taken. Notes files outside the forecast of the task that the agent works on, and the first
 * edit of an agent of which no claim was seen.
 */
export function takeFiles(command: TakeFiles, work: Work): Result<Decided<FilesTaken>, readonly Problem[]> {
  const { holder, session, files, seq, atMs } = command;
  const problems = files.flatMap((file) => problemsOf(work, file, holder));
  if (problems.length > 0) return err(problems.slice(0, shownMax));
  const fresh = [...new Set(files)].filter((file) => !isHeldBy(work, file, holder));
  if (fresh.length === 0) return ok({ events: [], notes: [] });
  const task = taskOfEdit(work, fresh, holder);
  const outside = task === null ? [] : outsideForecast(task, fresh);
  const taken: FilesTaken = {
    event: "files-taken",
    holder,
    session,
    files: fresh,
    task: task?.key ?? null,
    ...(outside.length === 0 ? {} : { outside }),
    seq,
    atMs,
  };
  return ok({
    events: [taken],
    notes: task === null ? claimNotes(work, holder, fresh) : forecastNotes(work, task, outside),
  });
}

/** Frees those of the edits that are still the same. Never refused. */
export function freeFiles({ edits, reason }: FreeFiles, work: Work): readonly FilesFreed[] {
  const same = edits.flatMap(({ file, seq }) => {
    const edit = editOf(work, file);
    return edit?.seq === seq ? [edit] : [];
  });
  return freed(same, reason);
}

/** The edits of one agent, freed for a reason that is not its own; `ofTask`: only those for that task. */
export function freeEditsOf(
  work: Work,
  holder: string,
  reason: FilesFreed["reason"],
  ofTask?: string,
): readonly FilesFreed[] {
  const own = editsBy(work, holder).filter(({ task }) => ofTask === undefined || task === ofTask);
  return freed(own, reason);
}

/**
 * What a report of a task as complete frees: the files that it names and those that were edited for the task; all of its
 * agent's where the agent then holds no task.
 */
export function freeReported(
  work: Work,
  { key }: Pick<Task, "key">,
  by: string,
  named: readonly string[] | null,
): readonly FilesFreed[] {
  const keeps = [...(work.held.get(by)?.keys() ?? [])].some((other) => other !== key);
  const names = new Set((named ?? []).map(foldAsStored));
  const isOver = (edit: Edit) => !keeps || edit.task === key || names.has(foldAsStored(edit.file));
  return freed(editsBy(work, by).filter(isOver), "reported");
}

function freed(edits: readonly Edit[], reason: FilesFreed["reason"]): readonly FilesFreed[] {
  const holders = [...new Set(edits.map(({ holder }) => holder))];
  return holders.map((holder) => ({
    event: "files-freed",
    holder,
    files: edits.filter((edit) => edit.holder === holder).map(({ file }) => file),
    reason,
  }));
}

/** Who edits a file; undefined: nobody holds it by an edit. */
export function editOf(work: Work, file: string): Edit | undefined {
  return work.edits.get(foldAsStored(file));
}

/** What an agent holds by edits, in the order in which it took it. */
export function editsBy(work: Work, holder: string): readonly Edit[] {
  return work.edits.size === 0 ? [] : [...work.edits.values()].filter((edit) => edit.holder === holder);
}

/** The edits in the order in which they began. */
export function editViews({ edits, tasks }: Work): readonly EditView[] {
  return [...edits.values()].map(({ file, holder, task, isOutside, atMs }) => ({
    file,
    holder,
    task: task === null ? null : (tasks.get(task)?.task ?? task),
    isOutside,
    since: timestampOf(atMs),
  }));
}

/** Edits of others than `except` in files that one of `files`, paths or globs, matches, at most `most`. */
export function editsMeeting(
  work: Work,
  files: readonly string[],
  except: string | null,
  most: number,
): readonly Edit[] {
  if (work.edits.size === 0) return [];
  const asked = globsOf(files).map(asStored);
  const met: Edit[] = [];
  for (const edit of work.edits.values()) {
    if (met.length >= most) break;
    if (edit.holder === except) continue;
    const own = globOf(edit);
    if (own !== null && asked.some((glob) => overlaps(glob, own))) met.push(edit);
  }
  return met;
}

/** Edits are replaced, never changed, so the path of each is read once. */
const readPaths = new WeakMap<Edit, Glob | null>();

/** An edit's file as globs are compared with it; null: it is none. */
function globOf(edit: Edit): Glob | null {
  const known = readPaths.get(edit);
  if (known !== undefined) return known;
  const read = readGlob(foldAsStored(edit.file));
  const glob = read.ok ? read.value : null;
  readPaths.set(edit, glob);
  return glob;
}

/** `claim-overlap` for a file that another agent edits. */
export function heldByEdit({ holder, file, seq }: Edit, path: string): Problem {
  return makeProblem("claim-overlap", path, `${holder} edits ${file} since entry ${seq}.`, {
    expected: "files that nobody else holds",
    received: file,
    hint: `Take another task or other files. The file is free once ${holder} commits it or reports the task.`,
  });
}

/** Why the file cannot be taken. */
function problemsOf(work: Work, file: string, holder: string): readonly Problem[] {
  const path = canonicalPath(file);
  const glob = readGlob(file);
  if (!path.ok) return [path.error];
  if (!glob.ok) return [glob.error];
  const edit = editOf(work, file);
  if (edit !== undefined && edit.holder !== holder) return [heldByEdit(edit, "$.body.files")];
  const [met] = globsMeeting(work.covered, [file], { except: holder, most: 1 });
  if (met === undefined) return [];
  const task = work.tasks.get(met.task)?.task ?? met.task;
  return [
    makeProblem("claim-overlap", "$.body.files", `${met.holder} holds ${file} for ${task}.`, {
      expected: "files that nobody else holds",
      received: file,
      hint: `Take another task or other files, or wait until ${met.holder} has reported or released ${task}.`,
    }),
  ];
}

/** Whether the agent holds the file already, by an edit or by the files of a claim. */
function isHeldBy(work: Work, file: string, holder: string): boolean {
  if (editOf(work, file)?.holder === holder) return true;
  return [...(work.held.get(holder)?.keys() ?? [])].some((key) =>
    allowsAny(work.tasks.get(key)?.claim?.files ?? [], file),
  );
}

/** For which of its tasks an agent edits: one whose forecast has a file, else the one that it has held for longest. */
function taskOfEdit(work: Work, files: readonly string[], holder: string): Task | null {
  const held = [...(work.held.get(holder)?.keys() ?? [])].flatMap((key) => work.tasks.get(key) ?? []);
  return held.find((task) => files.some((file) => allowsAny(task.files, file))) ?? held[0] ?? null;
}

function outsideForecast({ files }: Task, edited: readonly string[]): readonly string[] {
  return files.length === 0 ? [] : edited.filter((file) => !allowsAny(files, file));
}

/** An agent that begins to edit without a task reads once that nobody knows for what. */
function claimNotes(work: Work, holder: string, files: readonly string[]): readonly Note[] {
  const isFirst = editsBy(work, holder).length === 0;
  const isFree = (task: Task) => task.claim === null && task.ended === undefined && !isReported(task);
  if (!isFirst || ![...work.tasks.values()].some(isFree)) return [];
  const message = `No claim of ${holder} was seen: ${shortList(files)} ${files.length === 1 ? "is" : "are"} held by this edit alone. Claim the task that the edit is for, if there is one.`;
  return [{ code: "no-claim-seen", path: "$.body.files", message }];
}

/** Files that an agent edits outside of its task's, which another open task names. */
export interface ForeignFile {
  readonly file: string;
  /** As written, and who holds it; null: nobody. */
  readonly task: string;
  readonly holder: string | null;
}

/** Those of the files of a taking that another open task than its own names, each with the first that does. */
export function foreignFiles(
  work: Work,
  { task: own, outside = [] }: Pick<FilesTaken, "task" | "outside">,
): readonly ForeignFile[] {
  if (outside.length === 0) return [];
  const open = [...work.tasks.values()].filter(
    (each) => each.key !== own && each.ended === undefined && !isReported(each),
  );
  return outside.flatMap((file) => {
    const named = open.find(({ files }) => files.length > 0 && allowsAny(files, file));
    return named === undefined ? [] : [{ file, task: named.task, holder: named.claim?.holder ?? null }];
  });
}

/** `src/a.js of T1, which dev-1 holds`. */
export function foreignWords({ file, task, holder }: ForeignFile): string {
  return `${file} of ${task}, which ${holder ?? "nobody"} holds`;
}

function forecastNotes(work: Work, { key, task }: Task, outside: readonly string[]): readonly Note[] {
  if (outside.length === 0) return [];
  const foreign = foreignFiles(work, { task: key, outside });
  const whose = foreign.length === 0 ? "" : ` Another task names ${shortList(foreign.map(foreignWords))}.`;
  const message = `Not among the files that ${task} names: ${shortList(outside)}.${whose} Say why in the report's deviations.`;
  return [{ code: "outside-forecast", path: "$.body.files", message }];
}
