/**
 * Tolerant reading: corrects a message whose spelling has drifted. Names and words come from its definition's table
 * (`Aliases`), general drift (camel case, letter case, a list's name in the singular, numbers as text, one value where
 * a list is meant) follows from the forms of its fields; commits may be a list. Each change is noted with what was
 * written and what it was read as. Whether the result is a message is the dialect's question; nothing here is ever
 * written. Source: docs/protocol/messages.md, section 15.
 */
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../base/json.ts";
import { jsonPath, type PathStep } from "../../base/problem.ts";
import { shortened } from "../../base/schema/hint.ts";
import type { ValueForm } from "../../base/schema/value-form.ts";
import { isLongerThan, withoutJoints } from "../../base/text.ts";
import { type Aliases, type Definition, type Dialect, documentKey, type FieldFacts } from "../dialects/dialect.ts";
import type { Note } from "../message.ts";

/** A message corrected. `notes` is never empty. */
export interface Repaired {
  readonly value: JsonObject;
  readonly notes: readonly Note[];
}

/** `value` as `dialect` would spell it, or null: it is of no type of the dialect, or nothing in it has drifted. */
export function repair(dialect: Dialect, value: JsonObject): Repaired | null {
  const found = definitionFor(dialect, value);
  if (found === null) return null;
  const { definition, inside } = found;
  const work = new Repair(definition.aliases);
  const own = formsOf(definition.fields);
  // If the fields are next to the type, the fields around them are known and not renamed.
  const around = inside === null ? own : formsOf(dialect.envelope);
  const outer = work.object(value, around, [], inside === null ? "" : null);
  const held = inside === null ? undefined : outer[inside];
  const repaired =
    inside === null || !isJsonObject(held) ? outer : { ...outer, [inside]: work.object(held, own, [inside], "") };
  return work.notes.length === 0 ? null : { value: repaired, notes: work.notes };
}

/** The definition of a value, and the key that holds its own fields; null: they are next to the type. */
function definitionFor(
  dialect: Dialect,
  value: JsonObject,
): { readonly definition: Definition; readonly inside: string | null } | null {
  if (dialect.form === "document") {
    const [definition] = dialect.definitions.values();
    const [key] = Object.keys(definition?.example ?? {});
    if (definition === undefined || key === undefined || !Object.hasOwn(value, key)) return null;
    return { definition, inside: key };
  }
  const definition = typeof value.type === "string" ? dialect.definitions.get(value.type) : undefined;
  if (definition === undefined) return null;
  return { definition, inside: dialect.form === "typed" || isJsonObject(value.payload) ? "payload" : null };
}

type Forms = ReadonlyMap<string, ValueForm>;

function formsOf(fields: readonly FieldFacts[]): Forms {
  return new Map(fields.map((field) => [field.name, field.value]));
}

/** More unknown keys of one object are no drift: they are kept as they are written. */
const renamedKeysMax = 256;

/** One message's repair: walks its objects by their forms and collects what was changed. */
class Repair {
  readonly notes: Note[] = [];
  private readonly aliases: Aliases;
  /** The lists among some fields by their names in the singular; null: several have the same. */
  private readonly lists = new Map<Forms, Map<string, string | null>>();

  constructor(aliases: Aliases) {
    this.aliases = aliases;
  }

  /** The object with its names and values corrected. `place` is the dotted place of its fields; null: the envelope. */
  object(owner: JsonObject, forms: Forms, steps: readonly PathStep[], place: string | null): JsonObject {
    const fields: { [key: string]: Json } = {};
    let strangers = 0;
    for (const [key, value] of Object.entries(owner)) {
      const isKnown = forms.has(key) || ++strangers > renamedKeysMax;
      const name = isKnown ? key : this.nameFor(key, owner, forms, place);
      if (Object.hasOwn(fields, name)) {
        // Two spellings of one field: the first is taken, the other kept as it is written.
        fields[key] = value;
        continue;
      }
      if (name !== key) this.note([...steps, key], JSON.stringify(key), JSON.stringify(name));
      const form = forms.get(name);
      const dotted = place === null || place === "" ? name : `${place}.${name}`;
      const one = this.oneCommit(fields, name, value, form, [...steps, key]);
      fields[name] = form === undefined ? one : this.value(one, form, [...steps, key], place === null ? null : dotted);
    }
    return fields;
  }

  /**
   * A list of commits where the definition has one commit: of one its entry, of several the last, with all of them next
   * to it as `commits`, where the verification finds them. Anything else stays as it is.
   */
  private oneCommit(
    fields: { [key: string]: Json },
    name: string,
    value: Json,
    form: ValueForm | undefined,
    steps: readonly PathStep[],
  ): Json {
    if (name !== "commit" || form?.is !== "text" || !isJsonList(value)) return value;
    const last = value.at(-1);
    if (last === undefined || !value.every((each) => typeof each === "string" && each !== "")) return value;
    this.note(steps, shortened(value), shortened(last));
    if (value.length > 1) fields.commits ??= value;
    return last;
  }

  /** The field that an unknown key means; the key itself where it means none, or the field is there already. */
  private nameFor(key: string, owner: JsonObject, forms: Forms, place: string | null): string {
    const meant = place === null ? undefined : this.aliasOf(key, place);
    const name = meant !== undefined && forms.has(meant) ? meant : this.inPlural(snakeCase(key), forms);
    return forms.has(name) && !Object.hasOwn(owner, name) ? name : key;
  }

  /** The list that a name in the singular means, where it is the only one; else the name: `file_modified`. */
  private inPlural(name: string, forms: Forms): string {
    if (forms.has(name)) return name;
    let lists = this.lists.get(forms);
    if (lists === undefined) {
      lists = new Map();
      for (const [field, form] of forms) {
        if (form.is === "list") lists.set(singular(field), lists.has(singular(field)) ? null : field);
      }
      this.lists.set(forms, lists);
    }
    return lists.get(singular(name)) ?? name;
  }

  private aliasOf(key: string, place: string): string | undefined {
    const { names } = this.aliases;
    const prefix = place === "" ? "" : `${place}.`;
    for (const written of [key, key.toLowerCase(), snakeCase(key)]) {
      const dotted = `${prefix}${written}`;
      const meant = Object.hasOwn(names, dotted) ? names[dotted] : undefined;
      if (meant?.startsWith(prefix) === true) return meant.slice(prefix.length);
    }
    return undefined;
  }

  private value(value: Json, form: ValueForm, steps: readonly PathStep[], place: string | null): Json {
    if (value === null) return value;
    if (form.is === "list") return this.list(value, form, steps, place);
    if (form.is === "object") {
      if (form.fields === undefined || !isJsonObject(value)) return value;
      return this.object(value, new Map(Object.entries(form.fields)), steps, place);
    }
    const words = place !== null && Object.hasOwn(this.aliases.words, place) ? this.aliases.words[place] : undefined;
    const meant = repairedScalar(value, form, words ?? {});
    if (meant === null) return value;
    this.note(steps, shortened(value), shortened(meant));
    return meant;
  }

  private list(value: Json, form: ValueForm, steps: readonly PathStep[], place: string | null): Json {
    const { entry } = form;
    if (entry === undefined) return value;
    if (isJsonList(value)) return value.map((one, index) => this.value(one, entry, [...steps, index], place));
    // A lone value is a list of one only where it is such an entry; the fields of an object may be drifted.
    const before = this.notes.length;
    const one = isJsonObject(value) ? this.value(value, entry, steps, place) : value;
    if (!fitsForm(one, entry)) {
      this.notes.length = before;
      return value;
    }
    this.note(steps, shortened(value), shortened([one]));
    return [one];
  }

  private note(steps: readonly PathStep[], from: string, to: string): void {
    this.notes.push(aliasNote(steps, from, to));
  }
}

/** The note of one spelling that was read as another. */
function aliasNote(steps: readonly PathStep[], from: string, to: string): Note {
  const path = jsonPath(steps);
  return { code: "alias", path, message: `${path}: ${from} is read as ${to}.`, from, to };
}

/** A name with each of its words in the singular, as far as their last letters tell. */
function singular(name: string): string {
  return name
    .split("_")
    .map((word) =>
      word
        .replace(/ies$/, "y")
        .replace(/(sh|ch|x)es$/, "$1")
        .replace(/s$/, ""),
    )
    .join("_");
}

/** A name in the wire's spelling: `filesModified`, `files-modified` and ` Files Modified` become `files_modified`. */
function snakeCase(key: string): string {
  return key
    .trim()
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replaceAll(/[-\s.]+/g, "_")
    .toLowerCase();
}

/**
 * The names that mark a message. They are corrected before any dialect is asked, so that a mark of an envelope counts
 * however it is written. Letters decide, never likeness.
 */
const markNames = ["type", "payload", "schema_version", "author_role", documentKey];

/** The names by their letters alone. */
const markByLetters: ReadonlyMap<string, string> = new Map(markNames.map((name) => [lettersOf(name), name]));

/** Longer keys are none of these. */
const markCharactersMax = 24;

/** `value` with these names as they are defined, each change noted; null: none has drifted, or it is there already. */
export function withMarkNames(value: JsonObject): Repaired | null {
  let renamed: Map<string, string> | null = null;
  for (const key in value) {
    const name = markNamed(key);
    if (name === null || Object.hasOwn(value, name)) continue;
    renamed ??= new Map();
    // Two spellings of one name: the first is taken, the other kept as it is written.
    if (![...renamed.values()].includes(name)) renamed.set(key, name);
  }
  if (renamed === null) return null;
  const fields: { [key: string]: Json } = {};
  for (const [key, held] of Object.entries(value)) fields[renamed.get(key) ?? key] = held;
  const notes = [...renamed].map(([key, name]) => aliasNote([key], JSON.stringify(key), JSON.stringify(name)));
  return { value: fields, notes };
}

/** The name that a key stands for in other letters or with other joints; null: it is the name itself, or none. */
function markNamed(key: string): string | null {
  // Nearly every key ends here, and this is the way of every message.
  if (key.length > markCharactersMax || !firstLetters.test(key) || markNames.includes(key)) return null;
  return markByLetters.get(lettersOf(key)) ?? null;
}

/** Whether a key may be one of the names: it begins with a letter of theirs, or with none at all. */
const firstLetters = /^[^b-gi-oq-ru-zB-GI-OQ-RU-Z]/;

/** `value` with its type as a dialect spells it, noted; null: it is spelled so, or no type or several have its letters. */
export function withTypeWord(value: JsonObject, dialects: readonly Dialect[]): Repaired | null {
  const { type } = value;
  if (typeof type !== "string" || type.length > typeCharactersMax) return null;
  const letters = withoutJoints(type);
  const alike = new Set<string>();
  for (const { form, definitions } of dialects) {
    if (form === "document") continue;
    if (definitions.has(type)) return null;
    for (const known of definitions.keys()) if (withoutJoints(known) === letters) alike.add(known);
  }
  const [known, ...others] = alike;
  if (known === undefined || others.length > 0) return null;
  const note: Note = aliasNote(["type"], JSON.stringify(type), JSON.stringify(known));
  return { value: { ...value, type: known }, notes: [note] };
}

const typeCharactersMax = 64;

/** What is left of a name without what drifts, and without characters that nobody sees. */
function lettersOf(name: string): string {
  return withoutJoints(name.replaceAll(/\p{Cf}/gu, ""));
}

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

/** The number that a string spells: whole, or `isShare`, of a hundred, which may say so (`33.3%`). */
function wholeFor(written: string, isShare: boolean): number | null {
  const digits = isShare && written.endsWith("%") ? written.slice(0, -1).trimEnd() : written;
  return (isShare ? /^[0-9]{1,3}(?:\.[0-9]{1,9})?$/ : /^[0-9]{1,15}$/).test(digits) ? Number(digits) : null;
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
      return (
        value.length >= (form.lengthMin ?? 0) &&
        !isLongerThan(value, form.lengthMax ?? value.length) &&
        (form.words === undefined || form.words.includes(value))
      );
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
