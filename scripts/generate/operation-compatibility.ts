/**
 * What a change of the operations would break for callers of a released version.
 * Rules: docs/protocol/doors.md, section 14.
 */
import type { DescribedOperation, Description, Schema } from "./operation-description.ts";

/** Each change that a caller of `released` would not survive; empty: it may be released under the same major version. */
export function incompatibilities(released: Description, current: Description): readonly string[] {
  return released.operations.flatMap((before) => {
    const after = current.operations.find(({ name }) => name === before.name);
    if (after === undefined) return [`${before.name} is gone`];
    const told = (words: string) => `${before.name}: ${words}`;
    return [
      ...fixedFacts.filter((fact) => before[fact] !== after[fact]).map((fact) => told(`its ${fact} is another`)),
      ...inputProblems(resolver(released), resolver(current), [before.input, after.input], "input").map(told),
      ...answerProblems(resolver(released), resolver(current), [before.answer, after.answer], "answer").map(told),
    ];
  });
}

const fixedFacts = [
  "method",
  "path",
  "takesId",
  "access",
  "record",
] as const satisfies readonly (keyof DescribedOperation)[];

type Resolve = (schema: Schema) => Schema;
type Pair = readonly [before: Schema, after: Schema];

/** Follows a reference into the description's named schemas. */
function resolver({ schemas }: Description): Resolve {
  return (schema) => {
    const { $ref } = schema;
    return typeof $ref === "string" ? (schemas[$ref.replace("#/schemas/", "")] ?? {}) : schema;
  };
}

/** An input may take more than before, never less, and needs nothing new. */
function inputProblems(inReleased: Resolve, inCurrent: Resolve, [one, other]: Pair, place: string): readonly string[] {
  const [before, after] = [inReleased(one), inCurrent(other)];
  const needed = listOf(after.required).filter((name) => !listOf(before.required).includes(name));
  const words = listOf(before.enum).filter((word) => !listOf(after.enum).includes(word));
  return [
    ...needed.map((name) => `${place}.${name} is needed now`),
    ...(after.enum === undefined ? [] : words.map((word) => `${place} does not take ${word} any more`)),
    ...(isSameKind(before, after) ? [] : [`${place} is of another type`]),
    ...within(inReleased, inCurrent, [before, after], place, inputProblems),
  ];
}

/** An answer may hold more fields and words than before, never fewer fields, and none that may now be missing. */
function answerProblems(inReleased: Resolve, inCurrent: Resolve, [one, other]: Pair, place: string): readonly string[] {
  const [before, after] = [inReleased(one), inCurrent(other)];
  const missing = listOf(before.required).filter((name) => !listOf(after.required).includes(name));
  return [
    ...missing.map((name) => `${place}.${name} may be missing now`),
    ...(isSameKind(before, after) ? [] : [`${place} is of another type`]),
    ...within(inReleased, inCurrent, [before, after], place, answerProblems),
  ];
}

/** Neither side's words for people, fields, and what is compared apart. */
function isSameKind(before: Schema, after: Schema): boolean {
  const kindOf = ({ type, pattern, minimum, maximum, const: only, anyOf }: Schema) =>
    JSON.stringify([type, pattern, minimum, maximum, only, Array.isArray(anyOf) ? anyOf.length : null]);
  return kindOf(before) === kindOf(after);
}

/** Properties, items, values of maps and branches of unions, each with its counterpart. */
function within(
  inReleased: Resolve,
  inCurrent: Resolve,
  [before, after]: Pair,
  place: string,
  compare: typeof inputProblems,
): readonly string[] {
  const pairs = Object.entries(partsOf(before)).flatMap(([name, part]) => {
    const counterpart = partsOf(after)[name];
    if (counterpart === undefined) return [`${place}.${name} is gone`];
    return compare(inReleased, inCurrent, [part, counterpart], `${place}.${name}`);
  });
  return pairs;
}

function partsOf({ properties, items, additionalProperties, anyOf }: Schema): { readonly [name: string]: Schema } {
  return {
    ...objectOf(properties),
    ...(isObject(items) ? { "[]": items } : {}),
    ...(isObject(additionalProperties) ? { "*": additionalProperties } : {}),
    ...(Array.isArray(anyOf)
      ? objectOf(Object.fromEntries(anyOf.map((each: unknown, index) => [`|${index}`, each])))
      : {}),
  };
}

function objectOf(value: unknown): { readonly [name: string]: Schema } {
  if (!isObject(value)) return {};
  return Object.fromEntries(Object.entries(value).flatMap(([name, each]) => (isObject(each) ? [[name, each]] : [])));
}

function isObject(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function listOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}
