/**
 * What can be wrong with one value: for a place that a published schema describes, values that do not belong there.
 * `mayBeRead` says that tolerant reading has a rule that could make sense of it (another spelling, a lone value, an
 * extra field); everything else must be refused in every mode. Written from the rules of reading, not from their code.
 */
import type { Json } from "../../src/base/json.ts";

/** The part of JSON Schema that the published schemas use. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly const?: Json;
  readonly enum?: readonly Json[];
  readonly anyOf?: readonly Schema[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Schema;
  readonly properties?: { readonly [name: string]: Schema };
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
}

export type FaultKind =
  | "required field deleted"
  | "null"
  | "other type"
  | "unknown word"
  | "look-alike letter"
  | "boundary"
  | "other version"
  | "extra field"
  | "two of these";

/** A value that does not belong at a place. */
export interface Fault {
  readonly kind: FaultKind;
  readonly value: Json;
  readonly mayBeRead: boolean;
}

/** Letters and digits that look like those of ASCII. */
const lookAlikes = new Map([
  ["a", "\u0430"],
  ["c", "\u0441"],
  ["e", "\u0435"],
  ["i", "\u0456"],
  ["o", "\u043e"],
  ["p", "\u0440"],
  ["x", "\u0445"],
  ["y", "\u0443"],
  ["A", "\u0391"],
  ["E", "\u0395"],
  ["0", "\uff10"],
  ["1", "\uff11"],
  ["2", "\uff12"],
]);

/** The text with its first letter that has a look-alike exchanged; null: none has. */
export function disguised(text: string): string | null {
  for (const [index, letter] of [...text].entries()) {
    const other = lookAlikes.get(letter);
    if (other !== undefined) return text.slice(0, index) + other + text.slice(index + 1);
  }
  return null;
}

/** The text that was disguised: what a careless reader would take it for. */
export function undisguised(text: string): string {
  const letters = new Map([...lookAlikes].map(([letter, other]) => [other, letter]));
  return [...text].map((letter) => letters.get(letter) ?? letter).join("");
}

/** Errors for a place with this schema. `present`: the value that an accepted message has there, where it has one. */
export function faultsOf(schema: Schema, present: Json | undefined): readonly Fault[] {
  const words = wordsOf(schema);
  const types = typesOf(schema);
  if (types.length === 0) return [];
  const faults: Fault[] = [];
  if (!types.includes("null")) faults.push({ kind: "null", value: null, mayBeRead: false });
  for (const { type, values } of otherTypes) {
    if (types.includes(type) || (type === "integer" && types.includes("number"))) continue;
    for (const value of values) {
      faults.push({ kind: "other type", value, mayBeRead: types.some((meant) => mayMean(value, meant, schema)) });
    }
  }
  if (words.length > 0) faults.push(...wordFaults(words, present));
  else if (types.includes("string")) faults.push(...textFaults(schema));
  if (types.includes("integer")) faults.push(...numberFaults(schema));
  return faults;
}

function wordsOf(schema: Schema): readonly string[] {
  if (typeof schema.const === "string") return [schema.const];
  return (schema.enum ?? []).filter((word) => typeof word === "string");
}

function typesOf({ type }: Schema): readonly string[] {
  return type === undefined ? [] : typeof type === "string" ? [type] : type;
}

const otherTypes: readonly { readonly type: string; readonly values: readonly Json[] }[] = [
  { type: "string", values: ["words", "", "{}"] },
  { type: "integer", values: [7, 0] },
  { type: "number", values: [0.5] },
  { type: "boolean", values: [true, false] },
  { type: "array", values: [[], ["words"], [[]]] },
  { type: "object", values: [{}, { words: 1 }] },
];

/** Whether tolerant reading knows values of this type where `meant` belongs. */
function mayMean(value: Json, meant: string, schema: Schema): boolean {
  switch (meant) {
    case "string":
      // Numbers are taken as text; a table of words may have `true` or `0.5`.
      return typeof value === "number" || (typeof value === "boolean" && wordsOf(schema).length > 0);
    case "array": {
      const { items } = schema;
      if (items === undefined || typesOf(items).length === 0) return true;
      const { type } = items;
      return type === "object" ? typeof value === "object" && !Array.isArray(value) : typeof value === type;
    }
    default:
      return false;
  }
}

function wordFaults(words: readonly string[], present: Json | undefined): readonly Fault[] {
  const word = typeof present === "string" && words.includes(present) ? present : (words[0] ?? "");
  const isVersion = words.every((each) => /^\d\.\d$/.test(each));
  if (isVersion) {
    const others = ["1.0", "1", "2.0", "2.1", "2.0.0", "v2.0", "3.0", "latest", ""];
    const wrong = others.filter((version) => !words.includes(version));
    const near = ["2", "02.0", " 2.0"].map((value): Fault => ({ kind: "other version", value, mayBeRead: true }));
    return [...wrong.map((value): Fault => ({ kind: "other version", value, mayBeRead: false })), ...near];
  }
  const disguises = words.flatMap((each) => disguised(each) ?? []);
  const spelled = [word.toUpperCase(), word.toLowerCase(), `${word} `, `\u00a0${word}`, word.replaceAll("_", "-")];
  return [
    ...["", "no-such-word", `${word}x`, word.slice(0, -1), `${word}\u200b`, `${word},${word}`]
      .filter((value) => !words.includes(value))
      // A shorter word may be another's name for it.
      .map((value): Fault => ({ kind: "unknown word", value, mayBeRead: value === word.slice(0, -1) && value !== "" })),
    ...[...new Set(spelled)]
      .filter((value) => !words.includes(value))
      .map((value): Fault => ({ kind: "unknown word", value, mayBeRead: true })),
    ...disguises.map((value): Fault => ({ kind: "look-alike letter", value, mayBeRead: false })),
  ];
}

/** An id, a commit, a time, or a string that may not be empty. */
function textFaults({ pattern, minLength, maxLength, format, anyOf }: Schema): readonly Fault[] {
  const bound = (value: string): Fault => ({ kind: "boundary", value, mayBeRead: false });
  const alike = (value: string): Fault => ({ kind: "look-alike letter", value, mayBeRead: false });
  if (pattern?.includes("a-fA-F") === true) {
    const long = "a".repeat(65);
    return [
      ...["abc123", long, "abcdefg", "0xabc1234", " abc1234", "abc1234\n", "abc 1234", "HEAD"].map(bound),
      ...["\u0430bc1234", "\uff41bc1234", "abc\u0661234"].map(alike),
    ];
  }
  if (pattern !== undefined) {
    return [
      ...["", "a b", "a\n", "a".repeat(129), "a;b", "$(a)", "a\\b", "a\u0000b"].map(bound),
      ...["m\u0430", "m\uff11", "m\u200b"].map(alike),
    ];
  }
  if (format !== undefined || anyOf !== undefined) {
    const times = [
      "",
      "yesterday",
      "2026-02-30",
      "2026-02-30T10:00:00Z",
      "2026-13-01T10:00:00Z",
      "2026-03-04T25:00:00Z",
      "2026-03-04T10:00:00",
      "2026-03-04T10:00Z",
      "20260304T100000Z",
      "1772618400",
      "2026-3-4",
      "2026-03-04T10:60:00Z",
      "2026-03-04T10:00:00+25:00",
      " 2026-03-04T10:00:00Z",
      "2026-03-04T10:00:00Z ",
      "2025-02-29",
    ];
    if (anyOf === undefined) times.push("2026-03-04");
    return [...times.map(bound), ...["\uff12026-03-04T10:00:00Z", "2026\u201003\u201004"].map(alike)];
  }
  const long =
    maxLength === undefined ? [] : [bound("a".repeat(maxLength + 1)), bound("\u{1f600}".repeat(maxLength + 1))];
  return (minLength ?? 0) > 0 ? [bound(""), ...long] : long;
}

function numberFaults({ minimum, maximum }: Schema): readonly Fault[] {
  const faults: Fault[] = [
    { kind: "boundary", value: 1.5, mayBeRead: false },
    { kind: "boundary", value: 2 ** 53, mayBeRead: false },
    { kind: "other type", value: "7", mayBeRead: true },
    { kind: "other type", value: "-7", mayBeRead: false },
    { kind: "other type", value: "7.0", mayBeRead: false },
    { kind: "look-alike letter", value: "\uff17", mayBeRead: false },
  ];
  if (minimum !== undefined) faults.push({ kind: "boundary", value: minimum - 1, mayBeRead: false });
  if (maximum !== undefined) faults.push({ kind: "boundary", value: maximum + 1, mayBeRead: false });
  return faults;
}
