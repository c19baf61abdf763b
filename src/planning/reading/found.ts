/**
 * What `baton adopt` finds in a folder of another tool, as plain values: plans with their tasks, contracts, phases,
 * escalations, rows for the history, settings; and a finding for everything that was not understood. The readers in this
 * room are pure: they take the text of a file and never open one. Rule: docs/protocol/record.md, sections 26 to 29.
 */
import type { Json } from "../../base/json.ts";

/** Something that was not understood, or that a person should know. */
export interface Finding {
  /** The file, relative to the project. */
  readonly file: string;
  /** Its line, from 1; null: the file as a whole. */
  readonly line: number | null;
  /** A sentence: what it is, and what became of it. */
  readonly why: string;
}

/** Which tool wrote the folder, in which of its revisions. */
export const origins = {
  "vbw-flags": "VBW with feature flags (v2_, v3_)",
  "vbw-flat": "VBW before its feature flags",
  "vbw-later": "VBW with contracts always on",
  "yolo-typed": "YOLO, typed line",
  "yolo-company": "YOLO, company line",
  bmad: "BMAD",
} as const;
export type OriginName = keyof typeof origins;

/** A task of a plan. */
export interface FoundTask {
  readonly id: string;
  readonly title: string | null;
  /** Files that the plan names for it: a forecast. */
  readonly files: readonly string[];
  readonly dependsOn: readonly string[];
  /** Whether the plan itself says that it is done (a ticked box); absent: it does not say. */
  readonly isTicked?: boolean;
}

/** What a plan's file says. */
export interface PlanText {
  readonly phase: string | null;
  readonly plan: string | null;
  readonly title: string | null;
  /** With their ids as written; null: the plan gives none. */
  readonly tasks: readonly (Omit<FoundTask, "id"> & { readonly id: string | null })[];
  /** Files of the plan as a whole. */
  readonly files: readonly string[];
  /** As written. */
  readonly dependsOn: readonly string[];
  readonly mustHaves: readonly string[];
}

/** What a summary says. */
export interface SummaryText {
  readonly status: "complete" | "partial" | "failed";
  readonly commits: readonly string[];
  readonly deviations: readonly string[];
  readonly tasksTotal: number | null;
  readonly tasksDone: number | null;
}

/** What a contract's file says. */
export interface ContractText {
  readonly plan: string | null;
  readonly phase: string | null;
  readonly tasks: readonly string[];
  /** None: no scope was declared. */
  readonly allowed: readonly string[];
  readonly forbidden: readonly string[];
  readonly checks: readonly string[];
  readonly budget: number | null;
}

/** A plan with everything that the folder says about it. */
export interface FoundPlan {
  /** As Baton calls it: `01-02`. */
  readonly id: string;
  readonly phase: string;
  readonly title: string;
  /** Where the plan was read, relative to the project. */
  readonly file: string;
  readonly tasks: readonly FoundTask[];
  /** Ids of plans. */
  readonly dependsOn: readonly string[];
  readonly mustHaves: readonly string[];
  readonly contract: ContractText | null;
  readonly state: "done" | "open" | "failed";
  /** What says so: a file, or the log. */
  readonly stateFrom: string | null;
  /** Commits that its summary names. */
  readonly commits: readonly string[];
  readonly deviations: readonly string[];
}

export interface FoundPhase {
  readonly id: string;
  readonly name: string;
}

/** An escalation that is open in the folder. */
export interface FoundEscalation {
  readonly file: string;
  readonly id: string;
  readonly plan: string | null;
  readonly task: string | null;
  readonly issue: string;
  readonly evidence: readonly string[];
  readonly recommendation: string;
  readonly since: string | null;
}

/** Something that happened, kept as history. */
export interface FoundRow {
  /** The file, relative to the planning folder. */
  readonly file: string;
  readonly line: number;
  readonly text: string;
  /** When, as the row has it. */
  readonly at: string | null;
}

/** What the settings of the tool mean for a team. */
export interface FoundSettings {
  readonly origin: OriginName;
  readonly policy: "enforce" | "observe";
  readonly teamMode: "teammate" | "task";
  readonly departments: readonly ("backend" | "frontend" | "uiux")[];
  readonly escalationSeconds: number | null;
  readonly leaseSeconds: number | null;
  /** Each gate for which the tool asks a person, as its settings call it. */
  readonly gates: readonly string[];
  /** A sentence for each setting that was read, with what became of it. */
  readonly read: readonly string[];
}

/** Everything that was found. */
export interface Found {
  readonly settings: FoundSettings;
  /** The folder that was read, relative to the project. */
  readonly root: string;
  readonly phases: readonly FoundPhase[];
  readonly plans: readonly FoundPlan[];
  readonly escalations: readonly FoundEscalation[];
  readonly rows: readonly FoundRow[];
  readonly findings: readonly Finding[];
  /** How many files were read, and how many were left unread on purpose. */
  readonly files: { readonly read: number; readonly ignored: number };
}

/** A value with the findings about it. */
export interface Read<Value> {
  readonly value: Value;
  readonly findings: readonly Finding[];
}

/** The strings in a value that should be a list of them, or one of them; anything else is left out. */
export function textsIn(value: Json | undefined): readonly string[] {
  if (typeof value === "string") return value.trim() === "" ? [] : [value.trim()];
  if (typeof value === "number") return [String(value)];
  return Array.isArray(value) ? value.flatMap((each: Json) => (isScalar(each) ? [String(each).trim()] : [])) : [];
}

function isScalar(value: Json): value is string | number {
  return (typeof value === "string" && value.trim() !== "") || typeof value === "number";
}

/** A whole number that is written as one; null: it is none. */
export function countIn(value: Json | undefined): number | null {
  const number =
    typeof value === "number" ? value : typeof value === "string" && /^\d{1,9}$/.test(value) ? +value : null;
  return number !== null && Number.isSafeInteger(number) && number >= 0 ? number : null;
}

/** A phase's or plan's number without leading zeros, `6.10` as `6.10`; a word as written: the form to compare by. */
export function numberKey(written: string): string {
  const [whole = "", ...rest] = written.trim().split(".");
  if (!/^\d{1,9}[a-z]?$/.test(whole)) return written.trim().toLowerCase();
  let at = 0;
  while (at < whole.length - 1 && whole[at] === "0" && /\d/.test(whole[at + 1] ?? "")) at += 1;
  return [whole.slice(at), ...rest].join(".");
}
