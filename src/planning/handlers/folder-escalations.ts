/**
 * Escalations of the team in the files of YOLO's company line: in the execution state, in `.escalation-state.json`, and the
 * decision for a department. Pure. Rule: docs/protocol/record.md, section 29.
 */
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../base/json.ts";
import type { Escalation } from "../../escalations/state.ts";
import { unknownAuthor } from "../../messages/principal.ts";
import { printed, stamp } from "./folder-forms.ts";

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
    const isOpen = each.standing === "open";
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
    if (each.standing === "open" && row === undefined && !known && !isFolders)
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
    if (each.standing === "open" || row === undefined) continue;
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
