/**
 * Which files a message names, for every kind of fact, and where: one table, so that no kind is forgotten. What a kind
 * names is held against the contract of the plan that the message is about.
 *
 * Not held: `artifact` and `artifacts`, records of the phase in its own folder, not work of the plan; `required_files`,
 * which are read; `pre_existing_issues`, failures that were there before; what a team's own types say, whose words
 * are its own. Their paths are looked at where they are used.
 * Source: docs/protocol/contracts.md.
 */

import { isJsonList, isJsonObject } from "../../base/json.ts";
import { fileLine } from "../../base/paths/file-line.ts";
import type { Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { Fact, FactKind, Json } from "../../message/facts.ts";
import type { Note } from "../../message/message.ts";
import { planKeyOfReference } from "../tasks/work-ids.ts";
import { checkFiles, type PlanFiles } from "./contract-files.ts";
import type { Contracts } from "./contracts.ts";

/** One field that names files. */
export interface FileField {
  /** Its steps from the body, in neutral names. */
  readonly field: readonly string[];
  /** What it is called where a message carries it beside its own fields. */
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

/** Fields by which any message about a plan may name files beside its own, as agents do that speak several dialects. */
const besideOwn: readonly FileField[] = [modified, claimed, mustFix];

/**
 * Holds every file that the message names against its plan's contract. Refuses and notes as `checkFiles` does; a
 * message that points to no plan has nothing to be held against.
 */
export function checkNamedFiles(state: Contracts, fact: Fact): Result<readonly Note[], readonly Problem[]> {
  const notes = new Map<string, Note>();
  const problems: Problem[] = [];
  const about = planOf(fact);
  if (about === null) return ok([]);
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
  const own = fileFields[kind] ?? [];
  const lists = own.flatMap((each) => listAt(each, body, each.field, "$.body"));
  if (extra === undefined) return lists;
  for (const each of besideOwn) {
    if (each.field[0] !== undefined && each.field[0] in body) continue;
    lists.push(...listAt(each, extra.payload ?? {}, [each.wire], "$.body"));
    lists.push(...listAt(each, extra.envelope ?? {}, [each.wire], "$"));
  }
  return lists;
}

type Place = Omit<PlanFiles, "planId" | "taskId">;

function listAt({ reads, fileIn, inEntry }: FileField, from: Json, steps: readonly string[], root: string): Place[] {
  let value: Json | undefined = from;
  for (const step of steps) value = isJsonObject(value) ? value[step] : undefined;
  if (value === undefined || !isJsonList(value)) return [];
  const files = value.map(fileIn).filter((file) => file !== null);
  return [{ files, reads, place: `${root}.${steps.join(".")}`, ...(inEntry === undefined ? {} : { inEntry }) }];
}

/** The plan and the task that a fact is about; null: it points to no plan. */
function planOf({ body, head }: Fact): Pick<PlanFiles, "planId" | "taskId"> | null {
  const said: { readonly [field: string]: Json } = body;
  const metadata = isJsonObject(said.metadata) ? said.metadata : {};
  const taskId = text(said.taskId ?? null) ?? text(metadata.task_id ?? null) ?? null;
  const planId = text(said.planId ?? null) ?? planKeyOfReference(taskId) ?? planKeyOfReference(head.task);
  return planId === null ? null : { planId, taskId };
}
