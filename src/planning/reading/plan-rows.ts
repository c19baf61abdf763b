/**
 * YOLO's company line: a plan as `01-02.plan.jsonl` (a header, then a row a task, with short or long keys), its
 * `summary.jsonl`; and rows of JSON lines in general, of which a broken one costs itself only.
 */
import { isJsonList, isJsonObject, type JsonObject, parseBounded } from "../../base/json.ts";
import { shorten } from "../../base/text.ts";
import { type Finding, type PlanText, type Read, type SummaryText, textsIn } from "./found.ts";
import { filesOf, mustHavesIn, textOf } from "./plan-markdown.ts";
import { summaryIn } from "./summary-markdown.ts";

/** Limits of one row: a history keeps rows whole, so none is larger than a message may be. */
const rowLimits = { bytesMax: 256 * 1024, depthMax: 32, nodesMax: 10_000 };

/** A line as an object, or why it is none. */
export function readRow(text: string): JsonObject | string {
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
    if (textOf(row.id) === null) more.push({ file, line, why: "This task has no id; its place in the file counts." });
    return {
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
      tasks: tasks.length > 0 ? tasks : [{ title, files: [], dependsOn: [] }],
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
export function escalationFields(row: JsonObject): {
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
