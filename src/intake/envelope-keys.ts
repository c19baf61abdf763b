/**
 * The names that mark a message, and the name of its type, corrected where their spelling has drifted (`Type`,
 * `schemaVersion`, `DevProgress`): before any dialect is asked, so that a mark of an envelope counts however it is
 * written. Letters decide, never likeness. Source: docs/protocol/reading.md, sections 8 and 9.
 */
import type { Json, JsonObject } from "../base/json.ts";
import { withoutJoints } from "../base/text.ts";
import { documentKey } from "../dialects/definition.ts";
import type { Dialect } from "../dialects/dialect.ts";
import type { Note } from "../message/message.ts";
import { aliasNote, type Repaired } from "./repair.ts";

const names = ["type", "payload", "schema_version", "author_role", documentKey];

/** The names by their letters alone. */
const byLetters: ReadonlyMap<string, string> = new Map(names.map((name) => [lettersOf(name), name]));

/** Longer keys are none of these. */
const keyCharactersMax = 24;

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
  if (key.length > keyCharactersMax || !firstLetters.test(key) || names.includes(key)) return null;
  return byLetters.get(lettersOf(key)) ?? null;
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
