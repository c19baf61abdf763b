/**
 * What a team's schema asks of a value itself: its types, its words, its bounds; and keywords that have no effect.
 * Whatever is outside the subset is reported with what to use instead.
 */
import { isJsonList, type Json, type JsonObject } from "../json.ts";
import { ownSchemaWordsMax } from "../limits.ts";
import type { PathStep } from "../problem.ts";
import { nearest } from "../text.ts";
import { shortened } from "./hint.ts";

/** One thing that is wrong with a schema; `steps` lead to it. */
export interface SchemaError {
  readonly steps: readonly PathStep[];
  readonly message: string;
  readonly expected?: string;
  readonly received?: string;
  readonly hint?: string;
}

/** Takes an error. */
export type ReportSchemaError = (
  steps: readonly PathStep[],
  message: string,
  more?: Omit<SchemaError, "steps" | "message">,
) => void;

/** Tells a keyword that the subset does not have. */
export function checkKeyword(key: string, steps: readonly PathStep[], tell: ReportSchemaError): void {
  if (subsetKeywords.some((known) => known === key)) return;
  const instead = insteadOf.get(key);
  const near = instead === undefined ? nearest(key, subsetKeywords) : null;
  tell([...steps, key], `Own message types do not know the keyword ${shortened(key)}.`, {
    expected: subsetKeywords.join(", "),
    received: shortened(key),
    hint: instead ?? (near === null ? "leave it out" : `did you mean "${near}"?`),
  });
}

/** Tells annotations of a wrong type: they ask nothing of a value, and are shown. */
export function checkAnnotations(value: JsonObject, steps: readonly PathStep[], tell: ReportSchemaError): void {
  for (const keyword of ["title", "description", "$comment"]) {
    const told = value[keyword];
    if (told !== undefined && typeof told !== "string") tell([...steps, keyword], `${keyword} is a string.`);
  }
  if (value.examples !== undefined && !isJsonList(value.examples)) {
    tell([...steps, "examples"], "examples is a list.", { hint: "write [ ] around the one example" });
  }
}

/** The types, the words and the format that `value` asks for. */
export function valueParts(
  value: JsonObject,
  steps: readonly PathStep[],
  tell: ReportSchemaError,
): Partial<SubsetForm> {
  const { type, format } = value;
  const types = type === undefined ? undefined : typesOf(type, [...steps, "type"], tell);
  if (format !== undefined && format !== "date-time") {
    tell([...steps, "format"], "Only the format date-time is checked.", {
      expected: "date-time",
      received: shortened(format),
      hint: "leave it out, or list the words in enum",
    });
  }
  const words = wordsOf(value, steps, tell);
  return {
    ...(types === undefined ? {} : { types }),
    ...(words === undefined ? {} : { words }),
    ...(format === "date-time" ? { isMoment: true } : {}),
  };
}

function typesOf(type: Json, steps: readonly PathStep[], tell: ReportSchemaError): readonly SubsetType[] {
  const given = isJsonList(type) ? type : [type];
  const types = subsetTypes.filter((one) => given.includes(one));
  if (types.length === given.length && given.length > 0) return types;
  tell(steps, "This is no type, or one twice.", {
    expected: subsetTypes.join(" | "),
    received: shortened(type),
  });
  return types;
}

function wordsOf(
  value: JsonObject,
  steps: readonly PathStep[],
  tell: ReportSchemaError,
): ReadonlySet<SubsetWord> | undefined {
  const { enum: listed, const: only } = value;
  if (listed === undefined && only === undefined) return undefined;
  if (listed !== undefined && only !== undefined) {
    tell(steps, "A schema has enum or const, not both.", { hint: "keep the const" });
  }
  const given = only === undefined ? listed : [only];
  const place = [...steps, only === undefined ? "enum" : "const"];
  if (!isJsonList(given) || given.length === 0 || given.length > ownSchemaWordsMax) {
    tell(place, "enum is a list of the values that are allowed.", {
      expected: `1 to ${ownSchemaWordsMax} values`,
      received: isJsonList(given) ? `${given.length} values` : shortened(given),
    });
    return new Set();
  }
  const words = given.filter((word) => word === null || typeof word !== "object");
  if (words.length < given.length) {
    tell(place, "Only strings, numbers, true, false and null can be listed.", {
      hint: "describe an object with properties, a list with items",
    });
  } else if (new Set(words).size < words.length) {
    tell(place, "A value is listed twice.", { expected: "each once" });
  }
  return new Set(words);
}

const bounds = [
  ["minimum", "minimum"],
  ["maximum", "maximum"],
  ["minLength", "lengthMin"],
  ["maxLength", "lengthMax"],
  ["minItems", "itemsMin"],
  ["maxItems", "itemsMax"],
] as const;

/** The bounds that `value` sets. */
export function boundParts(
  value: JsonObject,
  steps: readonly PathStep[],
  tell: ReportSchemaError,
): Partial<SubsetForm> {
  const found: { [part: string]: number } = {};
  for (const [keyword, part] of bounds) {
    const bound = value[keyword];
    if (bound === undefined) continue;
    const isCount = keyword !== "minimum" && keyword !== "maximum";
    if (typeof bound === "number" && (!isCount || (Number.isInteger(bound) && bound >= 0))) found[part] = bound;
    else {
      tell([...steps, keyword], `${keyword} is a number.`, {
        expected: isCount ? "a whole number of at least 0" : "a number",
        received: shortened(bound),
      });
    }
  }
  return found;
}

/* The keywords of the subset, and what to write instead of those that are left out. */

/** Every keyword that a schema of a team may use. */
export const subsetKeywords = [
  "$schema",
  "$defs",
  "$ref",
  "$comment",
  "title",
  "description",
  "examples",
  "default",
  "type",
  "enum",
  "const",
  "minimum",
  "maximum",
  "minLength",
  "maxLength",
  "format",
  "items",
  "minItems",
  "maxItems",
  "properties",
  "required",
  "additionalProperties",
  "anyOf",
  "oneOf",
] as const;

const structure = "list the fields in properties and required";
const conditions = "write each case whole in oneOf, told apart by a const";
const own = "leave it out: Baton names the schema";
const list = "say what each entry is in items, and how many in minItems and maxItems";

/** Keywords of JSON Schema that are not of the subset, and what says the same or nearly. */
export const insteadOf: ReadonlyMap<string, string> = new Map([
  ["pattern", "list the words in enum, or bound the text with minLength and maxLength: a pattern can take forever"],
  ["patternProperties", "say what every further field is in additionalProperties"],
  ["propertyNames", "list the fields in properties, and refuse others with additionalProperties: false"],
  ["allOf", "write its parts into one schema"],
  ["not", "say what is allowed, in enum, minimum or maximum"],
  ["if", conditions],
  ["then", conditions],
  ["else", conditions],
  ["dependentSchemas", conditions],
  ["dependentRequired", conditions],
  ["dependencies", conditions],
  ["exclusiveMinimum", "write minimum"],
  ["exclusiveMaximum", "write maximum"],
  ["multipleOf", 'write "type": "integer"'],
  ["uniqueItems", list],
  ["contains", list],
  ["minContains", list],
  ["maxContains", list],
  ["prefixItems", list],
  ["additionalItems", list],
  ["unevaluatedItems", list],
  ["unevaluatedProperties", structure],
  ["minProperties", structure],
  ["maxProperties", structure],
  ["definitions", "call it $defs"],
  ["$id", own],
  ["id", own],
  ["$anchor", "write $ref: #/$defs/NAME"],
  ["$dynamicRef", "write $ref: #/$defs/NAME"],
  ["$dynamicAnchor", "write $ref: #/$defs/NAME"],
  ["$vocabulary", own],
  ["contentEncoding", "leave it out"],
  ["contentMediaType", "leave it out"],
  ["contentSchema", "leave it out"],
  ["deprecated", "leave it out"],
  ["readOnly", "leave it out"],
  ["writeOnly", "leave it out"],
]);

/*
 * The subset of JSON Schema 2020-12 that a team may write its own message types in, as data: what a schema asks of a
 * value once it is read (`subset-read.ts`). Nothing in it is code and nothing comes from a string of an agent's as a
 * pattern, so checking by it (`subset-value.ts`) takes no longer than schema and value are large.
 */
const subsetTypes = ["string", "integer", "number", "boolean", "array", "object", "null"] as const;
export type SubsetType = (typeof subsetTypes)[number];

/** A value of a closed list: compared as JSON Schema compares, by type and value. */
type SubsetWord = string | number | boolean | null;

/** What is asked of a value. An absent part asks nothing. */
export interface SubsetForm {
  readonly summary?: string;
  readonly types?: readonly SubsetType[];
  /** The only values allowed. */
  readonly words?: ReadonlySet<SubsetWord>;
  readonly minimum?: number;
  readonly maximum?: number;
  /** Lengths of a string, in characters (code points). */
  readonly lengthMin?: number;
  readonly lengthMax?: number;
  /** An RFC 3339 date-time. */
  readonly isMoment?: true;
  /** A form of ours that the text must have; schemas of teams have none. */
  readonly pattern?: { readonly source: string; matches(text: string): boolean };
  readonly itemsMin?: number;
  readonly itemsMax?: number;
  readonly entry?: SubsetForm;
  readonly fields?: ReadonlyMap<string, SubsetForm>;
  readonly required?: readonly string[];
  /** What fields beyond `fields` must be; false: there may be none. Absent: anything. */
  readonly further?: SubsetForm | false;
  /** What `$ref` names: asked as well. */
  readonly also?: SubsetForm;
  readonly anyOf?: readonly SubsetForm[];
  readonly oneOf?: readonly SubsetForm[];
  /** What `examples` and `default` show. */
  readonly examples: readonly Json[];
}
