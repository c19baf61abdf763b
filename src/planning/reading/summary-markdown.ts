/**
 * A plan's summary in Markdown. It being there says that the plan is done, unless it says otherwise; its commits are those
 * of its head, else of the body's headings about commits.
 */
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../base/json.ts";
import { reportCommitsMax } from "../../base/limits.ts";
import { shorten } from "../../base/text.ts";
import type { YamlLibrary } from "../../base/text-formats/yaml.ts";
import { countIn, type Finding, type Read, type SummaryText, textsIn } from "./found.ts";
import { readFrontMatter } from "./front-matter.ts";
import { textOf } from "./plan-markdown.ts";

/** Reads a summary. */
export function readSummary(text: string, file: string, yaml: YamlLibrary): Read<SummaryText> {
  const { value, findings } = readFrontMatter(text, file, yaml);
  const read = summaryIn(value.head ?? {}, file);
  const { commits } = read.value;
  const inBody = commits.length > 0 ? [] : bodyCommits(value.body);
  return {
    value: { ...read.value, commits: commits.length > 0 ? commits : inBody },
    findings: [...findings, ...read.findings],
  };
}

/** The same from the fields of a head, or of a row of `summary.jsonl`. */
export function summaryIn(head: JsonObject, file: string): Read<SummaryText> {
  const said = textOf(head.status ?? head.s)?.toLowerCase() ?? "complete";
  const status = statusWords[said] ?? null;
  const hashes = hashesIn(head.commit_hashes ?? head.commits ?? head.cm ?? head.ch, file);
  const deviations = deviationsIn(head.deviations ?? head.dv);
  const unread: readonly Finding[] =
    status === null
      ? [{ file, line: 1, why: `The status "${shorten(said, 40)}" is not known; the plan is not taken as done.` }]
      : [];
  return {
    value: {
      status: status ?? "partial",
      commits: hashes.value,
      deviations,
      tasksTotal: countIn(head.tasks_total ?? head.tt),
      tasksDone: countIn(head.tasks_completed ?? head.tasks_complete ?? head.tc),
    },
    findings: [...unread, ...hashes.findings],
  };
}

const statusWords: { readonly [word: string]: SummaryText["status"] } = {
  complete: "complete",
  completed: "complete",
  done: "complete",
  partial: "partial",
  "in-progress": "partial",
  in_progress: "partial",
  failed: "failed",
};

/** Hashes of a list; a count of commits names none. */
function hashesIn(value: Json | undefined, file: string): Read<readonly string[]> {
  const findings: Finding[] = [];
  const entries = isJsonList(value)
    ? value.flatMap((each) => (isJsonObject(each) ? textsIn(each.hash ?? each.sha ?? each.commit) : textsIn(each)))
    : textsIn(value);
  const isCount = entries.length === 1 && /^\d{1,4}$/.test(entries[0] ?? "");
  const hashes = entries.flatMap((entry) => {
    const [first = ""] = entry.replaceAll("`", "").split(/[ :(]/);
    if (isHash(first)) return [first];
    if (!isCount) findings.push({ file, line: null, why: `"${shorten(entry, 60)}" is no commit; it was left out.` });
    return [];
  });
  const unique = [...new Set(hashes)];
  if (unique.length > reportCommitsMax)
    findings.push({ file, line: null, why: `It names more than ${reportCommitsMax} commits; the last ones count.` });
  return { value: unique.slice(-reportCommitsMax), findings };
}

/** Whether a word can name a commit. A number of seven digits and more can, and reads like one. */
export function isHash(word: string): boolean {
  return /^[0-9a-f]{7,40}$/.test(word);
}

/** Code spans and table cells that are hashes, under a heading that speaks of commits. */
function bodyCommits(body: string): readonly string[] {
  const hashes = new Set<string>();
  let isOpen = false;
  for (const line of body.split("\n")) {
    if (line.startsWith("#")) isOpen = line.toLowerCase().includes("commit");
    if (!isOpen || line.length > 1_000) continue;
    line.split("`").forEach((part, index) => {
      for (const word of part.split(/[|\s:,()*[\]]/)) {
        // Outside of code, a word of letters alone or digits alone is more likely a word or a number than a hash.
        if (isHash(word) && (index % 2 === 1 || (/[0-9]/.test(word) && /[a-f]/.test(word)))) hashes.add(word);
      }
    });
  }
  return [...hashes].slice(0, reportCommitsMax);
}

function deviationsIn(value: Json | undefined): readonly string[] {
  if (isJsonList(value)) return value.flatMap((each) => (isJsonObject(each) ? [mapText(each)] : textsIn(each)));
  const [said] = textsIn(value);
  return said === undefined || /^\d+$/.test(said) || said.toLowerCase() === "none" ? [] : [said];
}

function mapText(entry: JsonObject): string {
  return Object.values(entry)
    .flatMap((value) => (typeof value === "string" ? [value] : []))
    .join(": ");
}
