/**
 * Whether a value matches a form of the subset, and every error if not, as the generated validators report them. A part
 * of the form meets a value at most once, because a form never contains itself: the time is bounded by the size of the
 * form times the size of the value.
 */
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../base/json.ts";
import type { SubsetForm, SubsetType } from "./subset-constraints.ts";
import { isDateTime } from "./timestamp.ts";
import type { Validator, ValidatorError } from "./value-form.ts";

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
  const fault = (keyword: string, params: ValidatorError["params"]): void => {
    found.push({ instancePath: place, keyword, params });
  };
  if (form.types !== undefined && !form.types.some((type) => isOfType(type, value))) {
    fault("type", { type: form.types.join(",") });
  }
  if (form.words !== undefined && !form.words.has(value as string)) wrongWord(form.words, fault);
  if (typeof value === "string") checkText(form, value, fault);
  else if (typeof value === "number") checkNumber(form, value, fault);
  else if (isJsonList(value)) checkList(found, form, value, place, fault);
  else if (isJsonObject(value)) checkObject(found, form, value, place, fault);
  if (form.also !== undefined) check(found, form.also, value, place);
  if (form.anyOf?.some((one) => fits(one, value)) === false) fault("anyOf", { forms: form.anyOf.length });
  const fitting = form.oneOf?.filter((one) => fits(one, value)).length ?? 1;
  if (fitting !== 1) fault("oneOf", { forms: form.oneOf?.length ?? 0, fitting });
}

type ReportError = (keyword: string, params: ValidatorError["params"]) => void;

function wrongWord(words: NonNullable<SubsetForm["words"]>, fault: ReportError): void {
  const allowed = [...words];
  if (allowed.length === 1) fault("const", { allowedValue: allowed[0] });
  else fault("enum", { allowedValues: allowed });
}

function checkText({ lengthMin, lengthMax, isMoment, pattern }: SubsetForm, text: string, fault: ReportError): void {
  if (lengthMin !== undefined && !isLongerThan(text, lengthMin - 1)) fault("minLength", { limit: lengthMin });
  if (lengthMax !== undefined && isLongerThan(text, lengthMax)) fault("maxLength", { limit: lengthMax });
  if (isMoment === true && !isDateTime(text)) fault("format", { format: "date-time" });
  if (pattern?.matches(text) === false) fault("pattern", { pattern: pattern.source });
}

function checkNumber({ minimum, maximum }: SubsetForm, value: number, fault: ReportError): void {
  if (minimum !== undefined && value < minimum) fault("minimum", { limit: minimum });
  if (maximum !== undefined && value > maximum) fault("maximum", { limit: maximum });
}

function checkList(
  found: ValidatorError[],
  { itemsMin = 0, itemsMax, entry }: SubsetForm,
  list: readonly Json[],
  place: string,
  fault: ReportError,
): void {
  if (list.length < itemsMin) fault("minItems", { limit: itemsMin });
  if (itemsMax !== undefined && list.length > itemsMax) fault("maxItems", { limit: itemsMax });
  if (entry === undefined) return;
  for (const [index, one] of list.entries()) check(found, entry, one, `${place}/${index}`);
}

function checkObject(
  found: ValidatorError[],
  { required = [], fields, further }: SubsetForm,
  owner: JsonObject,
  place: string,
  fault: ReportError,
): void {
  for (const name of required) if (!Object.hasOwn(owner, name)) fault("required", { missingProperty: name });
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

/** Whether `text` has more than `count` characters; looks at no more of it than that. */
function isLongerThan(text: string, count: number): boolean {
  // A character takes one or two places.
  if (text.length <= count) return false;
  if (text.length > 2 * count) return true;
  let characters = 0;
  for (const _ of text) {
    characters += 1;
    if (characters > count) return true;
  }
  return false;
}
