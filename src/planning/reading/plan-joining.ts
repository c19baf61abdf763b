/**
 * Plans with their states: what the summary, the log and the execution state say of each, its contract, and the plans that
 * it waits for. Rule: docs/protocol/record.md, section 26.
 */
import { shorten } from "../../base/text.ts";
import {
  type ContractText,
  type Finding,
  type FoundPhase,
  type FoundPlan,
  type FoundTask,
  numberKey,
  type PlanText,
  type SummaryText,
} from "./found.ts";
import { differs } from "./plan-markdown.ts";
import { byNumbers, planKeyOf, planOf } from "./plan-names.ts";
import type { ExecutionText } from "./planning-state.ts";

/** A plan as its file was read, before its state is known. */
export interface ReadPlan {
  readonly key: string;
  readonly id: string;
  readonly phase: string;
  readonly file: string;
  readonly text: PlanText;
}

/** A summary as its file was read. */
export interface ReadSummary {
  readonly file: string;
  readonly text: SummaryText;
}

/** A contract as its file was read. */
export interface ReadContract {
  readonly file: string;
  readonly text: ContractText;
  /** Whether another contract of this plan says something different: which one counts is for the person to decide. */
  readonly isContradicted: boolean;
}

/** What the files of a folder said, by plan. */
export interface Gathered {
  readonly plans: Map<string, ReadPlan>;
  readonly summaries: Map<string, ReadSummary>;
  readonly contracts: Map<string, ReadContract>;
  /** How the log says that plans ended. */
  readonly ended: Map<string, string>;
  readonly executions: { readonly file: string; readonly text: ExecutionText; readonly phase: string | null }[];
  readonly findings: Finding[];
}

/** Keeps a plan's file, unless another one is the same plan. */
export function keepPlan(
  { plans, findings }: Gathered,
  folder: FoundPhase | null,
  path: string,
  shown: string,
  text: PlanText,
): void {
  if (folder === null) {
    findings.push({ file: shown, line: null, why: "It is in no phase's folder; it was left out." });
    return;
  }
  const name = path.slice(path.lastIndexOf("/") + 1);
  const named = planOf(name, folder.id);
  const plan = named.plan ?? text.plan ?? "01";
  if (named.plan !== null) findings.push(...differs(shown, "plan", plan, text.plan));
  findings.push(...differs(shown, "phase", folder.id, text.phase));
  if (named.phase !== null && numberKey(named.phase) !== numberKey(folder.id))
    findings.push({
      file: shown,
      line: null,
      why: `Its name says phase ${named.phase}, its folder ${folder.id}; the folder counts.`,
    });
  const key = planKeyOf(folder.id, plan);
  const other = plans.get(key);
  if (other !== undefined) {
    findings.push({ file: shown, line: null, why: `${other.file} is the same plan; this file was left out.` });
    return;
  }
  plans.set(key, { key, id: `${folder.id}-${plan}`, phase: folder.id, file: shown, text });
}

/** Keeps a summary with the plan that its name means. */
export function keepSummary(
  { summaries, findings }: Gathered,
  folder: FoundPhase | null,
  path: string,
  shown: string,
  text: SummaryText,
): void {
  const named = folder === null ? null : planOf(path.slice(path.lastIndexOf("/") + 1), folder.id);
  if (folder === null || named === null) {
    findings.push({ file: shown, line: null, why: "It is in no phase's folder; it was left out." });
    return;
  }
  const key = planKeyOf(folder.id, named.plan ?? "01");
  if (summaries.has(key))
    findings.push({ file: shown, line: null, why: "Another summary of this plan was read before; it counts." });
  else summaries.set(key, { file: shown, text });
}

/** Keeps a contract. What of it contradicts the first one of its plan is a finding at its line; then neither counts. */
export function keepContract(
  { contracts, findings }: Gathered,
  path: string,
  shown: string,
  { value: text, lineOf }: { readonly value: ContractText | null; lineOf(field: string): number | null },
): void {
  if (text === null) return;
  const stem = path.slice(path.lastIndexOf("/") + 1, -".json".length);
  const [phase, plan] = stem.split("-");
  if (phase === undefined || plan === undefined) {
    findings.push({ file: shown, line: null, why: "Its name has no phase and plan; it was left out." });
    return;
  }
  const key = planKeyOf(phase, plan);
  const other = contracts.get(key);
  if (other === undefined) {
    contracts.set(key, { file: shown, text, isContradicted: false });
    return;
  }
  const contradictions = contractFields.flatMap(({ field, of }) => {
    const [here, there] = [JSON.stringify(of(text)), JSON.stringify(of(other.text))];
    if (here === there) return [];
    const why = `Its ${field} is ${shorten(here, 120)}, that of ${other.file} is ${shorten(there, 120)}. Neither contract is used: remove the wrong one and adopt again.`;
    return [{ file: shown, line: lineOf(field), why }];
  });
  findings.push(...contradictions);
  if (contradictions.length > 0) contracts.set(key, { ...other, isContradicted: true });
}

/** What of a contract counts, in the tool's words. */
const contractFields: readonly { readonly field: string; of(text: ContractText): unknown }[] = [
  { field: "allowed_paths", of: ({ allowed }) => allowed },
  { field: "forbidden_paths", of: ({ forbidden }) => forbidden },
  { field: "verification_checks", of: ({ checks }) => checks },
  { field: "max_token_budget", of: ({ budget }) => budget },
];

/** Every plan in the order of phases and plans; adds its findings to those that were gathered. */
export function joinPlans(gathered: Gathered): readonly FoundPlan[] {
  const { plans, summaries, contracts, findings } = gathered;
  const ordered = [...plans.values()].toSorted((one, other) => byNumbers(one.key, other.key));
  const named = new Map<string, string>();
  const joined = ordered.map((plan): FoundPlan => {
    const state = stateOf(plan, gathered);
    const contract = contracts.get(plan.key);
    const summary = summaries.get(plan.key)?.text ?? null;
    const tasks = tasksOf(plan, state.state === "done" ? (summary?.tasksTotal ?? null) : null, findings);
    return {
      id: plan.id,
      phase: plan.phase,
      title: plan.text.title ?? plan.id,
      file: plan.file,
      tasks,
      dependsOn: plan.text.dependsOn.flatMap((each) => dependency(each, plan, plans, findings)),
      mustHaves: plan.text.mustHaves,
      contract: contract === undefined || contract.isContradicted ? null : contract.text,
      state: state.state,
      stateFrom: state.from,
      commits: state.state === "done" ? freshCommits(summary?.commits ?? [], plan, named, findings) : [],
      deviations: summary?.deviations ?? [],
    };
  });
  for (const [key, { file }] of summaries)
    if (!plans.has(key))
      findings.push({ file, line: null, why: "There is no plan for this summary; it was left out." });
  for (const [key, { file }] of contracts)
    if (!plans.has(key))
      findings.push({ file, line: null, why: "There is no plan for this contract; it was left out." });
  return joined;
}

/** A commit is named by one plan: another one that names it too is credited by the person, not by a file. */
function freshCommits(
  commits: readonly string[],
  { id, file }: ReadPlan,
  named: Map<string, string>,
  findings: Finding[],
): readonly string[] {
  return commits.filter((commit) => {
    const short = commit.slice(0, 7);
    const other = named.get(short);
    if (other === undefined) named.set(short, id);
    else
      findings.push({
        file,
        line: null,
        why: `Its summary names commit ${short}, which plan ${other} names too; it counts there.`,
      });
    return other === undefined;
  });
}

interface State {
  readonly state: FoundPlan["state"];
  readonly from: string | null;
}

function stateOf(plan: ReadPlan, { summaries, ended, executions, findings }: Gathered): State {
  const summary = summaries.get(plan.key);
  if (summary !== undefined) {
    const { status } = summary.text;
    if (status === "complete") return { state: "done", from: summary.file };
    findings.push({ file: summary.file, line: null, why: `It says ${status}: the tasks of plan ${plan.id} are open.` });
    return { state: status === "failed" ? "failed" : "open", from: summary.file };
  }
  const end = ended.get(plan.key);
  if (end !== undefined) {
    if (["complete", "completed", "done", "ok", "success"].includes(end))
      return { state: "done", from: "the event log" };
    findings.push({
      file: plan.file,
      line: null,
      why: `The event log says that it ended as ${end}: its tasks are open.`,
    });
    return { state: "failed", from: "the event log" };
  }
  for (const { file, text, phase } of executions) {
    const said = text.plans.find(({ id }) => isPlan(id, phase, plan));
    if (said === undefined) continue;
    if (said.status === "complete" || said.status === "completed" || said.status === "done")
      return { state: "done", from: file };
    if (said.status === "failed") return { state: "failed", from: file };
  }
  return { state: "open", from: null };
}

function isPlan(id: string, phase: string | null, plan: ReadPlan): boolean {
  const parts = id.split("-");
  const [first = "", second] = parts;
  if (second === undefined) return phase !== null && planKeyOf(phase, first) === plan.key;
  return planKeyOf(first, parts.slice(1).join("-")) === plan.key;
}

/** The tasks with their ids; files of the plan as a whole belong to its only task, or to each that names none. */
function tasksOf(plan: ReadPlan, total: number | null, findings: Finding[]): readonly FoundTask[] {
  const { text, id, file } = plan;
  const counted = total === null || total < 1 || total > 200 ? text.tasks.length : total;
  if (counted !== text.tasks.length)
    findings.push({
      file,
      line: null,
      why: `It has ${text.tasks.length} tasks, its summary says ${counted}; the summary counts.`,
    });
  const none: PlanText["tasks"][number] = { id: null, title: null, files: [], dependsOn: [] };
  const isAlone = counted === 1;
  const tasks = Array.from({ length: counted }, (_, index) => text.tasks[index] ?? none);
  return withIds(id, tasks, file, findings).map((task) => ({
    ...task,
    files: task.files.length > 0 ? task.files : isAlone ? text.files : [],
  }));
}

/**
 * Tasks with their ids in Baton: their numbers in the plan, and for one without a number, or with another's, the first
 * that is free. What a task waits for is a task of the same plan, by its id as written or its number.
 */
export function withIds(
  plan: string,
  tasks: PlanText["tasks"],
  file: string,
  findings: Finding[],
): readonly FoundTask[] {
  const said = tasks.map(({ id }) => (id === null ? null : numberAt(id)));
  const used = new Set(said);
  const numbers = said.map((number, index) => {
    if (number !== null && said.indexOf(number) === index) return number;
    let free = 1;
    while (used.has(free)) free += 1;
    used.add(free);
    return free;
  });
  const renamed = tasks.flatMap(({ id }, index) =>
    id === null || said[index] === numbers[index] ? [] : [`"${shorten(id, 40)}" is ${plan}-T${numbers[index]}`],
  );
  if (renamed.length > 0)
    findings.push({ file, line: null, why: `Ids without a number of their own: ${shorten(renamed.join(", "), 200)}.` });
  const meant = (written: string) => {
    const index = tasks.findIndex(({ id }) => id === written);
    const number = numbers[index] ?? numberAt(written);
    return number !== null && numbers.includes(number) ? [`${plan}-T${number}`] : [];
  };
  return tasks.map((task, index) => ({
    ...task,
    id: `${plan}-T${numbers[index]}`,
    dependsOn: task.dependsOn.flatMap(meant),
  }));
}

/** The number at the end of an id: `T1`, `01-02-T1`, `task-1`; null: it has none. */
function numberAt(written: string): number | null {
  const digits = /\d{1,9}$/.exec(written)?.[0];
  return digits === undefined ? null : Number(digits);
}

/** The plan that `depends_on` means: `01-02`, `1-2`, `PLAN-02`, or the number of a plan in the same phase. */
function dependency(
  written: string,
  { phase, key, file }: ReadPlan,
  plans: Gathered["plans"],
  findings: Finding[],
): readonly string[] {
  const parts = written.split("-").filter((part) => part !== "PLAN" && part !== "plan" && part !== "phase");
  const [first = "", second] = parts;
  const meant = second === undefined ? planKeyOf(phase, first) : planKeyOf(first, parts.slice(1).join("-"));
  const plan = plans.get(meant) ?? plans.get(planKeyOf(phase, written));
  if (plan !== undefined && plan.key !== key) return [plan.id];
  const why = `It depends on "${written}", which is no plan of this folder; nothing waits for it.`;
  findings.push({ file, line: null, why: why.slice(0, 300) });
  return [];
}
