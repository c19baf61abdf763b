/**
 * One drifted value corrected by the form of its field: a word in other letters or another word for it, a number as
 * text, a level as a share of one. Nothing is guessed: where two words could be meant, none is taken.
 */
import { isJsonList, isJsonObject, type Json } from "../../base/json.ts";
import type { ValueForm } from "../../base/schema/value-form.ts";

/** The value that `value` stands for, or null: it fits as it is, or nothing is known of it. `words` as of `Aliases`. */
export function repairedScalar(
  value: Json,
  form: ValueForm,
  words: { readonly [written: string]: string },
): string | number | boolean | null {
  switch (form.is) {
    case "whole":
      return typeof value === "string" ? wholeFor(value.trim(), form.max === 100) : null;
    case "flag":
      return typeof value === "string" ? (flags.get(value.trim().toLowerCase()) ?? null) : null;
    case "text":
      return form.words === undefined ? textFor(value) : wordFor(value, form.words, words);
    case "any":
    case "list":
    case "object":
      return null;
  }
}

const flags: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["false", false],
]);

/** The whole number that a string spells; `isShare`: of a hundred, which may say so (`50%`). */
function wholeFor(written: string, isShare: boolean): number | null {
  const digits = isShare && written.endsWith("%") ? written.slice(0, -1).trimEnd() : written;
  return /^[0-9]{1,15}$/.test(digits) ? Number(digits) : null;
}

function textFor(value: Json): string | null {
  return typeof value === "number" ? String(value) : null;
}

/** The allowed word that a value means: by the definition's table, by its letters, by its number, as a share. */
function wordFor(
  value: Json,
  allowed: readonly string[],
  words: { readonly [written: string]: string },
): string | null {
  if (typeof value === "string" && allowed.includes(value)) return null;
  if (value === null || typeof value === "object") return null;
  const spelled = String(value).trim();
  const written = spelled.toLowerCase();
  const listed = Object.hasOwn(words, written) ? words[written] : undefined;
  if (listed !== undefined) return allowed.includes(listed) ? listed : null;
  const alike = allowed.filter((word) => plain(word) === plain(written) || plain(word) === plain(inWords(spelled)));
  if (alike.length > 0) return alike.length === 1 ? (alike[0] ?? null) : null;
  const number = /^[0-9]+(?:\.[0-9]+)?$/.test(written) ? Number(written) : null;
  if (number === null) return null;
  const equal = allowed.filter((word) => /^[0-9.]+$/.test(word) && Number(word) === number);
  if (equal.length === 1) return equal[0] ?? null;
  return levels.every((level) => allowed.includes(level)) && number <= 1 ? levelOf(number) : null;
}

/** Words of a level, as a confidence has them. */
const levels = ["high", "medium", "low"];

/** A share of one as a level: 0.75 and more is high, 0.4 and more medium. */
function levelOf(share: number): string {
  if (share >= 0.75) return "high";
  return share >= 0.4 ? "medium" : "low";
}

/** A word in camel case with its parts apart: `changesRequested`. */
function inWords(word: string): string {
  return word.replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2");
}

/** A word without what drifts: letter case, and what joins its parts. */
function plain(word: string): string {
  return word.toLowerCase().replaceAll(/[\s_-]+/g, "_");
}

/** Whether a value has the form, but for patterns and times, which the dialect judges. */
export function fitsForm(value: Json, form: ValueForm): boolean {
  if (value === null) return form.mayBeNull === true || form.is === "any";
  switch (form.is) {
    case "any":
      return true;
    case "text":
      if (typeof value !== "string") return false;
      return value.length >= (form.lengthMin ?? 0) && (form.words === undefined || form.words.includes(value));
    case "whole":
      return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= (form.max ?? value);
    case "flag":
      return typeof value === "boolean";
    case "list": {
      const { entry } = form;
      return isJsonList(value) && (entry === undefined || value.every((one) => fitsForm(one, entry)));
    }
    case "object": {
      if (!isJsonObject(value)) return false;
      const { fields = {}, required = [] } = form;
      if (required.some((name) => !Object.hasOwn(value, name))) return false;
      return Object.entries(value).every(([name, held]) => {
        const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
        return field === undefined || fitsForm(held, field);
      });
    }
  }
}
