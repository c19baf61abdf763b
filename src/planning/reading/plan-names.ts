/**
 * Names in a planning folder: which file is what, and which plan of which phase a file's name means. A phase is a number
 * with a slug (`06.1-fixes`); a plan has the number or the word of its file. Both are compared by number and
 * kept as written.
 */
import { numberKey } from "./found.ts";

/** What a file is for. `ignored`: it is known, and nothing is read from it. */
export type FileKind =
  | "config"
  | "roadmap"
  | "plan"
  | "summary"
  | "plan-rows"
  | "summary-rows"
  | "contract"
  | "execution"
  | "escalations"
  | "events"
  | "lock"
  | "document"
  | "rows"
  | "state"
  | "ignored"
  | "unknown";

/** What the file at `path` is, by its place below the planning folder. */
export function kindOf(path: string): FileKind {
  const parts = path.split("/");
  const name = parts.at(-1) ?? "";
  const [top = ""] = parts;
  if (name.includes(".tmp") || name.startsWith(".context-") || name.startsWith(".ctx-")) return "ignored";
  if (parts.length === 1) return rootKinds[name] ?? (isNoise(name) || name.endsWith(".md") ? "ignored" : "unknown");
  if (top === ".contracts") return name.includes(".rev") ? "ignored" : name.endsWith(".json") ? "contract" : "unknown";
  if (top === ".events") return name === "event-log.jsonl" ? "events" : "unknown";
  if (top === ".locks") return "lock";
  if (top !== "phases") return "ignored";
  return phaseKind(name);
}

const rootKinds: { readonly [name: string]: FileKind } = {
  "config.json": "config",
  "ROADMAP.md": "roadmap",
  ".execution-state.json": "execution",
  ".escalation-state.json": "escalations",
  "reqs.jsonl": "ignored",
  "state.json": "ignored",
};

const noise = [
  "hook",
  "session",
  "notification",
  "cost",
  "agent",
  "active",
  "compaction",
  "delegated",
  "last-",
  "watchdog",
];

/** Files that the tool's own hooks keep for themselves. */
function isNoise(name: string): boolean {
  return name.startsWith(".") || name === "ACTIVE" || noise.some((word) => name.startsWith(word));
}

function phaseKind(name: string): FileKind {
  if (name === ".execution-state.json") return "execution";
  if (name.startsWith(".dept-status-") || name === ".handoff-ux-complete") return "state";
  if (name.endsWith(".plan.jsonl")) return "plan-rows";
  if (name.endsWith(".summary.jsonl") || name === "summary.jsonl") return "summary-rows";
  if (name.endsWith(".jsonl")) return name.startsWith(".") ? "ignored" : "rows";
  if (name.startsWith(".")) return "ignored";
  if (!name.endsWith(".md")) return name.endsWith(".json") || name.endsWith(".toon") ? "ignored" : "unknown";
  const stem = name.slice(0, -3);
  if (stem.includes("SUMMARY")) return "summary";
  if (stem.includes("VERIFICATION") || stem.includes("UAT")) return "document";
  return isPlanStem(stem) ? "plan" : "ignored";
}

function isPlanStem(stem: string): boolean {
  return stem === "PLAN" || stem.endsWith("-PLAN") || stem.startsWith("PLAN-") || stem.includes("-PLAN-");
}

/** The phase that a folder's name means; null: it is no phase's. */
export function phaseOf(folder: string): { readonly id: string; readonly name: string } | null {
  const dash = folder.indexOf("-");
  const id = dash < 0 ? folder : folder.slice(0, dash);
  if (!/^\d{1,4}(?:\.\d{1,4})?[a-z]?$/.test(id)) return null;
  return { id, name: dash < 0 ? folder : folder.slice(dash + 1).replaceAll("-", " ") };
}

/** The phase that a file is in; null: it is in none. */
export function phaseOfPath(path: string): { readonly id: string; readonly name: string } | null {
  const [top, folder] = path.split("/");
  return top === "phases" && folder !== undefined ? phaseOf(folder) : null;
}

/** Which plan a plan's or summary's file means. Phase null: the folder says it. Plan null: its head says it. */
export function planOf(name: string, phase: string): { readonly phase: string | null; readonly plan: string | null } {
  const dot = name.indexOf(".plan.jsonl") >= 0 ? name.indexOf(".plan.jsonl") : name.indexOf(".summary.jsonl");
  const stem = (dot >= 0 ? name.slice(0, dot) : name.slice(0, name.lastIndexOf(".")))
    .split("-")
    .filter((part) => part !== "PLAN" && part !== "SUMMARY" && part !== "");
  const [first, second, ...more] = stem;
  if (first === undefined) return { phase: null, plan: null };
  if (second === undefined) return { phase: null, plan: first };
  // `02-auth`: the plan's word where the number is the phase's, else its number.
  if (isNumber(first) && isNumber(second)) return { phase: first, plan: second };
  if (isNumber(first) && numberKey(first) === numberKey(phase))
    return { phase: first, plan: [second, ...more].join("-") };
  return { phase: null, plan: isNumber(first) ? first : stem.join("-") };
}

function isNumber(part: string): boolean {
  return /^\d{1,4}(?:\.\d{1,4})?[a-z]?$/.test(part);
}

/** The form by which a plan of a phase is compared. */
export function planKeyOf(phase: string, plan: string): string {
  return `${numberKey(phase)}/${numberKey(plan)}`;
}

/** Phases and plans in the order of their numbers, words last. */
export function byNumbers(one: string, other: string): number {
  const parts = (text: string) => text.split(/[./-]/);
  const [left, right] = [parts(one), parts(other)];
  for (let at = 0; at < Math.max(left.length, right.length); at += 1) {
    const [a = "", b = ""] = [left[at], right[at]];
    if (a === b) continue;
    const [x, y] = [Number.parseInt(a, 10), Number.parseInt(b, 10)];
    if (Number.isNaN(x) !== Number.isNaN(y)) return a === "" ? -1 : b === "" ? 1 : Number.isNaN(x) ? 1 : -1;
    if (!Number.isNaN(x) && x !== y) return x - y;
    return a < b ? -1 : 1;
  }
  return 0;
}
