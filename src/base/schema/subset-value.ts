/** What else is known of a form of the subset: as a value form, in words, and by an example. */

import { isJsonList, isJsonObject, type Json, type JsonObject } from "../json.ts";
import { isLongerThan } from "../text.ts";
import type { SubsetForm, SubsetType } from "./subset-constraints.ts";
import { isDateTime } from "./timestamp.ts";
import type { Validator, ValidatorError, ValueForm } from "./value-form.ts";

/** The form as run time keeps it of every field. Moments are left to the checker, which knows the whole form. */
export function valueFormOf(form: SubsetForm): ValueForm {
  const whole = resolved(form);
  const type = soleType(whole);
  const mayBeNull = whole.types?.includes("null") === true ? { mayBeNull: true as const } : {};
  switch (type) {
    case "string": {
      const words = textsOf(whole);
      const { lengthMin, lengthMax } = whole;
      return {
        is: "text",
        ...mayBeNull,
        ...(words === null ? {} : { words }),
        ...(lengthMin === undefined ? {} : { lengthMin }),
        ...(lengthMax === undefined ? {} : { lengthMax }),
      };
    }
    case "integer":
      return { is: "whole", ...mayBeNull, ...(whole.maximum === undefined ? {} : { max: whole.maximum }) };
    case "boolean":
      return { is: "flag", ...mayBeNull };
    case "array":
      return { is: "list", ...mayBeNull, ...(whole.entry === undefined ? {} : { entry: valueFormOf(whole.entry) }) };
    case "object":
      return { is: "object", ...mayBeNull, ...fieldsOf(whole) };
    case "number":
    case "null":
    case null:
      return { is: "any" };
  }
}

/** Keys are known where the schema names them and says nothing of others. */
function fieldsOf({ fields, required = [], further }: SubsetForm): Partial<ValueForm> {
  if (fields === undefined || fields.size === 0)
    return typeof further === "object" ? { values: valueFormOf(further) } : {};
  if (further !== undefined) return {};
  return { fields: Object.fromEntries([...fields].map(([name, inner]) => [name, valueFormOf(inner)])), required };
}

/** `text`, `list of text`, `low | high`, `object (name, size)`, `whole number, 0 to 10`. */
export function wordsOfForm(form: SubsetForm): string {
  const whole = resolved(form);
  if (whole.words !== undefined) return [...whole.words].map(String).join(" | ");
  const types = whole.types?.filter((type) => type !== "null") ?? [];
  if (types.length === 0) return whole.types === undefined ? branchWords(whole) : "null";
  const said = types.map((type) => typeWords(type, whole)).join(" or ");
  return types.length < (whole.types?.length ?? 0) ? `${said} or null` : said;
}

function typeWords(type: SubsetType, form: SubsetForm): string {
  switch (type) {
    case "string":
      if (form.isMoment === true) return "moment (RFC 3339 date-time)";
      return `text${range(form.lengthMin, form.lengthMax, "characters")}`;
    case "integer":
      return `whole number${range(form.minimum, form.maximum)}`;
    case "number":
      return `number${range(form.minimum, form.maximum)}`;
    case "boolean":
      return "true or false";
    case "array": {
      const entries = form.entry === undefined ? "list" : `list of ${wordsOfForm(form.entry)}`;
      return `${entries}${range(form.itemsMin, form.itemsMax, "entries")}`;
    }
    case "object": {
      const names = [...(form.fields?.keys() ?? [])];
      if (names.length > 0) return `object (${names.join(", ")})`;
      return typeof form.further === "object" ? `object of ${wordsOfForm(form.further)}` : "object";
    }
    case "null":
      return "null";
  }
}

function branchWords({ anyOf, oneOf }: SubsetForm): string {
  const branches = oneOf ?? anyOf;
  return branches === undefined ? "any value" : branches.map(wordsOfForm).join(", or ");
}

function range(min: number | undefined, max: number | undefined, unit?: string): string {
  const of = unit === undefined ? "" : ` ${unit}`;
  if (min !== undefined && max !== undefined) return `, ${min} to ${max}${of}`;
  if (max !== undefined) return `, at most ${max}${of}`;
  if (min === undefined || (unit !== undefined && min === 0)) return "";
  return unit !== undefined && min === 1 ? ", not empty" : `, at least ${min}${of}`;
}

/** Longest text and list that an example is made up with. */
const madeUpMax = 200;

/** A value that fits the form, or null where none is easily made up: then its author has to show one. */
export function exampleOf(form: SubsetForm): Json | null {
  const made = sample(form);
  return fits(form, made) ? made : null;
}

function sample(form: SubsetForm): Json {
  const shown = form.examples.find((one) => fits(form, one));
  if (shown !== undefined) return shown;
  const [word] = form.words ?? [];
  if (word !== undefined) return word;
  const whole = resolved(form);
  if (whole !== form && whole.words !== undefined) return sample(whole);
  const [type] = whole.types ?? [];
  if (type !== undefined) return sampleOfType(type, whole);
  const [branch] = whole.oneOf ?? whole.anyOf ?? [];
  return branch === undefined ? "text" : sample(branch);
}

function sampleOfType(type: SubsetType, form: SubsetForm): Json {
  const { lengthMin = 0, lengthMax = madeUpMax, minimum, maximum, itemsMin = 0, itemsMax = madeUpMax } = form;
  switch (type) {
    case "string":
      if (form.isMoment === true) return "2026-03-04T10:00:00Z";
      return "text".padEnd(Math.min(lengthMin, madeUpMax), "s").slice(0, lengthMax);
    case "integer":
      return minimum === undefined ? Math.min(1, Math.floor(maximum ?? 1)) : Math.ceil(minimum);
    case "number":
      return minimum ?? Math.min(1, maximum ?? 1);
    case "boolean":
      return true;
    case "array": {
      const entries = Math.min(Math.max(itemsMin, itemsMax === 0 ? 0 : 1), madeUpMax);
      return Array.from({ length: entries }, () => (form.entry === undefined ? "text" : sample(form.entry)));
    }
    case "object": {
      const fields = [...(form.fields ?? [])].map(([name, inner]) => [name, sample(inner)] as const);
      const further = typeof form.further === "object" ? sample(form.further) : "text";
      const others = (form.required ?? []).filter((name) => form.fields?.has(name) !== true);
      return Object.fromEntries([...fields, ...others.map((name) => [name, further] as const)]);
    }
    case "null":
      return null;
  }
}

/** The form with what its `$ref` names; what it says itself comes first. */
function resolved(form: SubsetForm): SubsetForm {
  const { also, ...own } = form;
  return also === undefined ? form : { ...resolved(also), ...own };
}

function soleType({ types, words }: SubsetForm): SubsetType | null {
  const named = types?.filter((type) => type !== "null") ?? [];
  if (types === undefined && words !== undefined && textsOf({ words, examples: [] }) !== null) return "string";
  return named.length === 1 ? (named[0] ?? null) : null;
}

/** The allowed words, where all are strings. */
function textsOf({ words }: SubsetForm): readonly string[] | null {
  const all = [...(words ?? [])];
  const texts = all.filter((word) => typeof word === "string");
  return all.length > 0 && texts.length === all.length ? texts : null;
}

/*
 * Whether a value matches a form of the subset, and every error if not, as the generated validators report them. A part
 * of the form meets a value at most once, because a form never contains itself: the time is bounded by the size of the
 * form times the size of the value.
 */

/** The validator of a form. */
export function validatorOf(form: SubsetForm): Validator {
  const validate: Validator = (value) => {
    const found: ValidatorError[] = [];
    // The caller has read the value within the limits of JSON.
    check(found, form, value as Json, "");
    validate.errors = found.length === 0 ? null : found;
    return found.length === 0;
  };
  return validate;
}

/** Whether `value` fits `form`. */
export function fits(form: SubsetForm, value: Json): boolean {
  const found: ValidatorError[] = [];
  check(found, form, value, "");
  return found.length === 0;
}

/** Adds every error of `value`; `place` is the JSON pointer to it. */
function check(found: ValidatorError[], form: SubsetForm, value: Json, place: string): void {
  const problem = (keyword: string, params: ValidatorError["params"]): void => {
    found.push({ instancePath: place, keyword, params });
  };
  if (form.types !== undefined && !form.types.some((type) => isOfType(type, value))) {
    problem("type", { type: form.types.join(",") });
  }
  if (form.words !== undefined && !form.words.has(value as string)) wrongWord(form.words, problem);
  if (typeof value === "string") checkText(form, value, problem);
  else if (typeof value === "number") checkNumber(form, value, problem);
  else if (isJsonList(value)) checkList(found, form, value, place, problem);
  else if (isJsonObject(value)) checkObject(found, form, value, place, problem);
  if (form.also !== undefined) check(found, form.also, value, place);
  if (form.anyOf?.some((one) => fits(one, value)) === false) problem("anyOf", { forms: form.anyOf.length });
  const fitting = form.oneOf?.filter((one) => fits(one, value)).length ?? 1;
  if (fitting !== 1) problem("oneOf", { forms: form.oneOf?.length ?? 0, fitting });
}

type ReportError = (keyword: string, params: ValidatorError["params"]) => void;

function wrongWord(words: NonNullable<SubsetForm["words"]>, problem: ReportError): void {
  const allowed = [...words];
  if (allowed.length === 1) problem("const", { allowedValue: allowed[0] });
  else problem("enum", { allowedValues: allowed });
}

function checkText({ lengthMin, lengthMax, isMoment, pattern }: SubsetForm, text: string, problem: ReportError): void {
  if (lengthMin !== undefined && !isLongerThan(text, lengthMin - 1)) problem("minLength", { limit: lengthMin });
  if (lengthMax !== undefined && isLongerThan(text, lengthMax)) problem("maxLength", { limit: lengthMax });
  if (isMoment === true && !isDateTime(text)) problem("format", { format: "date-time" });
  if (pattern?.matches(text) === false) problem("pattern", { pattern: pattern.source });
}

function checkNumber({ minimum, maximum }: SubsetForm, value: number, problem: ReportError): void {
  if (minimum !== undefined && value < minimum) problem("minimum", { limit: minimum });
  if (maximum !== undefined && value > maximum) problem("maximum", { limit: maximum });
}

function checkList(
  found: ValidatorError[],
  { itemsMin = 0, itemsMax, entry }: SubsetForm,
  list: readonly Json[],
  place: string,
  problem: ReportError,
): void {
  if (list.length < itemsMin) problem("minItems", { limit: itemsMin });
  if (itemsMax !== undefined && list.length > itemsMax) problem("maxItems", { limit: itemsMax });
  if (entry === undefined) return;
  for (const [index, one] of list.entries()) check(found, entry, one, `${place}/${index}`);
}

function checkObject(
  found: ValidatorError[],
  { required = [], fields, further }: SubsetForm,
  owner: JsonObject,
  place: string,
  problem: ReportError,
): void {
  for (const name of required) if (!Object.hasOwn(owner, name)) problem("required", { missingProperty: name });
  if (fields === undefined && further === undefined) return;
  for (const key of Object.keys(owner)) {
    const form = fields?.get(key) ?? further;
    if (form === undefined) continue;
    const here = `${place}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    if (form !== false) check(found, form, owner[key] ?? null, here);
    else
      found.push({
        instancePath: here,
        keyword: "additionalProperties",
        params: { known: [...(fields?.keys() ?? [])] },
      });
  }
}

function isOfType(type: SubsetType, value: Json): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "array":
      return isJsonList(value);
    case "object":
      return isJsonObject(value);
    case "integer":
      return Number.isInteger(value);
    case "string":
    case "number":
    case "boolean":
      return typeof value === type;
  }
}
