/**
 * What a problem tells besides its rule: the value that came, shortened, and the allowed word that the writer probably
 * meant. That is found first by a table of words that agents write instead, then by a small edit distance. Bounded:
 * long strings get no guess.
 */

import { jsonPath, type PathStep, valueAt } from "../problem.ts";
import { guessedCharactersMax, nearest as nearestWord, visible, withoutJoints } from "../text.ts";

/** Words that agents write for an allowed one, in lower case. The first candidate that is allowed wins. */
const synonyms: ReadonlyMap<string, readonly string[]> = new Map([
  ["done", ["complete", "phase_complete"]],
  ["clean", ["complete"]],
  ["completed", ["complete"]],
  ["finished", ["complete"]],
  ["success", ["complete", "PASS"]],
  ["succeeded", ["complete", "PASS"]],
  ["ok", ["complete", "PASS"]],
  ["in_progress", ["partial"]],
  ["in-progress", ["in_progress", "partial"]],
  ["in progress", ["in_progress", "partial"]],
  ["working", ["in_progress", "partial"]],
  ["ongoing", ["in_progress", "partial"]],
  ["incomplete", ["partial", "PARTIAL", "in_progress"]],
  ["error", ["failed", "FAIL", "user_abort"]],
  ["timeout", ["user_abort"]],
  ["errored", ["failed", "FAIL"]],
  ["failure", ["failed", "FAIL"]],
  ["failing", ["failed", "FAIL"]],
  ["passed", ["PASS"]],
  ["passing", ["PASS"]],
  ["approved", ["PASS"]],
  ["rejected", ["FAIL"]],
  ["mixed", ["PARTIAL"]],
  ["blocked", ["blocking"]],
  ["blocker", ["blocking"]],
  ["critical", ["blocking", "high"]],
  ["warning", ["degraded", "medium"]],
  ["minor", ["degraded", "low"]],
  ["info", ["informational"]],
  ["certain", ["high"]],
  ["moderate", ["medium"]],
  ["mid", ["medium"]],
  ["uncertain", ["low"]],
  ["fast", ["quick"]],
  ["smoke", ["quick"]],
  ["normal", ["standard"]],
  ["full", ["deep", "standard"]],
  ["thorough", ["deep"]],
  ["developer", ["dev"]],
  ["engineer", ["dev"]],
  ["tester", ["qa"]],
  ["researcher", ["scout"]],
  ["orchestrator", ["lead"]],
  ["manager", ["lead"]],
  ["writer", ["docs"]],
  ["documentation", ["docs"]],
  ["scope", ["scope_change"]],
  ["plan", ["plan_approval"]],
  ["override", ["gate_override"]],
  ["stack", ["tech-stack"]],
  ["aborted", ["user_abort"]],
  ["cancelled", ["user_abort"]],
  ["2", ["2.0"]],
  ["2.1", ["2.0"]],
]);

/** The allowed word that `written` most likely stands for, or null when none is near. */
export function nearest(written: string, allowed: readonly string[]): string | null {
  const lower = written.toLowerCase();
  const sameButCase = allowed.find((word) => word.toLowerCase() === lower);
  if (sameButCase !== undefined && written.length <= guessedCharactersMax) return sameButCase;
  return synonyms.get(lower)?.find((word) => allowed.includes(word)) ?? nearestWord(written, allowed);
}

const shownCharactersMax = 80;
const shownDepthMax = 4;
const shownEntriesMax = 12;

/** A value as JSON on one line, at most 80 characters; never walks a large or deep value to its end. */
export function shortened(value: unknown): string {
  if (value === undefined) return "nothing";
  const json = preview(value, shownDepthMax);
  return json.length <= shownCharactersMax ? json : `${json.slice(0, shownCharactersMax - 1)}…`;
}

function preview(value: unknown, depth: number): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, shownCharactersMax + 1));
  if (Array.isArray(value)) {
    if (depth === 0) return "[…]";
    return `[${value.slice(0, shownEntriesMax).map((one) => preview(one, depth - 1))}]`;
  }
  if (!isObject(value)) return String(value);
  if (depth === 0) return "{…}";
  const fields = Object.keys(value).slice(0, shownEntriesMax);
  return `{${fields.map((key) => `${preview(key, 0)}:${preview(value[key], depth - 1)}`)}}`;
}

/** Whether a value has fields: neither null nor a list. */
export function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/*
 * Why a field that is missing may be there all the same: under another name, in another object, or, where it is an
 * object itself, with its fields next to the place where it belongs. Reported as a hint; nothing is read so.
 */

/** More unknown keys than a writer's slip explains are not compared with a missing one: each costs a search. */
const comparedKeysMax = 64;
/** Longer names are compared as they are written. */
const comparedCharactersMax = 64;
/** Most objects that are searched for a field, and how deep. */
const searchedObjectsMax = 64;
const searchedDepthMax = 4;
/** Most fields that a hint names. */
const namedFieldsMax = 4;

/** The hint about the field at `steps`, which `value` lacks and `example` has; null: nothing of it was found. */
export function misplacedHint(steps: readonly PathStep[], value: unknown, example: unknown): string | null {
  const field = String(steps.at(-1) ?? "");
  const around = steps.slice(0, -1);
  const owner = valueAt(value, around);
  const strangers = strangersIn(owner, sampleAt(example, around));
  return (
    renamed(field, strangers, owner, sampleAt(example, steps)) ??
    elsewhere(field, around, value, example) ??
    misspelt(field, strangers)
  );
}

/** A key close to the missing one, and no field itself, is most likely the same thing under another name. */
function misspelt(field: string, strangers: readonly string[]): string | null {
  const near = nearest(field, strangers) ?? strangers.find((key) => key.length > 2 && field.startsWith(`${key}_`));
  return near === null || near === undefined ? null : insteadOf(field, near);
}

/** The hint that a key was meant as another. */
export function insteadOf(field: string, written: string): string {
  // A character that nobody sees would make the two look alike.
  return `did you mean ${JSON.stringify(field)} where you wrote ${visible(JSON.stringify(written))}?`;
}

/** Of an object: another key holds its fields, or they are next to it. */
function renamed(field: string, strangers: readonly string[], owner: unknown, sample: unknown): string | null {
  if (!isObject(sample) || !isObject(owner)) return null;
  const holder = strangers.find((key) => {
    const held = owner[key];
    return isObject(held) && Object.keys(sample).some((name) => Object.hasOwn(held, name));
  });
  if (holder !== undefined) return insteadOf(field, holder);
  const beside = strangers.filter((key) => Object.hasOwn(sample, key));
  if (beside.length === 0) return null;
  const more = beside.length > namedFieldsMax ? " and the others" : "";
  return `put ${beside.slice(0, namedFieldsMax).join(", ")}${more} into an object under ${JSON.stringify(field)}`;
}

/** Where a field of that name, however it is joined, is in another object that has none of the name. */
function elsewhere(field: string, around: readonly PathStep[], value: unknown, example: unknown): string | null {
  const meant = plainName(field);
  const waiting: (readonly string[])[] = [[]];
  for (let searched = 0; searched < Math.min(waiting.length, searchedObjectsMax); searched++) {
    const here = waiting[searched] ?? [];
    const owner = valueAt(value, here);
    const isOwn = here.length === around.length && here.every((step, index) => step === around[index]);
    for (const key of isOwn ? [] : strangersIn(owner, sampleAt(example, here))) {
      if (plainName(key) === meant)
        return `it is at ${jsonPath([...here, key])}: move it to ${jsonPath([...around, field])}`;
    }
    if (isObject(owner) && here.length < searchedDepthMax)
      waiting.push(...objectsIn(owner).map((key) => [...here, key]));
  }
  return null;
}

function objectsIn(owner: { readonly [key: string]: unknown }): readonly string[] {
  const found: string[] = [];
  for (const key in owner) {
    if (isObject(owner[key])) found.push(key);
    if (found.length === searchedObjectsMax) break;
  }
  return found;
}

/** Keys of `owner` that are none of `own`, the first of them. */
function strangersIn(owner: unknown, own: unknown): readonly string[] {
  const found: string[] = [];
  if (!isObject(owner)) return found;
  for (const key in owner) {
    if (isObject(own) && Object.hasOwn(own, key)) continue;
    found.push(key);
    if (found.length === comparedKeysMax) break;
  }
  return found;
}

function plainName(name: string): string {
  return name.length > comparedCharactersMax ? name : withoutJoints(name);
}

/* Places in a value as validators name them, by JSON Pointers (RFC 6901), and the like place in an example. */

/** The steps of a JSON Pointer into `value`, which alone tells the number of an entry from a key of digits. */
export function stepsOf(pointer: string, value: unknown): readonly PathStep[] {
  const steps: PathStep[] = [];
  let here = value;
  for (const written of pointer.split("/").slice(1)) {
    const step = Array.isArray(here) ? Number(written) : unescaped(written);
    steps.push(step);
    here = valueAt(here, [step]);
  }
  return steps;
}

/**
 * The value that `steps` lead to in an example, whose lists may be shorter: their first entry stands for every further
 * one.
 */
export function sampleAt(example: unknown, steps: readonly PathStep[]): unknown {
  let here: unknown = example;
  for (const step of steps) here = Array.isArray(here) ? (valueAt(here, [step]) ?? here[0]) : valueAt(here, [step]);
  return here;
}

/** A step as a JSON Pointer writes it. */
export function escapedStep(step: string): string {
  return step.replaceAll("~", "~0").replaceAll("/", "~1");
}

function unescaped(step: string): string {
  return step.replaceAll("~1", "/").replaceAll("~0", "~");
}
