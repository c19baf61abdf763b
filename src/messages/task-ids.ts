/**
 * Ids of plans and tasks. Agents spell them in many ways; they are compared by their numbers and kept as written.
 * Plans: `03-01`, `3-1`, `phase-3-plan-1`. Tasks: `03-01/task-3`, `3-1/T3`, `3-1-T3`, or `T3` next to a plan. An id of
 * any other form is compared as written. Source: docs/protocol/messages.md, section 3.
 */
import { messageIdCharactersMax } from "../base/limits.ts";
import { makeProblem, type Problem } from "../base/problem.ts";
import { visible } from "../base/text.ts";

const PLAN = /^(?:phase[-_ ]?)?(\d{1,9})[-_/](?:plan[-_ ]?)?(\d{1,9})$/i;
const TASK = /^(?:(.+)[-_/])?(?:task[-_]?|t)(\d{1,9})$/i;

/**
 * The form by which plan ids are compared: `3-1` for every spelling of plan 1 of phase 3, else the id as written.
 * A key is its own key.
 */
export function planKey(planId: string): string {
  return remembered(planKeys, planId, readPlanKey);
}

function readPlanKey(planId: string): string {
  const numbers = PLAN.exec(planId);
  return numbers === null ? planId : `${Number(numbers[1])}-${Number(numbers[2])}`;
}

/** Reports name the same few plans and tasks again and again, so their keys are kept; a full store starts afresh. */
const planKeys = new Map<string, string>();
const planKeysOfTasks = new Map<string, string | null>();
const partsOfTasks = new Map<string, TaskParts | null>();
const keysMax = 1_000;

function remembered<Key>(keys: Map<string, Key>, id: string, read: (id: string) => Key): Key {
  const known = keys.get(id);
  if (known !== undefined) return known;
  const key = read(id);
  if (keys.size >= keysMax) keys.clear();
  if (id.length <= messageIdCharactersMax) keys.set(id, key);
  return key;
}

/**
 * The form by which task ids are compared: `3-1-T3`. A plan in the task's own id wins over `planId`, which completes
 * an id that names none; without either, `T3`. An id of another form is compared as written. A key is its own key.
 */
export function taskKey(taskId: string, planId: string | null = null): string {
  const parts = remembered(partsOfTasks, taskId, readTask);
  if (parts === null) return taskId;
  const plan = parts.plan ?? planId;
  return plan === null || plan === "" ? parts.number : `${planKey(plan)}-${parts.number}`;
}

/**
 * The key of a task that is named together with `plan` (null: without one): `3-1-T3` for every spelling with numbers,
 * else the id as written behind its plan, so that two plans may each have a task `tests`.
 */
export function keyOfTask(taskId: string, plan: string | null): string {
  const key = taskKey(taskId, plan);
  const isNumbered = key !== taskId || planKeyOfTask(taskId) !== null;
  return isNumbered || plan === null ? key : `${planKey(plan)}/${taskId}`;
}

/** The names by which a task may be asked for without its plan: its id, and `T3` where it has a number. */
export function namesOfTask({ key, task }: { readonly key: string; readonly task: string }): readonly string[] {
  const number = /-(T\d+)$/.exec(key)?.[1];
  return [...new Set([taskKey(task), ...(number === undefined ? [] : [number])])];
}

/** What a task's id says: the plan it names, if it names one, and its number. */
interface TaskParts {
  readonly plan: string | null;
  readonly number: string;
}

function readTask(taskId: string): TaskParts | null {
  const parts = TASK.exec(taskId);
  return parts === null ? null : { plan: parts[1] ?? null, number: `T${Number(parts[2])}` };
}

/** Whether it is a number, or an id as documents write them: who writes it means a task by it. */
export function isTaskId(word: string): boolean {
  const parts = readTask(word.replaceAll(" ", ""));
  return /^\d+$/.test(word) || (parts !== null && (parts.plan === null || PLAN.test(parts.plan)));
}

/** Whether somebody who names `asked` means this task: any spelling of it, its `T3` or number, or these behind its plan. */
export function meansTask(asked: string, taskId: string, planId: string | null = null, number?: number): boolean {
  if (asked === String(number)) return true;
  const [wanted, key] = [taskKey(asked), taskKey(taskId, planId)];
  if (key === wanted || key.endsWith(`-${wanted}`)) return true;
  const [, place, name] = /^(.+)\/([^/]+)$/.exec(asked) ?? [];
  if (place === undefined || planId === null || planKey(place) !== planKey(planId)) return false;
  return name === taskId || name === String(number);
}

/** The key of the plan that a task id names (`3-1` of `03-01/task-3`), or null when it names none. */
export function planKeyOfTask(taskId: string): string | null {
  return remembered(planKeysOfTasks, taskId, readPlanKeyOfTask);
}

function readPlanKeyOfTask(taskId: string): string | null {
  const plan = readTask(taskId)?.plan ?? null;
  return plan === null ? null : planKey(plan);
}

/** The task of a message that is about none, where the field must not be empty. */
const noTask = "0-0";

/**
 * The key of the plan that a message's `task` field points to: its task's plan, or the field itself where it is
 * written as a plan. Null: it points to none, as `0-0` does.
 */
export function planKeyOfReference(task: string | null): string | null {
  if (task === null || task === noTask) return null;
  return planKeyOfTask(task) ?? (isPlanId(task) ? planKey(task) : null);
}

/** Whether an id is written as plans are, such as `03-01`. */
export function isPlanId(id: string): boolean {
  return PLAN.test(id);
}

/** The characters of which nearly every id consists, by their codes: 1; joints that a path obeys: 2. */
const plain = new Uint8Array(128);
for (const character of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-:@#+ ") {
  plain[character.charCodeAt(0)] = 1;
}
for (const joint of "./") plain[joint.charCodeAt(0)] = 2;

/** Whether an id can name a task or a plan without a closer look. A loop: every message that comes in asks this. */
export function isPlainWorkId(id: string): boolean {
  let before = 2;
  for (let at = 0; at < id.length; at++) {
    const here = plain[id.charCodeAt(at)];
    if (here !== 1 && (here !== 2 || before === 2)) return false;
    before = here;
  }
  return before === 1;
}

/** Characters that nobody sees, that turn a line round, or that a page or a shell would obey. */
const UNSAFE = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}<>\\]/u;

/** A part of a path that leads elsewhere. */
const AWAY = /(?:^|\/)\.{0,2}(?:\/|$)/;

/**
 * Why `id` cannot be the id of a task or a plan: `invalid-id` at `path`; null: it can. Ids are names in any script, with
 * joints and blanks. Rule: docs/protocol/messages.md, section 3.
 */
export function workIdProblem(id: string, path: string): Problem | null {
  if (isPlainWorkId(id)) return null;
  const unsafe = unsafeIdProblem(id, path);
  if (unsafe !== null) return unsafe;
  if (AWAY.test(id)) {
    const message = "The id is written like a path that leads elsewhere.";
    return idProblem(id, path, message, 'Leave out "..", "." and empty parts between slashes.');
  }
  if (id.normalize("NFC") === id) return null;
  const message = "The id is not in Unicode normal form C.";
  return idProblem(id, path, message, "Write each accented letter as one character (NFC).");
}

/** Why `id` cannot name anything that is shown: `invalid-id`, for characters that hide or forge; null: it can. */
export function unsafeIdProblem(id: string, path: string): Problem | null {
  if (id.isWellFormed() && !UNSAFE.test(id)) return null;
  const message = "The id holds invisible characters, or one of < > and backslash.";
  return idProblem(id, path, message, "Write it with letters, digits, blanks and . _ : / @ # + - only.");
}

function idProblem(id: string, path: string, message: string, hint: string): Problem {
  const received = visible(id.slice(0, 160).toWellFormed());
  return makeProblem("invalid-id", path, message, { expected: "an id such as 1-1-T3 or 03-01/task-3", received, hint });
}

const NUMBERED = /^(?:phase[-_ ]?)?(\d{1,9})(?:[-_]\D.*)?$/i;

/** The form by which phases are compared, `1` for `01`, `phase-1` and the folder `01-auth`; null: none is named. */
export function phaseKey(phase: number | string | null): string | null {
  if (phase === null || phase === "") return null;
  if (typeof phase === "number") return String(phase);
  const number = NUMBERED.exec(phase)?.[1];
  return number === undefined ? phase : String(Number(number));
}

/** The phase that a plan's id or its contract names (`3` of `03-01`); null: neither does. */
export function phaseOfPlanId(planId: string, phaseId: string | null): string | null {
  const named = /^(\d+)-\d+$/.exec(planKey(planId))?.[1];
  return named ?? phaseKey(phaseId);
}

/** The phase in a plan's id as it is written there (`03` of `03-01`); null: it names none so. */
export function phaseNameOf(planId: string): string | null {
  return /^(\d{1,9})[-_/]/.exec(planId)?.[1] ?? null;
}

/** The phase to whose folder a file belongs, as it is written there (`03` of `phases/03-mail/qa.jsonl`); null: to none. */
export function phaseOfFolder(path: string): string | null {
  return /(?:^|[/\\])phases[/\\](\d{1,9})(?:[-_./\\]|$)/.exec(path)?.[1] ?? null;
}
