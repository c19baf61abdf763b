/**
 * What a team's schema asks of a value itself: its types, its words, its bounds; and keywords that ask nothing of it.
 * Whatever lies outside the subset is told with what to use instead.
 */
import { isJsonList, type Json, type JsonObject } from "../base/json.ts";
import type { PathStep } from "../base/json-path.ts";
import { ownSchemaWordsMax } from "../base/limits.ts";
import { nearest } from "../base/text.ts";
import { shortened } from "./preview.ts";
import { type SubsetForm, type SubsetType, type SubsetWord, subsetTypes } from "./subset-form.ts";
import { insteadOf, subsetKeywords } from "./subset-keywords.ts";

/** One thing that is wrong with a schema; `steps` lead to it. */
export interface SchemaFault {
  readonly steps: readonly PathStep[];
  readonly message: string;
  readonly expected?: string;
  readonly received?: string;
  readonly hint?: string;
}

/** Takes a fault. */
export type TellFault = (
  steps: readonly PathStep[],
  message: string,
  more?: Omit<SchemaFault, "steps" | "message">,
) => void;

/** Tells a keyword that the subset does not have. */
export function checkKeyword(key: string, steps: readonly PathStep[], tell: TellFault): void {
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
export function checkAnnotations(value: JsonObject, steps: readonly PathStep[], tell: TellFault): void {
  for (const keyword of ["title", "description", "$comment"]) {
    const told = value[keyword];
    if (told !== undefined && typeof told !== "string") tell([...steps, keyword], `${keyword} is a text.`);
  }
  if (value.examples !== undefined && !isJsonList(value.examples)) {
    tell([...steps, "examples"], "examples is a list.", { hint: "write [ ] around the one example" });
  }
}

/** The types, the words and the format that `value` asks for. */
export function valueParts(value: JsonObject, steps: readonly PathStep[], tell: TellFault): Partial<SubsetForm> {
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

function typesOf(type: Json, steps: readonly PathStep[], tell: TellFault): readonly SubsetType[] {
  const given = isJsonList(type) ? type : [type];
  const types = subsetTypes.filter((one) => given.includes(one));
  if (types.length === given.length && given.length > 0) return types;
  tell(steps, "This is no type, or one twice.", {
    expected: subsetTypes.join(" | "),
    received: shortened(type),
  });
  return types;
}

function wordsOf(value: JsonObject, steps: readonly PathStep[], tell: TellFault): ReadonlySet<SubsetWord> | undefined {
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
    tell(place, "Only texts, numbers, true, false and null can be listed.", {
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
export function boundParts(value: JsonObject, steps: readonly PathStep[], tell: TellFault): Partial<SubsetForm> {
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
