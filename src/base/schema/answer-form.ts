/**
 * The form of an answer as data, and whether a value has it. The client of a hub checks each answer by the generated
 * forms: what a hub says is believed only where it has the form that was asked for. Fields that are not named are ignored,
 * and words of a list that are not known are taken as they are, because a newer hub may say more.
 */
import { messageId, teamName } from "../ids.ts";
import type { Json } from "../json.ts";
import { visible } from "../text.ts";
import { readSubset } from "./subset-read.ts";

/** `count`: a whole number from 0. `word`: Baton's own, without anything invisible. `@Task`: the form of that name. */
export type AnswerForm =
  | keyof typeof plainForms
  | `@${string}`
  | { readonly oneOf: readonly (string | number | boolean)[] }
  | { readonly nullable: AnswerForm }
  | { readonly list: AnswerForm }
  | { readonly map: AnswerForm }
  | { readonly either: readonly AnswerForm[] }
  | FieldsForm;

interface FieldsForm {
  readonly fields: { readonly [name: string]: AnswerForm };
  readonly optional?: { readonly [name: string]: AnswerForm };
}

/** Forms by name. */
export type NamedForms = { readonly [name: string]: AnswerForm };

const plainForms = {
  any: (value: unknown) => value !== undefined,
  object: (value: unknown) => isObject(value),
  text: (value: unknown) => typeof value === "string",
  word: (value: unknown) => isWord(value),
  flag: (value: unknown) => typeof value === "boolean",
  count: (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0,
  whole: (value: unknown) => Number.isSafeInteger(value),
  number: (value: unknown) => typeof value === "number",
  hash: (value: unknown) => typeof value === "string" && /^[0-9a-f]{64}$/.test(value),
  id: (value: unknown) => typeof value === "string" && messageId(value) !== null,
  team: (value: unknown) => typeof value === "string" && teamName(value) !== null,
  dialect: (value: unknown) => isWord(value) && value.includes("/"),
  code: (value: unknown) => isWord(value),
  // It came out of a parser, so it is JSON.
  typeSchema: (value: unknown) => value !== undefined && readSubset(value as Json).problems.length === 0,
} as const;

/** Where `value` does not have the form, such as `/0/state` (empty: the whole of it); null: it has. */
export function misfit(form: AnswerForm, value: unknown, named: NamedForms, place = ""): string | null {
  if (typeof form === "string") {
    if (!isNamed(form)) return plainForms[form](value) ? null : place;
    const meant = named[form.slice(1)];
    return meant === undefined ? place : misfit(meant, value, named, place);
  }
  if ("oneOf" in form) return form.oneOf.some((each) => each === value) ? null : place;
  if ("nullable" in form) return value === null ? null : misfit(form.nullable, value, named, place);
  if ("list" in form) {
    if (!Array.isArray(value)) return place;
    return firstOf(value.entries(), (index, item) => misfit(form.list, item, named, `${place}/${index}`));
  }
  if ("either" in form) return form.either.some((each) => misfit(each, value, named) === null) ? null : place;
  if (!isObject(value)) return place;
  if ("map" in form) {
    return firstOf(Object.entries(value), (name, item) => misfit(form.map, item, named, `${place}/${name}`));
  }
  return misfitOfFields(form, value, named, place);
}

function misfitOfFields(
  { fields, optional = {} }: FieldsForm,
  value: { readonly [name: string]: unknown },
  named: NamedForms,
  place: string,
): string | null {
  return (
    firstOf(Object.entries(fields), (name, form) => misfit(form, value[name], named, `${place}/${name}`)) ??
    firstOf(Object.entries(optional), (name, form) =>
      value[name] === undefined ? null : misfit(form, value[name], named, `${place}/${name}`),
    )
  );
}

function firstOf<Key, Item>(
  items: Iterable<readonly [Key, Item]>,
  look: (key: Key, item: Item) => string | null,
): string | null {
  for (const [key, item] of items) {
    const found = look(key, item);
    if (found !== null) return found;
  }
  return null;
}

function isNamed(form: string): form is `@${string}` {
  return form.startsWith("@");
}

function isWord(value: unknown): value is string {
  return typeof value === "string" && visible(value) === value;
}

function isObject(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
