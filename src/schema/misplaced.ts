/**
 * Why a field that is missing may be there all the same: under another name, in another object, or, where it is an
 * object itself, with its fields next to the place where it belongs. Reported as a hint; nothing is read so.
 */
import { jsonPath, type PathStep, valueAt } from "../base/problem.ts";
import { visible, withoutJoints } from "../base/text.ts";
import { isObject, nearest } from "./hint.ts";

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
