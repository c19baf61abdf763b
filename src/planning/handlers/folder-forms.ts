/**
 * The files of a planning folder in the form of the tool that reads them: contracts, summaries, the execution state,
 * the states of departments, escalations, lines of the event log; and the lines of state and roadmap that the tools'
 * own hooks rewrite. Pure: the caller decides where they go. What agents said is only ever a JSON string or escaped
 * Markdown. Source: docs/protocol/record.md, section 29.
 */
import { sha256 } from "../../base/canonical.ts";
import { isJsonList, isJsonObject, type Json, type JsonObject, jsonLine } from "../../base/json.ts";
import { markdownText } from "../../base/text.ts";
import type { Escalation } from "../../escalations/state.ts";
import { unknownAuthor } from "../../messages/principal.ts";
import type { ContractTerms } from "../../tasks/state/contract-terms.ts";
import { summaryLine } from "../../tasks/state/summary-text.ts";
import type { FolderEvent, FolderPart, FolderPlan } from "./folder-changes.ts";

/** A plan's place in the folder: phase and plan as their names there have them, `01` and `02`. */
export interface PlanName {
  readonly phase: string;
  readonly plan: string;
}

/** A number where it is written as one and stays the same, else the text: `06.10` is no number. */
export function asWritten(text: string): number | string {
  const number = Number(text);
  return /^\d{1,9}$/.test(text) ? number : text;
}

function wordIn(value: Json | undefined): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** A time as the scripts of these tools write it: without fractions. */
function stamp(at: string): string {
  return `${at.slice(0, 19)}Z`;
}

/** JSON as `jq` prints it. */
function printed(value: JsonObject): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** The contract's file of a plan; null: the plan has no contract. */
export function contractFile({ contract, tasks }: FolderPlan, name: PlanName): string | null {
  return contract === null ? null : contractText({ ...contract.terms, name, tasks });
}

/** What a contract's file says. */
export interface ContractFile
  extends Pick<
    ContractTerms,
    | "objective"
    | "tasks"
    | "allowedPaths"
    | "forbiddenPaths"
    | "dependsOn"
    | "mustHaves"
    | "verificationChecks"
    | "tokenBudget"
  > {
  readonly name: PlanName;
}

/** The text of a contract's file. Its hash is over its content without the hash. */
export function contractText({ name: { phase, plan }, tasks, ...terms }: ContractFile): string {
  const said = {
    phase_id: `phase-${phase}`,
    plan_id: `phase-${phase}-plan-${plan}`,
    phase: asWritten(phase),
    plan: asWritten(plan),
    objective: terms.objective,
    task_ids: [...tasks],
    task_count: tasks.length,
    allowed_paths: [...terms.allowedPaths],
    forbidden_paths: [...terms.forbiddenPaths],
    depends_on: [...terms.dependsOn],
    must_haves: [...terms.mustHaves],
    verification_checks: [...terms.verificationChecks],
    max_token_budget: terms.tokenBudget,
    timeout_seconds: null,
  };
  return printed({ ...said, contract_hash: sha256(printed(said)) });
}

/** The summary of a plan that is done, in Markdown; null: it is not. */
export function summaryFile({ summary, isDone }: FolderPlan, { phase, plan }: PlanName): string | null {
  if (summary === null || !isDone) return null;
  const title = summary.objective ?? summary.plan;
  const head = [
    `phase: ${wordOf(phase)}`,
    `plan: ${wordOf(plan)}`,
    `title: ${JSON.stringify(title)}`,
    "status: complete",
    `tasks_completed: ${summary.tasksCompleted}`,
    `tasks_total: ${summary.tasksTotal}`,
    ...listOf("commit_hashes", summary.commitHashes.map(hashOf)),
    ...listOf(
      "deviations",
      summary.deviations.map((each) => JSON.stringify(each)),
    ),
  ];
  return [
    "---",
    ...head,
    "---",
    "",
    `# ${phase}-${plan}: ${markdownText(title)}`,
    ...section("What Was Built", summary.built.map(markdownText)),
    ...section("Files Modified", summary.filesModified.map(markdownText)),
    ...section("Deviations", summary.deviations.map(markdownText)),
    ...section("Not verified", summary.unverified.map(markdownText)),
    "",
  ].join("\n");
}

/** A phase or plan in YAML: `2` as a number, what would change as one (`02`, `06.1`) in quotes. */
function wordOf(text: string): string {
  return /^(?:0|[1-9]\d{0,8})$/.test(text) ? text : JSON.stringify(text);
}

/** A commit's hash in YAML: in quotes where digits, or an exponent, would make a number of it. */
function hashOf(hash: string): string {
  return /^[0-9a-f]{7,64}$/.test(hash) && /[abcdf]/.test(hash) ? hash : JSON.stringify(hash);
}

function listOf(key: string, values: readonly string[]): readonly string[] {
  return values.length === 0 ? [`${key}: []`] : [`${key}:`, ...values.map((value) => `  - ${value}`)];
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ["", `## ${title}`, "", ...lines.map((line) => `- ${line}`)];
}

/** `01-02.summary.jsonl` of the company line; null: the plan is not done. */
export function summaryRow({ summary, isDone, doneAt }: FolderPlan): string | null {
  return summary === null || !isDone || doneAt === null ? null : `${summaryLine(summary, doneAt)}\n`;
}

/** A line of the event log, without its line break; `numbers` finds the plan's names in the folder. */
export function eventLine({ event, id, at, data, phase }: FolderEvent, name: PlanName | null): string {
  const where = name?.phase ?? phase;
  return jsonLine({
    ts: stamp(at),
    event_id: id,
    event,
    ...(where === null ? {} : { phase: asWritten(where) }),
    ...(name === null ? {} : { plan: asWritten(name.plan) }),
    ...(Object.keys(data).length === 0 ? {} : { data: { ...data } }),
  });
}

/** How the execution state calls what became of a plan. */
export function statusOf({ isDone, hasFailed }: FolderPlan): "complete" | "failed" | "pending" {
  return isDone ? "complete" : hasFailed ? "failed" : "pending";
}

/** A plan of a phase, for the execution state. */
export interface ExecutionPlan {
  readonly name: PlanName;
  readonly plan: FolderPlan;
}

/** The phase that an execution state will be about. */
export interface ExecutionPhase {
  readonly id: string;
  readonly title: string;
  /** Whether the phase that it is about now is over, as the folder has it. */
  isOver(phase: string): boolean;
}

/**
 * The execution state with these plans as they are now: of what is there only the states of plans change, and whether all
 * are done; plans that are missing are added. Null: it is about another phase that still runs, or nothing changes.
 */
export function executionFile(
  current: JsonObject | null,
  phase: ExecutionPhase,
  plans: readonly ExecutionPlan[],
  at: string,
): string | null {
  const isOther = current !== null && !isSameNumber(current.phase, phase.id);
  if (isOther && current.status !== "complete" && !phase.isOver(wordIn(current.phase))) return null;
  const { step: _, steps: __, approval: ___, ...kept } = current ?? {};
  const base: JsonObject =
    current === null || isOther
      ? {
          ...kept,
          phase: asWritten(phase.id),
          phase_name: phase.title,
          status: "running",
          started_at: stamp(at),
          wave: 1,
          total_waves: 1,
          plans: [],
        }
      : current;
  const rows = [...(isJsonList(base.plans) ? base.plans : [])];
  for (const { name, plan } of plans) {
    const index = rows.findIndex((row) => isJsonObject(row) && isPlanRow(row, name, phase.id));
    const row = index < 0 ? null : (rows[index] as JsonObject);
    const status = statusOf(plan);
    if (row === null) rows.push({ id: `${name.phase}-${name.plan}`, title: titleOf(plan), wave: 1, status });
    else if (!isSameStatus(row.status, status)) rows[index] = { ...row, status };
  }
  const areDone = rows.length > 0 && rows.every((row) => isJsonObject(row) && isSameStatus(row.status, "complete"));
  const status = areDone ? "complete" : base.status === "complete" ? "running" : (base.status ?? "running");
  const next = { ...base, status, plans: rows };
  return current !== null && JSON.stringify(next) === JSON.stringify(current) ? null : printed(next);
}

function titleOf({ id, summary, contract }: FolderPlan): string {
  return contract?.terms.objective ?? summary?.objective ?? id;
}

const doneWords = ["complete", "completed", "done"];

/** Words for one thing stay as they are written; `running` of a plan that is not done is as good as `pending`. */
function isSameStatus(written: Json | undefined, status: string): boolean {
  const said = typeof written === "string" ? written.toLowerCase() : "";
  if (status === "complete") return doneWords.includes(said);
  return status === "pending" ? !doneWords.includes(said) && said !== "failed" && said !== "" : said === status;
}

function isPlanRow({ id }: JsonObject, { phase, plan }: PlanName, current: string): boolean {
  if (typeof id !== "string" && typeof id !== "number") return false;
  const parts = String(id).split("-");
  const [own, named] = parts.length < 2 ? [current, parts[0]] : [parts[0], parts.slice(1).join("-")];
  return isSameNumber(own, phase) && isSameNumber(named, plan);
}

/** Compared by number, else as written. */
function isSameNumber(one: Json | undefined, other: string): boolean {
  const plain = (text: string) => (/^\d{1,9}$/.test(text) ? String(Number(text)) : text.toLowerCase());
  return (typeof one === "string" || typeof one === "number") && plain(String(one)) === plain(other);
}

/** `.dept-status-backend.json` with its eight keys; null: nothing changes. */
export function departmentFile(
  current: JsonObject | null,
  { department, status, step, plansComplete, plansTotal }: FolderPart,
  at: string,
): string | null {
  const facts = {
    dept: department ?? "backend",
    status: departmentWords[status],
    step: step ?? (typeof current?.step === "string" ? current.step : ""),
    plans_complete: plansComplete,
    plans_total: plansTotal,
    error: typeof current?.error === "string" ? current.error : "",
  };
  const isSame = current !== null && Object.entries(facts).every(([key, value]) => current[key] === value);
  if (isSame) return null;
  const startedAt = typeof current?.started_at === "string" ? current.started_at : stamp(at);
  const { dept, status: word, step: at_step, ...counts } = facts;
  return printed({ dept, status: word, step: at_step, started_at: startedAt, updated_at: stamp(at), ...counts });
}

const departmentWords: { readonly [status in FolderPart["status"]]: string } = {
  waiting: "pending",
  running: "running",
  stopped: "blocked",
  held: "blocked",
  ended: "complete",
  shipped: "complete",
  "shipped-with-findings": "complete",
};

/** The execution state with these escalations; null: nothing changes. `plan` and `task` stay as the team wrote them. */
export function withEscalations(
  current: JsonObject | null,
  escalations: readonly Escalation[],
  timeOf: (ms: number) => string,
): string | null {
  if (current === null) return null;
  const rows = [...(isJsonList(current.escalations) ? current.escalations : [])];
  for (const each of escalations) {
    const index = rows.findIndex((row) => isJsonObject(row) && (row.id === each.id || row.issue === each.issue));
    const row = index < 0 ? null : (rows[index] as JsonObject);
    const isOpen = each.status === "open";
    const decided = each.decision === null ? {} : { resolution: each.decision.decision };
    if (row === null && isOpen)
      rows.push({
        id: each.id,
        ...(each.plan === null ? {} : { plan: each.plan }),
        ...(each.task === null ? {} : { task: each.task }),
        issue: each.issue,
        evidence: [...each.evidence],
        recommendation: each.recommendation ?? "",
        severity: each.severity,
        status: "pending",
        escalated_at: stamp(timeOf(each.openedAtMs)),
      });
    else if (row !== null && isOpen !== isOpenRow(row))
      rows[index] = { ...row, ...decided, status: isOpen ? "pending" : "resolved" };
  }
  const next = { ...current, escalations: rows };
  return rows.length === 0 || JSON.stringify(next) === JSON.stringify(current) ? null : printed(next);
}

function isOpenRow({ status }: JsonObject): boolean {
  const said = typeof status === "string" ? status.toLowerCase() : "pending";
  return ["pending", "open", "active", "escalated"].includes(said);
}

/** `.escalation-state.json` with these: open ones under `pending`, the others behind `resolved`. Null: no change. */
export function escalationState(
  current: JsonObject,
  escalations: readonly Escalation[],
  timeOf: (ms: number) => string,
): string | null {
  const pending = rowsIn(current.pending);
  const resolved = rowsIn(current.resolved);
  for (const each of escalations) {
    const isOf = (row: JsonObject) => row.id === each.id || row.reason === each.issue;
    const [index, known] = [pending.findIndex(isOf), resolved.some(isOf)];
    const row = pending[index];
    // What the folder itself brought in is there already.
    const isFolders = each.originators.every((name) => name === unknownAuthor);
    if (each.status === "open" && row === undefined && !known && !isFolders)
      pending.push({
        id: each.id,
        agent: each.originators[0] ?? "",
        reason: each.issue,
        severity: each.severity,
        target: each.level,
        phase: each.phase === null ? "" : String(each.phase),
        created_at: stamp(timeOf(each.openedAtMs)),
        status: "pending",
      });
    if (each.status === "open" || row === undefined) continue;
    pending.splice(index, 1);
    const { decision } = each;
    const said = decision === null ? {} : { resolved_at: stamp(timeOf(decision.atMs)), resolution: decision.decision };
    resolved.push({ ...row, status: "resolved", ...said });
  }
  const next = { ...current, pending, resolved };
  return JSON.stringify(next) === JSON.stringify(current) ? null : printed(next);
}

function rowsIn(value: Json | undefined): JsonObject[] {
  return isJsonList(value) ? value.filter(isJsonObject) : [];
}

/** `.escalation-resolution-backend.json`: what was decided, in the words of the message; null: nothing was. */
export function resolutionFile({ id, decision }: Escalation): string | null {
  if (decision === null) return null;
  return printed({
    type: "escalation_resolution",
    original_escalation: id,
    decision: decision.decision,
    rationale: decision.rationale,
    action_items: [...decision.actionItems],
    resolved_by: decision.level,
  });
}

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
