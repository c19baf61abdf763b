/**
 * State files of VBW and YOLO: contracts, the execution state, the event log; and of YOLO's company line plans
 * (`01-02.plan.jsonl`) and summaries as rows of JSON, of which a broken one costs itself only. What a file claims is
 * the claim of an unknown author: it decides what is imported, and never confirms anything.
 */
import { sha256 } from "../../base/canonical.ts";
import { isJsonList, isJsonObject, type Json, type JsonObject, parseBounded } from "../../base/json.ts";
import { readAskedGlobs, readGlobs } from "../../base/paths/scope.ts";
import { shorten } from "../../base/text.ts";
import {
  type ContractText,
  countIn,
  type Finding,
  type FoundEscalation,
  type PlanText,
  type Read,
  type SummaryText,
  textsIn,
} from "./found.ts";
import { filesOf, mustHavesIn, summaryIn, textOf } from "./plan-markdown.ts";

const stateLimits = { bytesMax: 1024 * 1024, depthMax: 32, nodesMax: 50_000 };

/** A file that holds one JSON object. */
export function readObject(text: string, file: string): Read<JsonObject | null> {
  const parsed = parseBounded(text, stateLimits);
  if (parsed.ok && isJsonObject(parsed.value)) return { value: parsed.value, findings: [] };
  const why = parsed.ok ? "It is no JSON object" : parsed.error.message;
  return { value: null, findings: [{ file, line: null, why: `It was left out: ${why}` }] };
}

/** Reads `.contracts/*.json`. Paths that are none are findings; so is an id beyond the count of tasks. */
export function readContract(text: string, file: string): Read<ContractText | null> {
  const { value: object, findings } = readObject(text, file);
  if (object === null) return { value: null, findings };
  const more: Finding[] = [];
  const scope = (value: Json | undefined, what: string, read: typeof readGlobs): readonly string[] =>
    textsIn(value).filter((path) => {
      if (read([path], "$").ok) return true;
      more.push({ file, line: null, why: `"${shorten(path, 80)}" in ${what} is no path; it was left out.` });
      return false;
    });
  const count = countIn(object.task_count);
  const listed = textsIn(object.task_ids);
  const tasks = listed.filter((id) => {
    const number = Number(/T(\d{1,9})$/.exec(id)?.[1] ?? "1");
    return number > 0 && (count === null || number <= count);
  });
  if (tasks.length < listed.length)
    more.push({
      file,
      line: null,
      why: `It lists ${listed.length} tasks and counts ${count ?? 0}; the tasks of the plan's file are taken.`,
    });
  if (typeof object.contract_hash === "string" && object.contract_hash !== hashOf(object))
    more.push({
      file,
      line: null,
      why: "Its hash is not the one of its content: it was changed by hand. It is taken as it is.",
    });
  return {
    value: {
      plan: textOf(object.plan) ?? textOf(object.plan_id),
      phase: textOf(object.phase) ?? textOf(object.phase_id),
      tasks,
      allowed: scope(object.allowed_paths, "allowed_paths", readAskedGlobs),
      forbidden: scope(object.forbidden_paths, "forbidden_paths", readGlobs),
      checks: textsIn(object.verification_checks),
      budget: countIn(object.max_token_budget),
    },
    findings: [...findings, ...more],
  };
}

/** The hash that the tool gives a contract: the content as it prints it, without the hash. */
function hashOf(contract: JsonObject): string {
  const { contract_hash: _, ...rest } = contract;
  return sha256(`${JSON.stringify(rest, null, 2)}\n`);
}

/** What an execution state says. */
export interface ExecutionText {
  readonly phase: string | null;
  readonly status: string | null;
  /** Ids of plans as written, with their states. */
  readonly plans: readonly { readonly id: string; readonly status: string }[];
  readonly escalations: readonly FoundEscalation[];
  /** The plan that waits for the person's approval; null: none does. */
  readonly awaitsApproval: string | null;
}

/** Reads `.execution-state.json`. */
export function readExecution(text: string, file: string): Read<ExecutionText | null> {
  const { value: object, findings } = readObject(text, file);
  if (object === null) return { value: null, findings };
  const plans = (isJsonList(object.plans) ? object.plans : []).flatMap((each) => {
    const [id, status] = isJsonObject(each) ? [textOf(each.id), textOf(each.status)] : [null, null];
    return id === null || status === null ? [] : [{ id, status: status.toLowerCase() }];
  });
  const escalations = escalationsIn(object.escalations, file);
  const status = textOf(object.status);
  const approval = isJsonObject(object.approval ?? null) ? (object.approval as JsonObject) : {};
  const waits = status === "awaiting_approval" && approval.approved !== true;
  return {
    value: {
      phase: textOf(object.phase),
      status,
      plans,
      escalations: escalations.value,
      awaitsApproval: waits ? (textOf(approval.plan_path) ?? "a plan") : null,
    },
    findings: [...findings, ...escalations.findings],
  };
}

/** The open ones of a list; each that says no issue is a finding. `unnamed`: what those without an id are called. */
export function escalationsIn(
  value: Json | undefined,
  file: string,
  unnamed = "escalation",
): Read<readonly FoundEscalation[]> {
  const findings: Finding[] = [];
  const found = (isJsonList(value) ? value : []).flatMap((each, index): readonly FoundEscalation[] => {
    const fields = isJsonObject(each) ? escalationFields(each) : null;
    if (fields === null || (fields.isOpen && fields.issue === null)) {
      findings.push({ file, line: null, why: `Escalation ${index + 1} says no issue; it was left out.` });
      return [];
    }
    if (!fields.isOpen) return [];
    const { id, issue, task, plan, since, evidence, recommendation } = fields;
    return [
      { file, id: id ?? `${unnamed}-${index + 1}`, issue: issue ?? "", task, plan, since, evidence, recommendation },
    ];
  });
  return { value: found, findings };
}

/** Whether an event of the log was written by Baton: its id names an entry of the record. */
export function isOwnEventId(id: string): boolean {
  return /^baton-\d{1,16}(?:-\d{1,6})?(?:-phase)?$/.test(id);
}

/** What a line of the event log says of a plan. */
export interface EventText {
  readonly event: string;
  readonly id: string;
  readonly phase: string | null;
  readonly plan: string | null;
  /** Of the end of a plan: how it ended. */
  readonly status: string | null;
  readonly at: string | null;
  /** The line as a whole: repaired where it was broken. */
  readonly text: string;
  readonly isRepaired: boolean;
  /** Baton wrote it, so it says nothing that the record does not have. */
  readonly isOwn: boolean;
}

/** Reads a line of `.events/event-log.jsonl`; a string: why it cannot be read. */
export function readEvent(line: string): EventText | string {
  const read = readRow(line);
  const repaired = typeof read === "string" ? repairedNumbers(line) : null;
  const again = repaired === null ? read : readRow(repaired);
  if (typeof again === "string") return typeof read === "string" ? read : again;
  const data = isJsonObject(again.data ?? null) ? (again.data as JsonObject) : {};
  return {
    event: textOf(again.event) ?? "",
    id: textOf(again.event_id) ?? "",
    phase: textOf(again.phase),
    plan: textOf(again.plan),
    status: textOf(data.status),
    at: textOf(again.ts),
    text: repaired ?? line,
    isRepaired: repaired !== null,
    isOwn: isOwnEventId(textOf(again.event_id) ?? ""),
  };
}

/** The numbers of `"phase":03` and `"plan":1-2` as strings: the writer of the log puts them there without quotes. */
function repairedNumbers(line: string): string | null {
  let text = line;
  for (const key of ['"phase":', '"plan":']) {
    const at = text.indexOf(key);
    if (at < 0) continue;
    const start = at + key.length;
    let end = start;
    while (end < text.length && end - start < 20 && /[0-9.-]/.test(text[end] ?? "")) end += 1;
    if (end > start) text = `${text.slice(0, start)}"${text.slice(start, end)}"${text.slice(end)}`;
  }
  return text === line ? null : text;
}

/** Limits of one row: a history keeps rows whole, so none is larger than a message may be. */
const rowLimits = { bytesMax: 256 * 1024, depthMax: 32, nodesMax: 10_000 };

/** A line as an object, or why it is none. */
function readRow(text: string): JsonObject | string {
  const parsed = parseBounded(text, rowLimits);
  if (!parsed.ok) return parsed.error.message;
  return isJsonObject(parsed.value) ? parsed.value : "It is no JSON object.";
}

/** Each line that is an object, with its number; a finding for each of the others. A last line without its end counts. */
export function readRows(
  text: string,
  file: string,
): Read<readonly { readonly line: number; readonly row: JsonObject }[]> {
  const findings: Finding[] = [];
  const rows = text.split("\n").flatMap((each, index) => {
    if (each.trim() === "") return [];
    const row = readRow(each);
    if (typeof row !== "string") return [{ line: index + 1, row }];
    findings.push({ file, line: index + 1, why: `This line was left out: ${row}` });
    return [];
  });
  return { value: rows, findings };
}

/** Reads `*.plan.jsonl`. */
export function readPlanRows(text: string, file: string): Read<PlanText | null> {
  const { value: rows, findings } = readRows(text, file);
  const [first, ...others] = rows;
  if (first === undefined)
    return { value: null, findings: [...findings, { file, line: null, why: "It has no header." }] };
  const header = first.row;
  const more: Finding[] = [];
  const tasks = others.map(({ line, row }) => {
    const files = filesOf(textsIn(row.f ?? row.files), { file, line });
    more.push(...files.findings);
    return {
      id: textOf(row.id),
      title: textOf(row.a ?? row.n ?? row.action ?? row.name ?? row.title),
      files: files.value,
      dependsOn: textsIn(row.td ?? row.depends_on),
    };
  });
  const modified = filesOf(textsIn(header.fm ?? header.files_modified), { file, line: first.line });
  const title = textOf(typeof header.t === "number" ? (header.title ?? header.obj) : (header.t ?? header.title));
  return {
    value: {
      phase: textOf(header.p ?? header.phase),
      plan: textOf(header.n ?? header.plan),
      title,
      tasks: tasks.length > 0 ? tasks : [{ id: null, title, files: [], dependsOn: [] }],
      files: modified.value,
      dependsOn: textsIn(header.d ?? header.depends_on),
      mustHaves: mustHavesIn(header.mh ?? header.must_haves),
    },
    findings: [...findings, ...more, ...modified.findings],
  };
}

/** Reads `*.summary.jsonl`: its last row counts. */
export function readSummaryRows(text: string, file: string): Read<SummaryText | null> {
  const { value: rows, findings } = readRows(text, file);
  const last = rows.at(-1);
  if (last === undefined) return { value: null, findings };
  const read = summaryIn(last.row, file);
  return { value: read.value, findings: [...findings, ...read.findings] };
}

/** One entry of `escalations` in an execution state or an escalation state, as far as it says something. */
function escalationFields(row: JsonObject): {
  readonly id: string | null;
  readonly issue: string | null;
  readonly isOpen: boolean;
  readonly task: string | null;
  readonly plan: string | null;
  readonly since: string | null;
  readonly evidence: readonly string[];
  readonly recommendation: string;
} {
  const status = textOf(row.status)?.toLowerCase() ?? "pending";
  return {
    id: textOf(row.id),
    issue: textOf(row.issue ?? row.reason ?? row.question ?? row.description),
    isOpen: ["pending", "open", "active", "escalated"].includes(status),
    task: textOf(row.task ?? row.task_id),
    plan: textOf(row.plan ?? row.plan_id),
    since: textOf(row.last_escalated_at ?? row.escalated_at ?? row.created_at ?? row.ts),
    evidence: isJsonList(row.evidence)
      ? textsIn(row.evidence)
      : textsIn(row.evidence).map((each) => shorten(each, 500)),
    recommendation: textOf(row.recommendation) ?? "",
  };
}
