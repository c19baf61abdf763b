/**
 * Files against the contract of their plan. Without a contract only the form of the paths is judged, which is noted.
 * And the paths that an approval names, which a revision may add.
 * Source: docs/protocol/tasks.md, sections 17 to 20.
 */

import { isJsonList, isJsonObject } from "../../base/json.ts";
import type { StepBudget } from "../../base/paths/glob-overlap.ts";
import { fileLine } from "../../base/paths/paths.ts";
import { checkEntries, checkScope, keepsOut, type Scope } from "../../base/paths/scope.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { shortList, shownMax } from "../../base/text.ts";
import type { Fact, FactKind, Json } from "../../messages/facts.ts";
import type { Note } from "../../messages/message.ts";
import { planKey, planKeyOfReference, planKeyOfTask } from "../../messages/task-ids.ts";
import { contractOf } from "../decide/contracts.ts";
import { type ContractState, type Contracts, type ContractTerms, scopeOf } from "./contract-terms.ts";

/** Files of one plan. */
export interface PlanFiles {
  readonly planId: string;
  /** The task they belong to; null: it is not said. */
  readonly taskId: string | null;
  readonly files: readonly string[];
  /** `paths`: files that were changed. `entries`: they may be folders and globs, and mean all that these match. */
  readonly reads: "paths" | "entries";
  /** Where the list is, for problems and notes, and what of each entry names the file (`.f`). */
  readonly place: string;
  readonly inEntry?: string;
}

/** Without a contract only the form of the paths is judged. */
const everything: Scope = { allowed: ["**"], forbidden: [] };

/**
 * Whether the plan's contract allows the files. Refuses `invalid-path` and `invalid-glob` for each that is none, and
 * `outside-contract` once, naming all others that are not allowed. Notes `no-contract`, and `plan-mismatch` where the
 * task's id names another plan: the files are judged by `planId`.
 */
export function checkFiles(state: Contracts, asked: PlanFiles): Result<readonly Note[], readonly Problem[]> {
  const { planId, files, place } = asked;
  const notes = mismatchNotes(asked);
  if (files.length === 0) return ok(notes);
  const contract = contractOf(state, planId);
  const scope = contract === null ? everything : scopeOf(contract.terms);
  const found = asked.reads === "paths" ? checkScope(scope, files, place) : checkEntries(scope, files, place);
  if (found.length === 0 && contract !== null) return ok(notes);
  const malformed = found
    .filter(({ code }) => code !== "outside-contract")
    .slice(0, shownMax)
    .map((problem) => ({ ...problem, path: `${problem.path}${asked.inEntry ?? ""}` }));
  if (contract === null) {
    const message = `Plan ${planId} has no contract, so its files are not checked.`;
    return malformed.length > 0 ? err(malformed) : ok([...notes, { code: "no-contract", path: place, message }]);
  }
  const strays = straysIn(found);
  const problems = strays.length === 0 ? malformed : [...malformed, outside(contract, strays, asked)];
  return problems.length > 0 ? err(problems) : ok(notes);
}

function straysIn(found: readonly Problem[]): readonly string[] {
  return found.filter(({ code }) => code === "outside-contract").map(({ received }) => received ?? "");
}

function mismatchNotes({ planId, taskId }: PlanFiles): readonly Note[] {
  const plan = planKey(planId);
  const taskPlan = taskId === null ? null : planKeyOfTask(taskId);
  if (taskPlan === null || taskPlan === plan) return [];
  const message = `The task's id names plan ${taskPlan}, the message plan ${plan}; files are judged by the message's plan.`;
  return [{ code: "plan-mismatch", path: "$.body.taskId", message }];
}

function outside(
  { terms, revision }: ContractState,
  files: readonly string[],
  { place, taskId, reads }: Pick<PlanFiles, "place" | "taskId" | "reads">,
): Problem {
  const { planId, allowedPaths, forbiddenPaths } = terms;
  const none = forbiddenPaths.length === 0 ? "" : `, none of ${shortList(forbiddenPaths)}`;
  const check = reads === "paths" ? checkScope : checkEntries;
  const forbidden = straysIn(check({ allowed: ["**"], forbidden: forbiddenPaths }, files, place));
  const askable = files.filter((file) => !forbidden.includes(file));
  const way =
    askable.length === 0
      ? "only a revision of the contract lets in what it forbids"
      : askingFor(taskId ?? terms.tasks[0] ?? "TASK", askable);
  return makeProblem(
    "outside-contract",
    place,
    `Outside the contract of plan ${planId} (revision ${revision}): ${shortList(files)}.`,
    {
      expected: `files inside ${shortList(allowedPaths)}${none}`,
      received: shortList(files),
      hint: `Leave these files as they were${askable.length === 0 ? "; " : ", or "}${way}`,
    },
  );
}

/** How an agent asks for paths that the contract of its task keeps out, as the end of a sentence. */
export function askingFor(task: string, paths: readonly string[]): string {
  const files = paths.slice(0, shownMax);
  const command = `baton task ask WHY --task ${shellWord(task)} --paths ${files.map(shellWord).join(" --paths ")}`;
  // At a tool the command is its name and action: what it is given stands behind it.
  return `ask for leave: \`${command}\` (text WHY, task ${task}, files ${JSON.stringify(files)})`;
}

/** How the holder of a task claims a file for it, too, as the end of a sentence. */
export function claimingMore(task: string, file: string): string {
  const command = `baton task claim ${shellWord(task)} --files ${shellWord(file)}`;
  return `claim it, too: \`${command}\` (task ${task}, files ${JSON.stringify([file])})`;
}

function shellWord(word: string): string {
  return /^[\w@%+=:,./*-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** What a contract says of a path; `none`: there is no contract, or it cannot be compared. */
export const fileRulings = ["allowed", "outside", "forbidden", "none"] as const;
export type FileRuling = (typeof fileRulings)[number];

/** What the terms of a contract say of each path; empty where they cannot be read, or take too long to compare. */
export function rulingsOn(terms: ContractTerms | undefined, paths: readonly string[]): ReadonlyMap<string, FileRuling> {
  if (terms === undefined) return new Map();
  const scope = scopeOf(terms);
  const [outside, forbidden] = [keptOut(scope, paths), keptOut({ allowed: ["**"], forbidden: scope.forbidden }, paths)];
  if (outside === null || forbidden === null) return new Map();
  return new Map(
    paths.map((path) => [path, forbidden.has(path) ? "forbidden" : outside.has(path) ? "outside" : "allowed"]),
  );
}

/** The paths that a scope keeps out; null: it cannot be read, or takes too long to compare. */
export function keptOut(scope: Scope, paths: readonly string[]): ReadonlySet<string> | null {
  const problems = checkScope(scope, paths);
  if (problems.some(({ code }) => code === "too-large" || code === "invalid-glob")) return null;
  return new Set(problems.flatMap(({ path }) => paths[Number(/\[(\d{1,6})\]$/.exec(path)?.[1] ?? -1)] ?? []));
}

/*
 * Free tasks that nobody can claim as they are, because the contract of their plan does not allow their files.
 * Rule: docs/protocol/tasks.md, sections 4 and 7.
 */

/** Answers by contract and list of files, cached while both exist: a board asks the same each time. */
const known = new WeakMap<ContractTerms, WeakMap<readonly string[], boolean>>();

/** Whether the contract keeps out a file of the task. False also where the budget was used up before that was known. */
export function isOutsideContract(
  contracts: Contracts,
  { plan, files }: { readonly plan: string | null; readonly files: readonly string[] },
  budget: StepBudget,
): boolean {
  const terms = plan === null || files.length === 0 ? undefined : contractOf(contracts, planKey(plan))?.terms;
  if (terms === undefined) return false;
  const answers = known.get(terms) ?? new WeakMap<readonly string[], boolean>();
  known.set(terms, answers);
  const before = answers.get(files);
  if (before !== undefined) return before;
  const isOutside = keepsOut(scopeOf(terms), files, budget);
  if (budget.left > 0) answers.set(files, isOutside);
  return isOutside;
}

/*
 * Which files a message names, for every kind of fact, and where: one table, so that no kind is forgotten. What a kind
 * names is checked against the contract of the plan that the message is about.
 *
 * Not checked: `artifact` and `artifacts`, records of the phase in its own folder, not work of the plan;
 * `required_files`, which are read; `pre_existing_issues`, failures that were there before; and fields of custom types.
 * Their paths are checked where they are used. Source: docs/protocol/tasks.md, sections 17 to 20.
 */

/** One field that names files. */
export interface FileField {
  /** Its steps from the body, in neutral names. */
  readonly field: readonly string[];
  /** Its name where a message carries it as an extra field. */
  readonly wire: string;
  readonly reads: PlanFiles["reads"];
  /** The file that an entry of the list names; null: the entry is none, which the definition has told. */
  readonly fileIn: (entry: Json) => string | null;
  readonly inEntry?: string;
}

const text = (entry: Json) => (typeof entry === "string" ? entry : null);
/** `src/auth.ts:42`, without the line. */
const place = (entry: Json) => (typeof entry === "string" ? fileLine(entry).file : null);
const change = (entry: Json) => (isJsonObject(entry) ? text(entry.f ?? null) : null);

const modified: FileField = { field: ["filesModified"], wire: "files_modified", reads: "paths", fileIn: text };
const claimed: FileField = { field: ["files"], wire: "files", reads: "entries", fileIn: text };
const mustFix: FileField = { field: ["mustFix"], wire: "must_fix", reads: "paths", fileIn: place };
const changes: FileField = { field: ["changes"], wire: "changes", reads: "paths", fileIn: change, inEntry: ".f" };
const generated: FileField = {
  field: ["dependencies", "generated_files"],
  wire: "generated_files",
  reads: "entries",
  fileIn: text,
};

/** The fields by which a kind of fact names files that the work touches. */
export const fileFields: { readonly [kind in FactKind]?: readonly FileField[] } = {
  progress: [modified],
  claim: [claimed],
  completion: [modified],
  summary: [modified],
  "review-changes": [mustFix, changes],
  handoff: [generated],
};

/** Extra fields in which any message about a plan may name files, as agents do that use several dialects. */
const besideOwn: readonly FileField[] = [modified, claimed, mustFix];

/**
 * Checks every file that the message names against its plan's contract. Refuses and notes as `checkFiles` does; a
 * message about no plan has no contract to check.
 */
export function checkNamedFiles(state: Contracts, fact: Fact): Result<readonly Note[], readonly Problem[]> {
  const about = planOf(fact);
  if (about === null) return ok([]);
  const notes = new Map<string, Note>();
  const problems: Problem[] = [];
  for (const list of listsIn(fact)) {
    const checked = checkFiles(state, { ...about, ...list });
    if (!checked.ok) problems.push(...checked.error);
    else for (const note of checked.value) if (!notes.has(note.code)) notes.set(note.code, note);
  }
  return problems.length > 0 ? err(problems) : ok([...notes.values()]);
}

/** The lists of files in a fact, each with its place. */
function listsIn(fact: Fact): readonly Omit<PlanFiles, "planId" | "taskId">[] {
  const { body, extra, kind } = fact;
  const lists: Place[] = [];
  for (const each of fileFields[kind] ?? []) addList(lists, each, body, each.field, "$.body");
  if (extra === undefined) return lists;
  for (const each of besideOwn) {
    if (each.field[0] !== undefined && each.field[0] in body) continue;
    addList(lists, each, extra.payload ?? {}, [each.wire], "$.body");
    addList(lists, each, extra.envelope ?? {}, [each.wire], "$");
  }
  return lists;
}

type Place = Omit<PlanFiles, "planId" | "taskId">;

/** Adds the list of files that these steps lead to, if there is one. */
function addList(
  lists: Place[],
  { reads, fileIn, inEntry }: FileField,
  from: Json,
  steps: readonly string[],
  root: string,
): void {
  let value: Json | undefined = from;
  for (const step of steps) value = isJsonObject(value) ? value[step] : undefined;
  if (value === undefined || !isJsonList(value)) return;
  const files = value.map(fileIn).filter((file) => file !== null);
  const list = { files, reads, place: `${root}.${steps.join(".")}` };
  lists.push(inEntry === undefined ? list : { ...list, inEntry });
}

/** The plan and the task that a fact is about; null: it points to no plan. */
function planOf({ body, head }: Fact): Pick<PlanFiles, "planId" | "taskId"> | null {
  const said: { readonly [field: string]: Json } = body;
  const metadata = isJsonObject(said.metadata) ? said.metadata : {};
  const taskId = text(said.taskId ?? null) ?? text(metadata.task_id ?? null) ?? null;
  const planId = text(said.planId ?? null) ?? planKeyOfReference(taskId) ?? planKeyOfReference(head.task);
  return planId === null ? null : { planId, taskId };
}

/**
 * The paths that the modifications of an approval list: an entry without blanks, and of an object all strings under its
 * `path`, `paths`, `file`, `files` or `allowed_paths`. Anything else is a remark to people.
 */
export function pathsOfModifications(modifications: readonly Json[]): readonly string[] {
  return modifications.flatMap((entry) => {
    if (typeof entry === "string") return entry === "" || /\s/.test(entry) ? [] : [entry];
    if (!isJsonObject(entry)) return [];
    return Object.entries(entry).flatMap(([key, each]) => (pathKeys.has(key) ? stringsIn(each) : []));
  });
}

/** The words of a string that name a file, a folder or a glob; `e.g.` does not. */
export function pathsNamedIn(text: string): readonly string[] {
  const words = text.split(/\s+/).map(withoutMarks);
  return words.filter((word) => /[/*\\]|\.[A-Za-z][A-Za-z0-9]{1,9}$/.test(word));
}

/** A word without the quotes and punctuation around it. */
function withoutMarks(word: string): string {
  let [start, end] = [0, word.length];
  while (start < end && "(\"'`".includes(word[start] ?? " ")) start++;
  while (start < end && ")\"'`,;:.!?".includes(word[end - 1] ?? " ")) end--;
  return word.slice(start, end);
}

function stringsIn(value: Json): readonly string[] {
  const values: readonly Json[] = isJsonList(value) ? value : [value];
  return values.filter((each) => typeof each === "string");
}

/** What a plan's contract allows and forbids; null: it has none, or there is no plan. */
export function scopeOfPlan(state: Contracts, plan: string | null): Scope | null {
  const contract = plan === null ? null : contractOf(state, plan);
  return contract === null ? null : scopeOf(contract.terms);
}

export const pathKeys: ReadonlySet<string> = new Set(["path", "paths", "file", "files", "allowed_paths"]);
