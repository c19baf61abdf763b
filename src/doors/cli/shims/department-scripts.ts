/** Scripts of the company line about departments, gates and escalations. Rule: docs/protocol/record.md, section 29. */
import { isJsonList, isJsonObject, type JsonObject } from "../../../base/json.ts";
import { countIn } from "../../../intake/planning/found.ts";
import { phaseOf } from "../../../intake/planning/plan-names.ts";
import { escalationFields, readRows } from "../../../intake/planning/plan-rows.ts";
import { belowPlanning, compact, objectIn, optionIn, type Script, type ScriptCall } from "./script.ts";

const seconds = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}Z`;

/** The folder of a phase that `--phase-dir` names, below the planning folder; null: it names none. */
function phaseDir(call: ScriptCall): string | null {
  const below = belowPlanning(call, optionIn(call.words, "phase-dir") ?? "");
  if (below === null) return null;
  const [top, folder, ...more] = below.split("/");
  return top === "phases" && folder !== undefined && more.length === 0 && phaseOf(folder) !== null ? below : null;
}

const departments = ["backend", "frontend", "uiux"];

/** `dept-status --dept D --phase-dir P --action read|write …`: the file, or its eight keys written. */
export const deptStatus: Script = (call) => {
  const { planning, words, nowMs } = call;
  const [phase, dept] = [phaseDir(call), optionIn(words, "dept") ?? ""];
  if (planning === null || phase === null || !departments.includes(dept))
    return { code: 1, stderr: "dept-status: --dept and --phase-dir are needed\n" };
  const path = `${phase}/.dept-status-${dept}.json`;
  const text = planning.files.read(path);
  const action = optionIn(words, "action") ?? "read";
  if (action === "read")
    return text === null ? { code: 1, stderr: `dept-status: no status of ${dept}\n` } : { code: 0, stdout: text };
  if (action !== "write") return { code: 1, stderr: `dept-status: unknown action ${action.slice(0, 40)}\n` };
  const before = objectIn(text) ?? {};
  const next = {
    dept,
    status: optionIn(words, "status") ?? before.status ?? "pending",
    step: optionIn(words, "step") ?? before.step ?? "",
    started_at: before.started_at ?? seconds(nowMs),
    updated_at: seconds(nowMs),
    plans_complete: countIn(optionIn(words, "plans-complete") ?? undefined) ?? before.plans_complete ?? 0,
    plans_total: countIn(optionIn(words, "plans-total") ?? undefined) ?? before.plans_total ?? 0,
    error: optionIn(words, "error") ?? before.error ?? "",
  };
  return planning.files.write(path, `${JSON.stringify(next, null, 2)}\n`) ? { code: 0 } : { code: 2 };
};

/** `dept-gate --gate G --phase-dir P`: 0 where it is met. Without `--no-poll` it waits for that. */
export const deptGate: Script = async (call) => {
  const { words, planning, wait } = call;
  const phase = phaseDir(call);
  const gate = optionIn(words, "gate") ?? "";
  const isMet = gates[gate];
  if (planning === null || phase === null || isMet === undefined)
    return { code: 1, stderr: `dept-gate: unknown gate ${gate.slice(0, 40)}, or no --phase-dir\n` };
  const timeout = countIn(optionIn(words, "timeout") ?? undefined) ?? 1_800;
  const interval = Math.max(1, countIn(optionIn(words, "poll-interval") ?? undefined) ?? 5);
  for (let waited = 0; ; waited += interval) {
    if (isMet(call, phase)) return { code: 0 };
    if (words.includes("--no-poll") || waited >= timeout) return { code: 1 };
    await wait(interval * 1_000);
  }
};

type Gate = (call: ScriptCall, phase: string) => boolean;

const isDesignDone: Gate = ({ planning }, phase) => {
  if (planning === null) return false;
  if (planning.files.read(`${phase}/.handoff-ux-complete`) !== null) return true;
  return objectIn(planning.files.read(`${phase}/.dept-status-uiux.json`))?.status === "complete";
};

/** Every endpoint's last word is that it is agreed or implemented, and there is one. */
const isApiAgreed: Gate = ({ planning }, phase) => {
  const text = planning?.files.read(`${phase}/api-contracts.jsonl`) ?? null;
  if (text === null) return false;
  const last = new Map<string, string>();
  for (const { row } of readRows(text, "api-contracts.jsonl").value) {
    const endpoint = typeof row.endpoint === "string" ? row.endpoint : `${word(row.method)} ${word(row.path)}`;
    last.set(endpoint, word(row.status));
  }
  return last.size > 0 && [...last.values()].every((status) => status === "agreed" || status === "implemented");
};

function word(value: unknown): string {
  return typeof value === "string" ? value : "";
}

const areAllDone: Gate = ({ planning }, phase) => {
  const states = departments.flatMap((dept) => {
    const text = planning?.files.read(`${phase}/.dept-status-${dept}.json`) ?? null;
    return text === null ? [] : [objectIn(text)?.status ?? ""];
  });
  return states.length > 0 && states.every((status) => status === "complete");
};

/** The names of one gate differ between the scripts, so both are taken. */
const gates: { readonly [name: string]: Gate | undefined } = {
  __proto__: null as never,
  "ux-complete": isDesignDone,
  "handoff-ux-complete": isDesignDone,
  "api-contract": isApiAgreed,
  "all-depts": areAllDone,
  "all-depts-complete": areAllDone,
};

/** `check-escalation-timeout --phase-dir P [--config F]`: what waits too long; 1 where something does. */
export const checkEscalationTimeout: Script = (call) => {
  const { planning, nowMs } = call;
  const phase = phaseDir(call);
  if (planning === null) return { code: 0, stdout: compact({ timed_out: [], active: [], resolved: 0 }) };
  const { config, files } = planning;
  const settings = isJsonObject(config.escalation ?? null) ? (config.escalation as JsonObject) : {};
  const limit = countIn(settings.timeout_seconds) ?? 300;
  const paths = [...(phase === null ? [] : [`${phase}/.execution-state.json`]), ".execution-state.json"];
  const rows = paths.flatMap((path) => {
    const { escalations } = objectIn(files.read(path)) ?? {};
    return isJsonList(escalations) ? escalations.filter(isJsonObject) : [];
  });
  const answer = { timed_out: [] as JsonObject[], active: [] as JsonObject[], resolved: 0 };
  for (const row of rows) {
    const { id, task, since, isOpen } = escalationFields(row);
    if (!isOpen) {
      answer.resolved += 1;
      continue;
    }
    const at = since === null ? Number.NaN : Date.parse(since);
    // What has no time began now.
    const elapsed = Number.isNaN(at) ? 0 : Math.max(0, Math.floor((nowMs - at) / 1_000));
    const shown = { id: id ?? "", task: task ?? "", elapsed_seconds: elapsed };
    if (elapsed > limit) answer.timed_out.push({ ...shown, recommended_action: "escalate_to_next_level" });
    else answer.active.push(shown);
  }
  return { code: answer.timed_out.length > 0 ? 1 : 0, stdout: compact(answer) };
};

/** `compute-dev-count --available N`: N, at most five. */
export const computeDevCount: Script = ({ words }) => {
  const count = countIn(optionIn(words, "available") ?? undefined);
  if (count === null) return { code: 1, stderr: "compute-dev-count: --available needs a number\n" };
  return { code: 0, stdout: `${Math.min(count, 5)}\n` };
};
