/**
 * The documents read as data: matrices from their tables, fields from their examples. An example value such as
 * `"a | b | c"` lists the allowed words.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Json, JsonObject } from "../../src/base/json.ts";

/** Where the documents are. They are not part of the repository, so name their folder if you have them. */
const folder = process.env.BATON_DOCUMENTS;

/** What a document of a second revision says. */
export interface TypedDocument {
  readonly envelope: JsonObject;
  readonly matrix: ReadonlyMap<string, { readonly senders: readonly string[]; readonly receivers: readonly string[] }>;
  /** Example messages by type, as printed. */
  readonly examples: ReadonlyMap<string, JsonObject>;
}

/** The text of the document whose file name begins with `prefix`; null where nobody has named their folder. */
export function documentText(prefix: string): string | null {
  if (folder === undefined || !existsSync(folder)) return null;
  const name = readdirSync(folder).find((file) => file.startsWith(prefix));
  return name === undefined ? null : readFileSync(join(folder, name), "utf8");
}

/** The document whose file name begins with `prefix`; null where nobody has named their folder. */
export function typedDocument(prefix: string): TypedDocument | null {
  const text = documentText(prefix);
  if (text === null) return null;
  const blocks = [...text.matchAll(/```json\n([\s\S]*?)```/g)].map(([, json = ""]) => JSON.parse(json) as JsonObject);
  const [envelope = {}, ...examples] = blocks;
  return {
    envelope,
    matrix: new Map(
      [...text.matchAll(/^\| *([a-z_]+) *\| *([^|]+?) *\| *([^|]+?) *\|$/gm)].map(
        ([, type = "", senders = "", receivers = ""]) => [
          type,
          { senders: rolesOf(senders), receivers: rolesOf(receivers) },
        ],
      ),
    ),
    examples: new Map(examples.map((example) => [typeof example.type === "string" ? example.type : "", example])),
  };
}

/** `lead (orchestrator)` is the lead. */
function rolesOf(cell: string): readonly string[] {
  return cell.split(",").map((role) => role.replace(/\(.*\)/, "").trim());
}

/** The words a printed value lists, or null when it lists none. */
export function wordsOf(printed: Json | undefined): readonly string[] | null {
  return typeof printed === "string" && /^[A-Za-z_-]+( ?\| ?[A-Za-z_-]+)+$/.test(printed)
    ? printed.split(/ ?\| ?/)
    : null;
}

/** The printed value with the first word wherever it lists words. */
export function concrete(printed: Json): Json {
  const words = wordsOf(printed);
  if (words !== null) return words[0] ?? "";
  if (Array.isArray(printed)) return printed.map(concrete);
  if (typeof printed !== "object" || printed === null) return printed;
  return Object.fromEntries(Object.entries(printed).map(([key, value]) => [key, concrete(value)]));
}
