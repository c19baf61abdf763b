/**
 * The judgement of `validate-message`: what the shell scripts in use today would say of a message, in their words and
 * their order, so that it can replace them. Presence, roles and files only; Baton's own checks are `--strict` and live
 * elsewhere. Pure and light: no validator and no dialect is loaded on this path. Source: docs/protocol/messages.md,
 * section 20.
 */
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../base/json.ts";
import type { DropInTable } from "./drop-in-table.ts";

/** What the judgement needs to know of the place where it is asked. */
export interface DropInPlace {
  /** `v2_typed_protocol` of the planning directory's `config.json`; true where the flag or the file is missing. */
  readonly typedProtocol: boolean;
  /**
   * `allowed_paths` of the phase's contract, the first `{phase}-*.json` by name; null when there is none. Asked only
   * with a phase above 0, as written in the message, and only when the message names files.
   */
  contractPaths(phase: string): readonly string[] | null;
  /** Now, for what a lifted flat message lacks. */
  readonly nowMs: number;
}

/** The one JSON object that is printed; the exit code is 0 when `valid`, else 2. */
export interface DropInAnswer {
  readonly valid: boolean;
  readonly errors: readonly string[];
  readonly reason?: string;
}

const envelopeFields = [
  "id",
  "type",
  "phase",
  "task",
  "author_role",
  "timestamp",
  "schema_version",
  "payload",
  "confidence",
] as const;

/**
 * Judges `text` by `table`. Total: never throws. Every error is listed, except that an empty input and one that is no
 * JSON are reported alone.
 */
export function judgeDropIn(text: string, table: DropInTable, place: DropInPlace): DropInAnswer {
  if (table.heedsFlag && !place.typedProtocol) return { valid: true, errors: [], reason: "v2_typed_protocol=false" };
  if (text.trim() === "") return { valid: false, errors: ["empty message"] };
  const parsed = parsedOrUndefined(text);
  if (parsed === undefined) return { valid: false, errors: ["not valid JSON"] };
  const given = isJsonObject(parsed) ? parsed : {};
  const message = table.isLaterRevision ? lifted(given, place.nowMs) : given;
  const type = wordOf(message.type);
  const errors = [
    ...envelopeErrors(message),
    ...typeErrors(type, table),
    ...payloadErrors(message, type, table),
    ...roleErrors(message, type, table),
    ...fileErrors(message, type, place),
    ...(table.isLaterRevision && type === "qa_verdict" ? detailErrors(message.payload) : []),
  ];
  return { valid: errors.length === 0, errors };
}

const unknownType = "unknown message type: ";

/** Whether the message says a type that the table does not have. */
export function isOfUnknownType({ errors }: DropInAnswer): boolean {
  return errors.some((error) => error.startsWith(unknownType));
}

/** Deepest nesting that the scripts' own parser follows. */
const depthMax = 256;

/** The value, or undefined when the text is no JSON or nested deeper than the scripts can read. */
function parsedOrUndefined(text: string): Json | undefined {
  try {
    const value = JSON.parse(text) as Json; // What JSON.parse returns is JSON.
    return isDeeper(value, depthMax) ? undefined : value;
  } catch {
    // That it is no JSON is the answer; where exactly it breaks off is not among the scripts' words.
    return undefined;
  }
}

function isDeeper(value: Json, depth: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return depth === 0 || Object.values(value).some((inner) => isDeeper(inner, depth - 1));
}

function envelopeErrors(message: JsonObject): readonly string[] {
  return envelopeFields
    .filter((field) => !Object.hasOwn(message, field))
    .map((field) => `missing envelope field: ${field}`);
}

function typeErrors(type: string, table: DropInTable): readonly string[] {
  if (type === "") return ["missing type field"];
  return table.messages.has(type) ? [] : [`${unknownType}${type}`];
}

function payloadErrors(message: JsonObject, type: string, table: DropInTable): readonly string[] {
  const payload = isJsonObject(message.payload) ? message.payload : {};
  const required = table.messages.get(type)?.required ?? [];
  return required.filter((field) => !Object.hasOwn(payload, field)).map((field) => `missing payload field: ${field}`);
}

function roleErrors(message: JsonObject, type: string, table: DropInTable): readonly string[] {
  if (type === "") return [];
  const errors: string[] = [];
  const author = wordOf(message.author_role);
  const senders = table.messages.get(type)?.senders;
  if (author !== "" && senders !== undefined && !senders.includes(author)) {
    errors.push(`role ${author} not authorized for ${type}`);
  }
  const target = wordOf(message.target_role);
  if (target !== "" && table.receives.get(target)?.includes(type) !== true) {
    errors.push(`target role ${target} cannot receive ${type}`);
  }
  return errors;
}

function fileErrors(message: JsonObject, type: string, place: DropInPlace): readonly string[] {
  const payload = message.payload;
  if (type === "" || !isJsonObject(payload)) return [];
  const named = [...wordsOf(payload.files_modified), ...wordsOf(payload.allowed_paths)];
  const phase = phaseOf(message.phase);
  if (named.length === 0 || phase === null) return [];
  const allowed = (place.contractPaths(phase) ?? []).map(withoutDot);
  if (allowed.length === 0) return [];
  return named
    .map(withoutDot)
    .filter((path) => !allowed.includes(path))
    .map((path) => `file reference ${path} outside contract scope`);
}

/** A phase above 0, as it is written in the contract's file name, or null. */
function phaseOf(phase: Json | undefined): string | null {
  const written = wordOf(phase);
  return /^[0-9]{1,15}$/.test(written) && Number(written) > 0 ? written : null;
}

/** A value as a word: what is missing, null or false is empty; what is no string is shown as JSON. */
function wordOf(value: Json | undefined): string {
  if (value === undefined || value === null || value === false) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function wordsOf(value: Json | undefined): readonly string[] {
  return isJsonList(value)
    ? value.map((one) => (typeof one === "string" ? one : JSON.stringify(one))).filter((one) => one !== "")
    : [];
}

function withoutDot(path: string): string {
  return path.startsWith("./") ? path.slice(2) : path;
}

/*
 * What only the later revision of the scripts does (vbw/2.1): it lifts flat shutdown messages into an envelope and
 * counts the entries of a verdict's `checks_detail`. Source: docs/protocol/messages.md, section 20.
 */

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
function detailErrors(payload: Json | undefined): readonly string[] {
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
