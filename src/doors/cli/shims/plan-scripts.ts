/** Scripts about plans and their contracts. Rule: docs/protocol/record.md, section 29. */
import { sha256 } from "../../../base/canonical.ts";
import { isJsonList, type JsonObject } from "../../../base/json.ts";
import { allowsAny } from "../../../base/paths/scope.ts";
import { loadYaml } from "../../../base/text-formats/yaml.ts";
import { countIn, type PlanText, textsIn } from "../../../intake/planning/found.ts";
import { readPlan } from "../../../intake/planning/plan-markdown.ts";
import { phaseOf, planOf } from "../../../intake/planning/plan-names.ts";
import { readPlanRows, readRows } from "../../../intake/planning/plan-rows.ts";
import { contractText, type PlanName } from "../../../runtime/planning/folder-forms.ts";
import { belowPlanning, compact, isOn, nameOf, objectIn, type Script, type ScriptCall, textAt } from "./script.ts";

const nothing = { code: 0 } as const;

/** `generate-contract PLAN`: the path of the contract that it wrote, or nothing. */
export const generateContract: Script = async (call) => {
  const { planning } = call;
  const made = planning === null ? null : await madeFrom(call, call.words[0] ?? "");
  if (planning === null || made === null) return nothing;
  if (!isOn(planning, "contracts", ["v2_hard_contracts", "v3_contract_lite"])) return nothing;
  const path = `.contracts/${made.name.phase}-${made.name.plan}.json`;
  return planning.files.write(path, made.text) ? { code: 0, stdout: `${planning.root}/${path}\n` } : nothing;
};

/** `contract-revision OLD PLAN`: `no_change`, or `revised:PATH` with the contract as it was kept as `.rev{n}`. */
export const contractRevision: Script = async (call) => {
  const { planning } = call;
  const [old = "", plan = ""] = call.words;
  const path = belowPlanning(call, old);
  const made = await madeFrom(call, plan);
  if (planning === null || path === null || made === null || !path.endsWith(".json")) return nothing;
  const before = planning.files.read(path);
  if (before === null) return nothing;
  if (before === made.text || isSameContract(before, made.text)) return { code: 0, stdout: "no_change\n" };
  let revision = 1;
  const archive = () => path.replace(/\.json$/, `.rev${revision}.json`);
  while (planning.files.read(archive()) !== null && revision < 10_000) revision += 1;
  const isKept = planning.files.write(archive(), before) && planning.files.write(path, made.text);
  return isKept ? { code: 0, stdout: `revised:${planning.root}/${path}\n` } : nothing;
};

function isSameContract(one: string, other: string): boolean {
  const [a, b] = [objectIn(one), objectIn(other)];
  return a !== null && b !== null && a.contract_hash !== undefined && a.contract_hash === b.contract_hash;
}

interface MadeContract {
  readonly name: PlanName;
  readonly text: string;
}

async function madeFrom(call: ScriptCall, path: string): Promise<MadeContract | null> {
  const text = path === "" ? null : textAt(call, path);
  if (text === null) return null;
  const file = nameOf(path);
  const isRows = file.endsWith(".jsonl");
  const plan: PlanText | null = isRows ? readPlanRows(text, file).value : readPlan(text, file, await loadYaml()).value;
  if (plan === null) return null;
  const folder = phaseOf(path.split("/").at(-2) ?? "");
  const named = planOf(file, folder?.id ?? plan.phase ?? "");
  const phase = folder?.id ?? named.phase ?? plan.phase;
  const number = named.plan ?? plan.plan;
  if (phase === null || number === null || !isPlain(phase) || !isPlain(number)) return null;
  const files = [...new Set([...plan.files, ...plan.tasks.flatMap((task) => task.files)])];
  const made = contractText({
    name: { phase, plan: number },
    objective: plan.title ?? `${phase}-${number}`,
    tasks: plan.tasks.map((_, index) => `${phase}-${number}-T${index + 1}`),
    allowedPaths: files,
    forbiddenPaths: [],
    dependsOn: plan.dependsOn,
    mustHaves: plan.mustHaves,
    verificationChecks: [],
    tokenBudget: null,
  });
  return { name: { phase, plan: number }, text: made };
}

function isPlain(part: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9.]{0,62}$/.test(part);
}

/** `validate-contract start|end CONTRACT N [files]`: the first violation on standard error; 2 where contracts are hard. */
export const validateContract: Script = (call) => {
  const [mode = "", path = "", task = "", ...files] = call.words;
  const contract = objectIn(textAt(call, path));
  const isHard = call.planning === null || isOn(call.planning, "contracts", ["v2_hard_contracts"]);
  const violation = contract === null ? null : violationOf(contract, { mode, task, files });
  return violation === null ? nothing : { code: isHard ? 2 : 0, stderr: `V2 contract violation (${violation}\n` };
};

interface Checked {
  readonly mode: string;
  readonly task: string;
  readonly files: readonly string[];
}

/** `TYPE): DETAIL` of what a contract does not allow; null: nothing. */
export function violationOf(contract: JsonObject, { mode, task, files }: Checked): string | null {
  if (typeof contract.contract_hash === "string" && contract.contract_hash !== hashOf(contract))
    return "hash_mismatch): the contract was changed after it was generated";
  if (mode === "start") {
    const count = countIn(contract.task_count) ?? 0;
    const number = countIn(task.slice(task.lastIndexOf("T") + 1));
    return number !== null && number >= 1 && number <= count ? null : `task_range): task ${task} outside 1-${count}`;
  }
  const [allowed, forbidden] = [textsIn(contract.allowed_paths), textsIn(contract.forbidden_paths)];
  for (const file of files) {
    if (allowsAny(forbidden, file)) return `forbidden_path): ${file}`;
    // No allowed path means that no scope was declared.
    if (allowed.length > 0 && !allowsAny(allowed, file)) return `out_of_scope): ${file}`;
  }
  return null;
}

function hashOf(contract: JsonObject): string {
  const { contract_hash: _, ...rest } = contract;
  return sha256(`${JSON.stringify(rest, null, 2)}\n`);
}

/** `validate-plan FILE`: `{valid,errors}`. */
export const validatePlan: Script = (call) => {
  const text = textAt(call, call.words[0] ?? "");
  const errors = text === null ? ["plan file not found"] : planErrors(text);
  return { code: errors.length === 0 ? 0 : 1, stdout: compact({ valid: errors.length === 0, errors }) };
};

function planErrors(text: string): readonly string[] {
  const { value, findings } = readRows(text, "plan");
  const [header, ...tasks] = value;
  const errors = findings.map(({ line, why }) => `line ${line ?? 1}: ${why}`);
  if (header === undefined) return [...errors, "plan is empty"];
  const named: readonly (readonly [string, string])[] = [
    ["p", "phase"],
    ["n", "plan"],
    ["t", "title"],
    ["w", "wave"],
    ["d", "depends_on"],
    ["mh", "must_haves"],
  ];
  const isLong = header.row.plan !== undefined || header.row.title !== undefined;
  for (const [short, long] of named) {
    if (header.row[short] !== undefined || header.row[long] !== undefined || (isLong && short === "p")) continue;
    errors.push(`header: missing ${short}`);
  }
  if (tasks.length === 0) errors.push("plan has no tasks");
  const known = new Set<string>();
  for (const { line, row } of tasks) {
    const id = typeof row.id === "string" ? row.id : null;
    if (id === null) errors.push(`line ${line}: task has no id`);
    else if (known.has(id)) errors.push(`line ${line}: task ${id} is there twice`);
    else known.add(id);
    if (row.a === undefined && row.n === undefined) errors.push(`line ${line}: task has no action`);
  }
  return errors;
}

/** `resolve-task-deps --plan FILE`: groups of tasks that can start together; 1 and words on standard error for a circle. */
export const resolveTaskDeps: Script = (call) => {
  const at = call.words.indexOf("--plan");
  const text = textAt(call, call.words[at + 1] ?? "");
  if (at < 0 || text === null) return { code: 1, stderr: "resolve-task-deps: plan file not found\n" };
  const needs = new Map<string, readonly string[]>();
  for (const { row } of readRows(text, "plan").value.slice(1))
    if (typeof row.id === "string") needs.set(row.id, isJsonList(row.td) ? textsIn([...row.td]) : textsIn(row.td));
  const groups: { group: number; tasks: readonly string[] }[] = [];
  const done = new Set<string>();
  while (done.size < needs.size) {
    const free = [...needs].flatMap(([id, before]) => {
      const isFree = !done.has(id) && before.every((each) => done.has(each) || !needs.has(each));
      return isFree ? [id] : [];
    });
    if (free.length === 0) {
      const left = [...needs.keys()].filter((id) => !done.has(id));
      return { code: 1, stderr: `resolve-task-deps: circular dependency among ${left.join(", ")}\n` };
    }
    for (const id of free) done.add(id);
    groups.push({ group: groups.length + 1, tasks: free });
  }
  return { code: 0, stdout: compact(groups) };
};
