/** Where the plans of a planning folder are: their files, their phases' folders, and the names of what belongs to them. */

import { phaseKey } from "../../messages/task-ids.ts";
import type { PhaseFolders } from "../../phases/services/phase-rows.ts";
import type { PlanName } from "../handlers/folder-forms.ts";
import { numberKey } from "../reading/found.ts";
import { kindOf, phaseOfPath, planKeyOf, planOf } from "../reading/plan-names.ts";

/** A plan with its files; paths are below the planning folder. */
export interface PlanPlace extends PlanName {
  /** Where its summary is, or would be; null: there is no folder for it. */
  readonly summary: string | null;
  readonly contract: string;
}

/** What is where. */
export interface FolderLayout {
  /** The place of a plan by its id, `01-02`; null: the id names no phase and plan. */
  placeOf(id: string): PlanPlace | null;
  /** The name of the phase with that number, by its folder; null: it has none. */
  phaseOf(phase: string): { readonly id: string; readonly title: string; readonly folder: string } | null;
  readonly phases: PhaseFolders;
  /** Where the summaries of a phase's plans are, or would be; without those of its remediation rounds. */
  summariesOf(phase: string): readonly string[];
  /** Whether every plan of the phase has a summary, and there is one. */
  isOver(phase: string): boolean;
  /** Whether plans are rows, as the company line of YOLO has them. */
  readonly isCompany: boolean;
  has(path: string): boolean;
}

/** The layout of a folder that holds these files. */
export function folderLayout(files: readonly string[]): FolderLayout {
  const there = new Set(files);
  const plans = new Map<string, { readonly name: PlanName; readonly summary: string }>();
  const contracts = new Map<string, string>();
  const phases = new Map<string, { readonly id: string; readonly title: string; readonly folder: string }>();
  const summaries = new Map<string, string>();
  let isCompany = false;
  for (const path of files) {
    const kind = kindOf(path);
    const parts = path.split("/");
    const name = parts.at(-1) ?? "";
    if (kind === "contract") {
      const [phase, plan] = name.slice(0, -".json".length).split("-");
      if (phase !== undefined && plan !== undefined) contracts.set(planKeyOf(phase, plan), path);
      continue;
    }
    const phase = phaseOfPath(path);
    if (phase === null || parts[1] === undefined) continue;
    const key = numberKey(phase.id);
    if (!phases.has(key)) phases.set(key, { id: phase.id, title: phase.name, folder: parts[1] });
    const isRows = kind === "plan-rows";
    isCompany ||= isRows;
    if (kind === "summary" || kind === "summary-rows") {
      const plan = planOf(name, phase.id).plan ?? "01";
      if (!summaries.has(planKeyOf(phase.id, plan))) summaries.set(planKeyOf(phase.id, plan), path);
    }
    if (kind !== "plan" && !isRows) continue;
    const plan = planOf(name, phase.id).plan ?? "01";
    const planKey = planKeyOf(phase.id, plan);
    if (plans.has(planKey)) continue;
    const own = isRows ? name.replace(".plan.jsonl", ".summary.jsonl") : summaryName(name);
    plans.set(planKey, { name: { phase: phase.id, plan }, summary: [...parts.slice(0, -1), own].join("/") });
  }
  const folders = new Map([...phases.values()].map(({ id, folder }) => [phaseKey(id) ?? id, folder]));
  return {
    isCompany,
    phases: folders,
    has: (path) => there.has(path),
    summariesOf: (phase) =>
      [...plans].flatMap(([key, { summary }]) => {
        const path = summaries.get(key) ?? summary;
        return key.startsWith(`${numberKey(phase)}/`) && path.split("/").length === 3 ? [path] : [];
      }),
    isOver(phase) {
      const own = [...plans.keys()].filter((key) => key.startsWith(`${numberKey(phase)}/`));
      return own.length > 0 && own.every((key) => summaries.has(key));
    },
    phaseOf: (phase) => phases.get(numberKey(phase)) ?? null,
    placeOf(id) {
      const parts = id.split("-").filter((part) => part !== "phase" && part !== "plan");
      const [phase, ...rest] = parts;
      if (phase === undefined || rest.length === 0) return null;
      const key = planKeyOf(phase, rest.join("-"));
      const plan = plans.get(key);
      const folder = phases.get(numberKey(phase));
      const name = plan?.name ?? { phase: folder?.id ?? phase, plan: rest.join("-") };
      const usual = folder === undefined ? null : usualSummary(folder.folder, name, isCompany);
      const summary = summaries.get(key) ?? plan?.summary ?? usual;
      const contract = contracts.get(key) ?? `.contracts/${name.phase}-${name.plan}.json`;
      return isPlainName(name.phase) && isPlainName(name.plan) ? { ...name, summary, contract } : null;
    },
  };
}

/** The summary next to a plan: SUMMARY in place of PLAN at the end of its name, else behind it. */
function summaryName(plan: string): string {
  const stem = plan.slice(0, -".md".length);
  if (stem === "PLAN") return "SUMMARY.md";
  return stem.endsWith("-PLAN") ? `${stem.slice(0, -"-PLAN".length)}-SUMMARY.md` : `${stem}-SUMMARY.md`;
}

function usualSummary(folder: string, { phase, plan }: PlanName, isCompany: boolean): string {
  return `phases/${folder}/${phase}-${plan}${isCompany ? ".summary.jsonl" : "-SUMMARY.md"}`;
}

/** Ids of plans are agents' words: only such become names of files. */
function isPlainName(part: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9.-]{0,62}$/.test(part) && !part.includes("..");
}
