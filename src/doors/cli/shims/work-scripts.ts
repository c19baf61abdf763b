/**
 * Scripts about finished tasks, events and messages. Rule: docs/protocol/record.md, section 29.
 */
import { dirname, join, resolve } from "node:path";
import { newMessageId } from "../../../base/new-ids.ts";
import { textsIn } from "../../../intake/planning/found.ts";
import { asWritten } from "../../../runtime/planning/folder-forms.ts";
import { violationOf } from "./plan-scripts.ts";
import { compact, isOn, objectIn, type Planning, type Script, type ScriptCall, stamp, textAt } from "./script.ts";

const logFile = ".events/event-log.jsonl";

/**
 * `validate-message [JSON]`: the answer of the drop-in, by the revision whose schemas are next to the script, else by the
 * one that wrote the folder. A message that is not valid is an event.
 */
export const validateMessage: Script = async (call) => {
  const text = call.words[0] ?? (await call.input());
  const answer =
    text === null ? { valid: false, errors: ["message too large"] } : await call.judge(text, revisionOf(call));
  const { planning } = call;
  if (!answer.valid && planning !== null && isOn(planning, "event_log", ["v3_event_log"])) {
    const { phase, type } = objectIn(text) ?? {};
    const said = typeof phase === "number" || typeof phase === "string" ? String(phase).slice(0, 40) : "0";
    const kind = typeof type === "string" ? { type: type.slice(0, 80) } : {};
    const data = { ...kind, errors: answer.errors.join("; ").slice(0, 500) };
    appendEvent(call, planning, { event: "message_rejected", phase: said, plan: null, data });
  }
  return { code: answer.valid ? 0 : 2, stdout: compact(answer) };
};

/** Only VBW's later revisions have a report of debuggers of this form among their schemas. */
function revisionOf(call: ScriptCall): string | null {
  const { script, planning } = call;
  const beside = script === null ? null : resolve(call.directory, dirname(script), "../config/schemas");
  const schemas = beside === null ? null : textAt(call, join(beside, "message-schemas.json"));
  if (planning?.origin.startsWith("yolo")) return null;
  if (schemas !== null) return schemas.includes('"debugger_report"') ? "vbw/2.1" : "vbw/2";
  return planning?.origin === "vbw-later" ? "vbw/2.1" : null;
}

/** Events that the tools' own log knows. */
const knownEvents = new Set(
  "phase_start phase_end plan_start plan_end agent_spawn agent_shutdown gate_passed gate_failed shutdown_sent shutdown_received milestone_shipped task_created task_claimed task_started task_blocked task_reassigned task_completed_candidate task_completed_confirmed task_completion_rejected artifact_written message_rejected file_conflict snapshot_restored state_recovered contract_revision token_overage".split(
    " ",
  ),
);

/** `log-event TYPE PHASE [PLAN] [k=v …]`: one line in the event log. */
export const logEvent: Script = (call) => {
  const { planning, words } = call;
  const [type = "", phase = "", ...rest] = words;
  if (planning === null || type === "" || !isOn(planning, "event_log", ["v3_event_log"])) return { code: 0 };
  const [first] = rest;
  const plan = first === undefined || first.includes("=") ? null : first;
  const pairs = rest.slice(plan === null ? 0 : 1).flatMap((word) => {
    const at = word.indexOf("=");
    return at > 0 ? [[word.slice(0, at), word.slice(at + 1)] as const] : [];
  });
  appendEvent(call, planning, { event: type, phase, plan, data: Object.fromEntries(pairs) });
  const isKnown = knownEvents.has(type);
  return {
    code: 0,
    ...(isKnown ? {} : { stderr: `[log-event] WARNING: unknown event type '${type.slice(0, 60)}'\n` }),
  };
};

interface Logged {
  readonly event: string;
  readonly phase: string;
  readonly plan: string | null;
  readonly data: { readonly [key: string]: string };
}

/** Appends one event to the tool's log. */
export function appendEvent(
  { nowMs, environment }: ScriptCall,
  { files }: Planning,
  { event, phase, plan, data }: Logged,
): void {
  const correlation = environment.VBW_CORRELATION_ID;
  const line = {
    ts: stamp(nowMs),
    event_id: newMessageId(),
    ...(correlation === undefined || correlation === "" ? {} : { correlation_id: correlation }),
    event,
    phase: asWritten(phase),
    ...(plan === null ? {} : { plan: asWritten(plan) }),
    ...(Object.keys(data).length === 0 ? {} : { data }),
  };
  files.append(logFile, [JSON.stringify(line)]);
}

/**
 * `two-phase-complete TASK PHASE PLAN CONTRACT [evidence] [files_modified=a,b]`: contract, scope and evidence checked, two
 * events. It names no commit, so nothing is reported to the team by it.
 */
export const twoPhaseComplete: Script = (call) => {
  const { planning, words } = call;
  const [task = "", phase = "", plan = "", path = "", ...rest] = words;
  if (planning === null || !isOn(planning, "two_phase_completion", ["v2_two_phase_completion"]))
    return { code: 0, stdout: compact({ result: "skipped", checks_passed: 0, checks_total: 0, errors: [] }) };
  const given = rest.find((word) => word.startsWith("files_modified="));
  const files = given === undefined ? [] : given.slice("files_modified=".length).split(",").filter(Boolean);
  const evidence = rest.filter((word) => !word.startsWith("files_modified=")).join(" ");
  const logged = { phase, plan: plan === "" ? null : plan };
  appendEvent(call, planning, { event: "task_completed_candidate", ...logged, data: { task_id: task } });
  const contract = objectIn(textAt(call, path));
  const checks: (string | null)[] =
    contract === null
      ? ["contract file not found"]
      : [
          null,
          violationWords(violationOf(contract, { mode: "end", task, files })),
          textsIn(contract.must_haves).length > 0 && evidence === "" ? "no evidence for must_haves" : null,
        ];
  const errors = checks.filter((each) => each !== null);
  const isDone = errors.length === 0;
  const event = isDone ? "task_completed_confirmed" : "task_completion_rejected";
  appendEvent(call, planning, { event, ...logged, data: { task_id: task } });
  const answer = {
    result: contract === null ? "error" : isDone ? "confirmed" : "rejected",
    checks_passed: checks.length - errors.length,
    checks_total: checks.length,
    errors,
  };
  return { code: isDone ? 0 : 2, stdout: compact(answer) };
};

function violationWords(violation: string | null): string | null {
  return violation === null ? null : violation.replace("): ", ": ");
}
