/**
 * The head of a Markdown file between two lines of `---`, every scalar as it is written: `08`, `06.10` and a hash of
 * digits stay text. A head that is no YAML is read line by line, and a finding says so.
 */
import type { Json, JsonObject } from "../../base/json.ts";
import { isJsonObject } from "../../base/json.ts";
import { parseYamlWith, type YamlLibrary } from "../../base/text-formats/yaml.ts";
import { type Finding, numberKey, type Read } from "./found.ts";

/** A file's head and body. */
export interface FrontMatter {
  /** Null: it has no head. */
  readonly head: JsonObject | null;
  readonly body: string;
  /** The line before the body's first one. */
  readonly bodyLine: number;
}

/** Splits `text` and reads its head; `file` names it in findings. */
export function readFrontMatter(text: string, file: string, yaml: YamlLibrary): Read<FrontMatter> {
  const parts = splitHead(text);
  if (parts === null) return { value: { head: null, body: text, bodyLine: 0 }, findings: [] };
  const { head, body, bodyLine } = parts;
  const read = readHead(head, file, yaml);
  return { value: { head: read.value, body, bodyLine }, findings: read.findings };
}

function splitHead(text: string): { readonly head: string; readonly body: string; readonly bodyLine: number } | null {
  const clean = text.startsWith("\uFEFF") ? text.slice(1) : text;
  const first = clean.indexOf("\n");
  if (first < 0 || clean.slice(0, first).trimEnd() !== "---") return null;
  let at = first + 1;
  let line = 1;
  while (at < clean.length) {
    const next = clean.indexOf("\n", at);
    const end = next < 0 ? clean.length : next;
    line += 1;
    if (clean.slice(at, end).trimEnd() === "---")
      return { head: clean.slice(first + 1, at), body: clean.slice(end + 1), bodyLine: line };
    at = end + 1;
  }
  return null;
}

function readHead(head: string, file: string, yaml: YamlLibrary): Read<JsonObject> {
  // The first reading holds the bounds of outside YAML; the second keeps scalars as they are written.
  const bounded = parseYamlWith(yaml, head, file);
  if (bounded.ok && bounded.value.value === null) return { value: {}, findings: [] };
  // Numbers are not read as numbers here, so one that would lose digits is no error.
  const isWritten = bounded.ok ? isJsonObject(bounded.value.value) : bounded.error.code === "number-range";
  if (isWritten) {
    const written: unknown = yaml.parse(head, { schema: "failsafe", logLevel: "error" });
    return { value: asObject(written), findings: [] };
  }
  const why = bounded.ok
    ? "The head is no list of keys; it was read line by line."
    : `The head is not YAML (${bounded.error.message}); it was read line by line.`;
  return { value: byLines(head), findings: [{ file, line: 1, why }] };
}

/** What the library returns for a bounded text of the failsafe schema: strings, lists and objects. */
function asObject(written: unknown): JsonObject {
  return isJsonObject(written as Json) ? (written as JsonObject) : {};
}

/** `key: value` lines, without what is below them. */
function byLines(head: string): JsonObject {
  const found: { [key: string]: Json } = {};
  for (const line of head.split("\n")) {
    const colon = line.indexOf(":");
    const key = colon < 0 ? "" : line.slice(0, colon);
    if (!/^[A-Za-z_]{1,40}$/.test(key) || key === "__proto__") continue;
    found[key] = scalarOf(line.slice(colon + 1).trim());
  }
  return found;
}

function scalarOf(written: string): Json {
  if (!written.startsWith("[") || !written.endsWith("]")) return unquoted(written);
  return written
    .slice(1, -1)
    .split(",")
    .map((each) => unquoted(each.trim()))
    .filter((each) => each !== "");
}

function unquoted(written: string): string {
  const [first, last] = [written[0], written.at(-1)];
  return written.length > 1 && first === last && (first === '"' || first === "'") ? written.slice(1, -1) : written;
}

/** A finding where a name says another number than the head does: both are kept, the name counts. */
export function differs(file: string, what: string, named: string, said: string | null): readonly Finding[] {
  if (said === null || said === "") return [];
  // `01-02`, `PLAN-02` and `phase-1` end with the number that is meant.
  const parts = said.split("-");
  const last = parts.at(-1) ?? said;
  const first = parts[0] === "phase" || parts[0] === "PLAN" ? (parts[1] ?? said) : (parts[0] ?? said);
  const meant = [said, last, first].map(numberKey);
  if (meant.includes(numberKey(named))) return [];
  return [{ file, line: 1, why: `Its name says ${what} ${named}, its head says ${said}; the name counts.` }];
}
