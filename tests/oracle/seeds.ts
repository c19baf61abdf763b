/**
 * The seeds read as data: matrices from their tables, fields from their examples. An example value such as
 * `"a | b | c"` lists the allowed words.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Json, JsonObject } from "../../src/base/json.ts";

const folder = fileURLToPath(new URL("../../../shared/seeds/", import.meta.url));

/** What a seed of a second revision says. */
export interface TypedSeed {
  readonly envelope: JsonObject;
  readonly matrix: ReadonlyMap<string, { readonly senders: readonly string[]; readonly receivers: readonly string[] }>;
  /** Example messages by type, as printed. */
  readonly examples: ReadonlyMap<string, JsonObject>;
}

/** The text of the seed whose file name begins with `prefix`, or null where the seeds are not beside the project. */
export function seedText(prefix: string): string | null {
  if (!existsSync(folder)) return null;
  const name = readdirSync(folder).find((file) => file.startsWith(prefix));
  return name === undefined ? null : readFileSync(join(folder, name), "utf8");
}

/** The seed whose file name begins with `prefix`, or null where the seeds are not beside the project. */
export function typedSeed(prefix: string): TypedSeed | null {
  const text = seedText(prefix);
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
