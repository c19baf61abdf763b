/**
 * What a problem tells besides its rule: the value that came, shortened, and the allowed word that the writer probably
 * meant. That is found first by a table of words that agents write instead, then by a small edit distance. Bounded:
 * long strings get no guess.
 */

import { guessedCharactersMax, nearest as nearestWord } from "../base/text.ts";

/** Words that agents write for an allowed one, in lower case. The first candidate that is allowed wins. */
const synonyms: ReadonlyMap<string, readonly string[]> = new Map([
  ["done", ["complete", "phase_complete"]],
  ["clean", ["complete"]],
  ["completed", ["complete"]],
  ["finished", ["complete"]],
  ["success", ["complete", "PASS"]],
  ["succeeded", ["complete", "PASS"]],
  ["ok", ["complete", "PASS"]],
  ["in_progress", ["partial"]],
  ["in-progress", ["in_progress", "partial"]],
  ["in progress", ["in_progress", "partial"]],
  ["working", ["in_progress", "partial"]],
  ["ongoing", ["in_progress", "partial"]],
  ["incomplete", ["partial", "PARTIAL", "in_progress"]],
  ["error", ["failed", "FAIL", "user_abort"]],
  ["timeout", ["user_abort"]],
  ["errored", ["failed", "FAIL"]],
  ["failure", ["failed", "FAIL"]],
  ["failing", ["failed", "FAIL"]],
  ["passed", ["PASS"]],
  ["passing", ["PASS"]],
  ["approved", ["PASS"]],
  ["rejected", ["FAIL"]],
  ["mixed", ["PARTIAL"]],
  ["blocked", ["blocking"]],
  ["blocker", ["blocking"]],
  ["critical", ["blocking", "high"]],
  ["warning", ["degraded", "medium"]],
  ["minor", ["degraded", "low"]],
  ["info", ["informational"]],
  ["certain", ["high"]],
  ["moderate", ["medium"]],
  ["mid", ["medium"]],
  ["uncertain", ["low"]],
  ["fast", ["quick"]],
  ["smoke", ["quick"]],
  ["normal", ["standard"]],
  ["full", ["deep", "standard"]],
  ["thorough", ["deep"]],
  ["developer", ["dev"]],
  ["engineer", ["dev"]],
  ["tester", ["qa"]],
  ["researcher", ["scout"]],
  ["orchestrator", ["lead"]],
  ["manager", ["lead"]],
  ["writer", ["docs"]],
  ["documentation", ["docs"]],
  ["scope", ["scope_change"]],
  ["plan", ["plan_approval"]],
  ["override", ["gate_override"]],
  ["stack", ["tech-stack"]],
  ["aborted", ["user_abort"]],
  ["cancelled", ["user_abort"]],
  ["2", ["2.0"]],
  ["2.1", ["2.0"]],
]);

/** The allowed word that `written` most likely stands for, or null when none is near. */
export function nearest(written: string, allowed: readonly string[]): string | null {
  const lower = written.toLowerCase();
  const sameButCase = allowed.find((word) => word.toLowerCase() === lower);
  if (sameButCase !== undefined && written.length <= guessedCharactersMax) return sameButCase;
  return synonyms.get(lower)?.find((word) => allowed.includes(word)) ?? nearestWord(written, allowed);
}

const shownCharactersMax = 80;
const shownDepthMax = 4;
const shownEntriesMax = 12;

/** A value as JSON on one line, at most 80 characters; never walks a large or deep value to its end. */
export function shortened(value: unknown): string {
  if (value === undefined) return "nothing";
  const json = preview(value, shownDepthMax);
  return json.length <= shownCharactersMax ? json : `${json.slice(0, shownCharactersMax - 1)}…`;
}

function preview(value: unknown, depth: number): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, shownCharactersMax + 1));
  if (Array.isArray(value)) {
    if (depth === 0) return "[…]";
    return `[${value.slice(0, shownEntriesMax).map((one) => preview(one, depth - 1))}]`;
  }
  if (!isObject(value)) return String(value);
  if (depth === 0) return "{…}";
  const fields = Object.keys(value).slice(0, shownEntriesMax);
  return `{${fields.map((key) => `${preview(key, 0)}:${preview(value[key], depth - 1)}`)}}`;
}

/** Whether a value has fields: neither null nor a list. */
export function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
