/**
 * The lines of the tools' state and roadmap, and the fields of `state.json`, that the tools' own hooks rewrite when a plan
 * gets its summary, in the same words. Everything else in these files stays. Pure. Rule: docs/protocol/record.md,
 * section 29.
 */
import type { JsonObject } from "../../base/json.ts";
import { isSameNumber, printed } from "./folder-forms.ts";

/** How many plans of a phase have a summary. */
export interface PhaseCount {
  /** Without leading zeros, as these files have it. */
  readonly number: string;
  readonly title: string;
  readonly plans: number;
  readonly done: number;
}

/** What the files say now. */
export interface Progress {
  /** The phase in which a summary came or went. */
  readonly phase: PhaseCount;
  /** The first phase that is not done; null: all are. */
  readonly next: PhaseCount | null;
  /** All phases, in order. */
  readonly all: readonly PhaseCount[];
  /** Whether a summary was taken away again. */
  readonly isTakenBack: boolean;
  /** The day, `2026-02-01`. */
  readonly today: string;
  /** Whether the tool is VBW with contracts always on, whose hook writes more of these lines. */
  readonly isLater: boolean;
}

/** Whether every plan of a phase has a summary. */
export function isOver({ plans, done }: PhaseCount): boolean {
  return plans > 0 && done >= plans;
}

function percent(done: number, plans: number): number {
  return plans === 0 ? 0 : Math.floor((done * 100) / plans);
}

/** The state document with its lines about the phase. */
export function stateText(text: string, { phase, next, all, isTakenBack, isLater }: Progress): string {
  const moves = isOver(phase) || isTakenBack;
  // The later hook shows the counts of the phase that it shows; the others those of the phase of the summary.
  const { plans, done } = isLater && moves && next !== null ? next : phase;
  const lines: { readonly [start: string]: string | null } = {
    "Plans: ": `${done}/${plans}`,
    "Progress: ": `${percent(done, plans)}%`,
    "Phase: ": moves && next !== null ? `${next.number} of ${all.length} (${next.title})` : null,
    "Status: ": moves ? (next === null ? "complete" : isTakenBack ? "active" : "ready") : null,
  };
  return inLines(text, (line) => {
    const start = Object.keys(lines).find((each) => line.startsWith(each));
    const said = start === undefined ? null : (lines[start] ?? null);
    return said === null ? line : `${start}${said}`;
  });
}

/** The roadmap with the phase's row of the table, and its box. */
export function roadmapText(text: string, { phase, isTakenBack, today, isLater }: Progress): string {
  const { number, plans, done } = phase;
  if (plans === 0) return text;
  const status = isOver(phase) ? "complete" : done > 0 ? "in progress" : "planned";
  return inLines(text, (line) => {
    const box = boxOf(line);
    if (box !== null && isSameNumber(box, number))
      return isOver(phase) ? `- [x]${line.slice(5)}` : isTakenBack ? `- [ ]${line.slice(5)}` : line;
    if (!line.startsWith("|")) return line;
    const cells = line.split("|").map((cell) => cell.trim());
    const [, first = "", second = "", , date = ""] = cells;
    const [own = "", ...name] = first.split(" - ");
    if (!isSameNumber(own, number)) return line;
    if (name.length > 0) {
      const day = status !== "complete" ? "-" : /^\d{4}-\d{2}-\d{2}$/.test(date) ? date : today;
      return `| ${number} - ${name.join(" - ")} | ${done}/${plans} | ${status} | ${day} |`;
    }
    if (!isLater || second === "") return line;
    return `| ${number.padStart(2, "0")} | ${laterWords[status]} |${line.split("|").slice(3).join("|")}`;
  });
}

const laterWords = { complete: "● Done", "in progress": "◐ In Progress", planned: "○ Planned" } as const;

/** The number in `- [ ] Phase 2: Cart` or `- [x] [Phase 2: Cart](#…)`; null: the line is no such box. */
function boxOf(line: string): string | null {
  if (!line.startsWith("- [") || line[4] !== "]") return null;
  const rest = line.slice(6);
  const named = rest.startsWith("[") ? rest.slice(1) : rest;
  const end = named.indexOf(":");
  return named.startsWith("Phase ") && end > 0 ? named.slice("Phase ".length, end) : null;
}

function inLines(text: string, change: (line: string) => string): string {
  return text.split("\n").map(change).join("\n");
}

/** `state.json` of the company line; null: nothing changes. */
export function stateObject(current: JsonObject, { phase, next, all }: Progress): string | null {
  const plans = all.reduce((sum, each) => sum + each.plans, 0);
  const done = all.reduce((sum, each) => sum + each.done, 0);
  const moves = isOver(phase) && next !== null;
  const shown = {
    ...current,
    ph: Number.parseInt((moves ? next : phase).number, 10),
    tt: all.length,
    pr: next === null ? 100 : percent(done, plans),
    st: next === null ? "complete" : moves ? "planning" : "executing",
    ...(moves ? { step: "plan" } : {}),
  };
  return JSON.stringify(shown) === JSON.stringify(current) ? null : printed(shown);
}
