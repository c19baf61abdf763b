/**
 * The names by which a message is told for what it is, put right where their spelling has drifted (`Type`,
 * `schemaVersion`): before any dialect is asked, so that a mark of an envelope counts however it is written.
 * Source: semantics.md sections 1.3 and 1.7.
 */
import type { Json, JsonObject } from "../base/json.ts";
import { documentKey } from "../dialects/definition.ts";
import { aliasNote, type Repaired } from "./repair.ts";

const names = ["type", "payload", "schema_version", "author_role", documentKey];

/** The names by their letters alone. */
const byLetters: ReadonlyMap<string, string> = new Map(names.map((name) => [name.replace("_", ""), name]));
const lengths: ReadonlySet<number> = new Set(names.flatMap((name) => [name.length, name.replace("_", "").length]));

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
  return {
    value: fields,
    notes: [...renamed].map(([key, name]) => aliasNote([key], JSON.stringify(key), JSON.stringify(name))),
  };
}

/** The name that a key stands for in other letters or with other joints; null: it is the name itself, or none. */
function markNamed(key: string): string | null {
  // Nearly every key ends here, and this is the way of every message.
  if (!lengths.has(key.length) || names.includes(key)) return null;
  return byLetters.get(key.replace(/[-_ ]/, "").toLowerCase()) ?? null;
}
