/** Scripts that guard steps, files and messages. Rule: docs/protocol/record.md, section 29. */
import { isJsonObject, type JsonObject } from "../../../base/json.ts";
import { allowsAny } from "../../../base/paths/scope.ts";
import { countIn, numberKey, textsIn } from "../../../intake/planning/found.ts";
import { textOf } from "../../../intake/planning/plan-markdown.ts";
import { phaseOf, planOf } from "../../../intake/planning/plan-names.ts";
import { readRows } from "../../../intake/planning/plan-rows.ts";
import { violationOf } from "./plan-scripts.ts";
import { compact, isOn, objectIn, optionIn, type Planning, type Script, type ScriptCall, textAt } from "./script.ts";
import { appendEvent } from "./work-scripts.ts";

interface GateResult {
  readonly result: "pass" | "fail";
  readonly evidence: string;
}

const pass = (evidence: string): GateResult => ({ result: "pass", evidence });
const fail = (evidence: string): GateResult => ({ result: "fail", evidence });

interface GateCall extends ScriptCall {
  readonly planning: Planning;
  readonly gate: { readonly phase: string; readonly plan: string; readonly task: string; readonly contract: string };
}

/** The gates that need nothing but the folder. Others run commands or ask git; the tool's own script answers them. */
const gates: { readonly [type: string]: ((call: GateCall) => GateResult) | undefined } = {
  __proto__: null as never,
  contract_compliance(call) {
    const { task, contract } = call.gate;
    const object = objectIn(textAt(call, contract));
    if (object === null) return fail("contract file not found");
    const violation = violationOf(object, { mode: "start", task, files: [] });
    if (violation === null) return pass("hash verified, task in range");
    if (violation.startsWith("hash_mismatch")) return fail("contract hash mismatch");
    return fail(`task ${task} outside range 1-${countIn(object.task_count) ?? 0}`);
  },
  artifact_persistence({ planning, gate: { phase, plan } }) {
    const folder = phaseFolder(planning, phase);
    if (folder === null) return pass("phase dir not found");
    const names = planning.files.names(folder);
    const missing = names.flatMap((name) => {
      const number = name.endsWith("-PLAN.md") ? planOf(name, phase).plan : null;
      const isBefore = number !== null && Number(number) < Number(plan);
      return isBefore && !names.includes(name.replace("-PLAN.md", "-SUMMARY.md")) ? [`plan-${number}`] : [];
    });
    return missing.length > 0
      ? fail(`missing SUMMARY.md for: ${missing.map((each) => `${each} `).join("")}`)
      : pass("all prior plan artifacts present");
  },
  verification_threshold({ planning, gate: { phase } }) {
    const folder = phaseFolder(planning, phase);
    if (folder === null) return pass("phase dir not found");
    const name = planning.files.names(folder).find((each) => /VERIFICATION[^/]{0,80}\.md$/.test(each));
    const tier = typeof planning.config.verification_tier === "string" ? planning.config.verification_tier : "standard";
    if (name === undefined)
      return tier === "quick" || tier === "skip"
        ? pass(`verification not required (tier=${tier})`)
        : fail(`VERIFICATION.md missing (tier=${tier})`);
    const text = planning.files.read(`${folder}/${name}`) ?? "";
    const stated = text.split("\n").find((line) => line.startsWith("result:"));
    const said = (stated ?? text).toUpperCase();
    // A failure counts also where the text has passed checks next to it.
    if (said.includes("FAIL") || said.includes("PARTIAL")) return fail("verification failed");
    return said.includes("PASS") ? pass("verification passed") : pass("verification status unclear, fail-open");
  },
};

function phaseFolder({ files }: Planning, phase: string): string | null {
  const name = files
    .folders("phases")
    .find((each) => numberKey(phaseOf(each)?.id ?? "") === numberKey(phase) && phaseOf(each) !== null);
  return name === undefined ? null : `phases/${name}`;
}

/** `hard-gate TYPE PHASE PLAN TASK CONTRACT`: one gate; 2 where it fails, and an event. */
export const hardGate: Script = (call) => {
  const [type = "", phase = "", plan = "", task = "", contract] = call.words;
  if (contract === undefined) {
    const answer = { gate: "unknown", result: "error", evidence: "insufficient arguments", ts: "unknown" };
    return { code: 0, stdout: compact(answer) };
  }
  const { planning } = call;
  const check = gates[type];
  const ts = `${new Date(call.nowMs).toISOString().slice(0, 19)}Z`;
  const autonomy = typeof planning?.config.autonomy === "string" ? planning.config.autonomy : "unknown";
  if (planning === null || !isOn(planning, "hard_gates", ["v2_hard_gates"])) {
    const answer = { gate: type, result: "skip", evidence: "v2_hard_gates=false", autonomy, ts };
    return { code: 0, stdout: compact(answer) };
  }
  if (check === undefined) {
    const answer = { gate: type, result: "skip", evidence: "the tool's own script answers this gate", autonomy, ts };
    return { code: 0, stdout: compact(answer) };
  }
  const { result, evidence } = check({ ...call, planning, gate: { phase, plan, task, contract } });
  const event = result === "fail" ? "gate_failed" : "gate_passed";
  appendEvent(call, planning, { event, phase, plan, data: { gate: type, task, evidence } });
  return { code: result === "fail" ? 2 : 0, stdout: compact({ gate: type, result, evidence, autonomy, ts }) };
};

/** What must be there before a step of the company line. `*.plan.jsonl`: any such file. */
const neededBefore: { readonly [step: string]: readonly (readonly [file: string, unlessSkipped: string | null])[] } = {
  __proto__: null as never,
  critique: [],
  research: [["research.jsonl", "research"]],
  architecture: [["critique.jsonl", "critique"]],
  planning: [["architecture.toon", "architecture"]],
  design_review: [["*.plan.jsonl", null]],
  test_authoring: [["*.plan.jsonl", null]],
  implementation: [["*.plan.jsonl", null]],
  code_review: [["*.plan.jsonl", null]],
  qa: [["code-review.jsonl", null]],
  security: [["verification.jsonl", "qa"]],
  signoff: [
    ["security-audit.jsonl", "security"],
    ["code-review.jsonl", null],
  ],
  post_task_qa: [[".qa-gate-results.jsonl", "post_task_qa"]],
  post_plan_qa: [[".qa-gate-results.jsonl", "post_plan_qa"]],
};

/** `validate-gates --step S --phase-dir P`: what is missing before a step; 1 where something is. */
export const validateGates: Script = (call) => {
  const [step, given] = [optionIn(call.words, "step") ?? "", optionIn(call.words, "phase-dir")];
  const needed = neededBefore[step];
  if (given === null || step === "") return { code: 1, stderr: "Usage: validate-gates --step S --phase-dir P\n" };
  if (needed === undefined) return { code: 1, stderr: `ERROR: Unknown step: ${step.slice(0, 40)}\n` };
  const read = (name: string) => textAt(call, `${given}/${name}`);
  const state = objectIn(read(".execution-state.json"));
  const steps = isJsonObject(state?.steps ?? null) ? (state?.steps as JsonObject) : {};
  const statusOf = (name: string) => {
    const own = steps[name] ?? null;
    return isJsonObject(own) ? own.status : null;
  };
  const plans = call.planning === null ? [] : planRows(call, given);
  const missing = needed.flatMap(([file, skipped]) => {
    if (skipped !== null && statusOf(skipped) === "skipped") return [];
    return (file === "*.plan.jsonl" ? plans.length > 0 : (read(file) ?? "") !== "") ? [] : [file];
  });
  const rowsOf = (name: string) => readRows(read(name) ?? "", name).value.map(({ row }) => row);
  if ((step === "qa" || step === "signoff") && !missing.includes("code-review.jsonl")) {
    const result = word(rowsOf("code-review.jsonl")[0]?.r);
    if (result !== "approve") missing.push(`code-review.jsonl: r must be 'approve' (got '${result}')`);
  }
  if (step === "test_authoring" || step === "implementation")
    for (const { name, tasks } of plans)
      if (tasks.some(({ spec }) => spec === undefined || spec === ""))
        missing.push(`${name}: tasks missing spec field`);
  const tested = step === "implementation" && statusOf("test_authoring") === "complete";
  if (tested && (read("test-plan.jsonl") ?? "") === "") missing.push("test-plan.jsonl (test_authoring step completed)");
  if (step === "code_review")
    for (const { id } of plans) if ((read(`${id}.summary.jsonl`) ?? "") === "") missing.push(`${id}.summary.jsonl`);
  const level = step === "post_task_qa" ? "post-task" : step === "post_plan_qa" ? "post-plan" : null;
  const results = level === null ? [] : rowsOf(".qa-gate-results.jsonl");
  if (results.length > 0 && !results.some(({ gl }) => gl === level))
    missing.push(`${level} gate results in .qa-gate-results.jsonl`);
  const gate = missing.length === 0 ? "pass" : "fail";
  return { code: gate === "pass" ? 0 : 1, stdout: `${JSON.stringify({ gate, step, missing }, null, 2)}\n` };
};

function planRows(call: ScriptCall, phaseDir: string) {
  const below = phaseDir.split("/").findLast((part) => part !== "") ?? "";
  const names = call.planning?.files.names(`phases/${below}`) ?? [];
  return names
    .filter((name) => name.endsWith(".plan.jsonl"))
    .map((name) => {
      const [header, ...tasks] = readRows(textAt(call, `${phaseDir}/${name}`) ?? "", name).value.map(({ row }) => row);
      return { name, id: `${textOf(header?.p) ?? ""}-${textOf(header?.n) ?? ""}`, tasks };
    });
}

/** What a hook is asked. */
async function inputOf(call: ScriptCall): Promise<{ readonly tool: string; readonly input: JsonObject }> {
  const asked = objectIn(await call.input());
  const input = isJsonObject(asked?.tool_input ?? null) ? (asked?.tool_input as JsonObject) : {};
  return { tool: word(asked?.tool_name), input };
}

function word(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function denial(reason: string): string {
  const decision = { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: reason };
  return compact({ hookSpecificOutput: decision });
}

/**
 * `file-guard` before a file is written: denied is what a contract of an open plan forbids, and what is archived. The files
 * that the first open plan names bind nobody: others work on other plans.
 */
export const fileGuard: Script = async (call) => {
  const { planning } = call;
  const path = word((await inputOf(call)).input.file_path);
  if (planning === null || path === "") return { code: 0 };
  const blocked = blockedFile(call, planning, path);
  if (blocked === null) return { code: 0 };
  const isCompany = planning.origin === "yolo-company";
  return isCompany ? { code: 0, stdout: denial(`Blocked: ${blocked}`) } : { code: 2, stderr: `Blocked: ${blocked}\n` };
};

function blockedFile({ environment }: ScriptCall, planning: Planning, path: string): string | null {
  const { project, root, files, origin } = planning;
  const own = path.startsWith(`${project}/`) ? path.slice(project.length + 1) : path.replace(/^\.\//, "");
  if (own.startsWith(`${root}/milestones/`) && own.includes("/phases/") && origin === "vbw-later")
    return `writes to archived milestone phases are not allowed (${path})`;
  if (own.startsWith(`${root}/`)) return null;
  const role = environment.VBW_AGENT_ROLE ?? "";
  if (planning.config.v2_role_isolation === true && ["lead", "architect", "qa", "scout"].includes(role))
    return `role '${role}' cannot write outside ${root}/ (v2_role_isolation)`;
  if (!isOn(planning, "contracts", ["v2_hard_contracts"])) return null;
  for (const name of files.names(".contracts").filter((each) => each.endsWith(".json") && !each.includes(".rev"))) {
    const contract = objectIn(files.read(`.contracts/${name}`));
    const forbidden = textsIn(contract?.forbidden_paths);
    if (forbidden.length === 0 || !allowsAny(forbidden, own)) continue;
    const [phase = "", plan = ""] = name.slice(0, -".json".length).split("-");
    if (!isPlanDone(planning, phase, plan))
      return `${own} is a forbidden path in contract (${root}/.contracts/${name})`;
  }
  return null;
}

function isPlanDone(planning: Planning, phase: string, plan: string): boolean {
  const folder = phaseFolder(planning, phase);
  return (folder === null ? [] : planning.files.names(folder)).some((name) => {
    const number = name.endsWith("SUMMARY.md") ? planOf(name, phase).plan : null;
    return number !== null && numberKey(number) === numberKey(plan);
  });
}

/** The department of an agent of the company line by its name; null: the name is none of the tool's. */
function departmentOf(agent: string): "backend" | "frontend" | "uiux" | "shared" | null {
  if (agent.startsWith("yolo-fe-")) return "frontend";
  if (agent.startsWith("yolo-ux-")) return "uiux";
  if (["owner", "critic", "scout", "debugger", "security"].some((role) => agent === `yolo-${role}`)) return "shared";
  return agent.startsWith("yolo-") ? "backend" : null;
}

const design = ["design/", "wireframes/", "design-tokens/"];
const plugin = ["scripts/", "agents/", "hooks/", "config/"];
const pages = ["frontend/", "src/components/", "src/pages/", "src/hooks/", "src/styles/"];

/** What is another department's, by the department that asks. */
const others: { readonly [department: string]: readonly (readonly [owner: string, folders: readonly string[]])[] } = {
  backend: [
    ["frontend", pages],
    ["uiux", design],
  ],
  frontend: [
    ["backend/plugin", plugin],
    ["uiux", design],
  ],
  uiux: [["implementation", ["src/", ...plugin]]],
};

const writingWords = [">", "tee ", "cp ", "mv ", "mkdir ", "sed -i", "install "];

/** `department-guard` before a tool writes: denied is what is in another department's folders. */
export const departmentGuard: Script = async (call) => {
  const { planning } = call;
  const agent = planning?.files.read(".active-agent")?.trim() ?? "";
  const department = departmentOf(agent);
  if (planning === null || department === null || department === "shared") return { code: 0 };
  const { tool, input } = await inputOf(call);
  const given = word(input.file_path ?? input.filePath);
  const path = given.startsWith(`${planning.project}/`) ? given.slice(planning.project.length + 1) : given;
  const lines = tool === "Bash" ? word(input.command).split("\n") : [];
  const isMet = (folder: string) =>
    tool === "Bash" ? lines.some((line) => writesInto(line, folder)) : path.startsWith(folder);
  const owner = others[department]?.find(([, folders]) => folders.some(isMet))?.[0];
  if (owner === undefined || path.includes(".yolo-planning/")) return { code: 0 };
  const [where, whose] = tool === "Bash" ? ["<detected in bash command>", "another"] : [given, owner];
  const words = `BLOCKED: ${agent} (${department} department) cannot write to ${where} — owned by ${whose} department. Cross-department writes are not allowed.`;
  return { code: 0, stdout: denial(words) };
};

/** Whether a word that writes comes before the folder in a line of a shell. */
function writesInto(line: string, folder: string): boolean {
  const last = line.lastIndexOf(folder);
  return last > 0 && writingWords.some((each) => line.slice(0, last).includes(each));
}

/** `validate-send-message` after a message: a warning where it leaves its sender's department; leads may. */
export const validateSendMessage: Script = async (call) => {
  const sender = call.planning?.files.read(".active-agent")?.trim() ?? "";
  const { tool, input } = await inputOf(call);
  const recipient = word(input.recipient ?? input.to);
  const [from, to] = [departmentOf(sender), departmentOf(recipient)];
  const isLead = (agent: string) => agent.endsWith("-lead");
  const isFree =
    tool !== "SendMessage" || from === null || recipient === "" || from === to || from === "shared" || to === "shared";
  if (isFree || (isLead(sender) && isLead(recipient))) return { code: 0 };
  const additionalContext = `WARNING: ${sender} (${from}) sent cross-department message to ${recipient} (${to ?? "unknown"}). Cross-department communication must go through department Leads → Owner. Use escalation chain.`;
  return { code: 0, stdout: `${JSON.stringify({ hookSpecificOutput: { additionalContext } }, null, 2)}\n` };
};
