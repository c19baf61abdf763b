/**
 * What only the later revision of the scripts does (vbw/2.1): it lifts flat shutdown messages into an envelope and
 * counts the entries of a verdict's `checks_detail`. Source: docs/protocol/drop-in.md, section 5.
 */
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../base/json.ts";

/** Keys of a flat shutdown message that its envelope says; the rest is its payload. */
export const envelopeKeys: ReadonlySet<string> = new Set([
  "type",
  "id",
  "requestId",
  "from",
  "phase",
  "task",
  "author_role",
  "target_role",
  "timestamp",
  "schema_version",
  "confidence",
]);

/** A flat shutdown message as an envelope around the rest of it; any other message as it is. */
export function lifted(message: JsonObject, nowMs: number): JsonObject {
  const { type } = message;
  if (type !== "shutdown_request" && type !== "shutdown_response") return message;
  if (Object.hasOwn(message, "payload")) return message;
  const epoch = Math.floor(nowMs / 1000);
  return {
    id: given(message.requestId) ?? given(message.id) ?? `normalized-${epoch}`,
    type,
    phase: present(message.phase) ?? 0,
    task: present(message.task) ?? "0-0",
    author_role: present(message.from) ?? present(message.author_role) ?? "unknown",
    target_role: present(message.target_role) ?? null,
    timestamp: present(message.timestamp) ?? new Date(nowMs).toISOString(),
    schema_version: present(message.schema_version) ?? "2.0",
    confidence: present(message.confidence) ?? 1,
    payload: Object.fromEntries(Object.entries(message).filter(([key]) => !envelopeKeys.has(key))),
  };
}

/** The value, or null where the scripts would take their default: nothing, null, false. */
function present(value: Json | undefined): Json {
  return value === undefined || value === false ? null : value;
}

function given(value: Json | undefined): Json {
  return value === "" ? null : present(value);
}

const statuses = ["PASS", "FAIL", "WARN"];

/** Errors of a verdict's `checks_detail`, where there is one: its form first, alone; then each count that differs. */
export function detailErrors(payload: Json | undefined): readonly string[] {
  if (!isJsonObject(payload) || !Object.hasOwn(payload, "checks_detail")) return [];
  const detail = payload.checks_detail;
  if (detail === null || detail === undefined) return [];
  if (!isJsonList(detail)) return ["qa_verdict checks_detail must be an array or null"];
  if (!detail.every(isDetail)) {
    return ["qa_verdict checks_detail entries require non-empty string id and status in PASS|FAIL|WARN"];
  }
  const { checks } = payload;
  // Counts of something that holds no counts cannot be compared; the scripts accept it here.
  if (detail.length === 0 || (checks !== undefined && checks !== null && !isJsonObject(checks))) return [];
  const counts = isJsonObject(checks) ? checks : {};
  const counted = (status: string) => detail.filter((one) => isJsonObject(one) && one.status === status).length;
  return [
    ...(counts.failed === counted("FAIL") ? [] : ["qa_verdict checks.failed does not match checks_detail FAIL count"]),
    ...(counts.passed === counted("PASS") ? [] : ["qa_verdict checks.passed does not match checks_detail PASS count"]),
    ...(counts.total === detail.length ? [] : ["qa_verdict checks.total does not match checks_detail entry count"]),
  ];
}

function isDetail(one: Json): boolean {
  if (!isJsonObject(one) || typeof one.id !== "string" || typeof one.status !== "string") return false;
  return one.id.trim() !== "" && statuses.includes(one.status.trim());
}
