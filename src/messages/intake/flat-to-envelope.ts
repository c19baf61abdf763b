/**
 * A message of a typed dialect without its envelope, lifted into it: its fields are next to `type`, or in `payload`
 * next to the type alone. What the message does not say of its envelope comes from the connection and is named in
 * `assumed`; a role is never made up. Rule: docs/protocol/messages.md, section 11.
 */
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../base/json.ts";
import { atPath, type Problem } from "../../base/problem.ts";
import { type Definition, type Dialect, envelopeFields, schemaVersion } from "../dialects/dialect.ts";
import { envelopeKeys } from "../dialects/drop-in.ts";
import type { FactKind } from "../facts.ts";
import { programLeadName, withoutSession } from "../program-hooks.ts";
import { phaseOfPlanId, planKeyOfTask } from "../task-ids.ts";
import { type Repaired, repair } from "./repair.ts";

/** What a draft says of its kind, its task and its plan, which tells more of its fields. */
export interface DraftHead {
  readonly kind: FactKind;
  readonly task: string | null;
  readonly plan: string | null;
}

/** The value that is known for a field by its neutral name; null: none is. */
export type KnownField = (neutral: string, draft: DraftHead) => Json;

/** What is known about a message in addition to its text. */
export interface Connection {
  /** The id that the message gets where it says none. */
  readonly id: string;
  /** The sender's role; null: nobody knows. */
  readonly authorRole: string | null;
  readonly timestamp: string;
  /** The phase of a plan, by the plan's own contract; null: there is none. Absent: nobody knows of contracts. */
  phaseOf?(planId: string): number | null;
  /** The plan of a task, by the record, else as its id names it. Absent: nobody knows of tasks. */
  planOf?(taskId: string): string | null;
  /** The phase that the sender's department works in; null: none is known. Absent: nobody knows of phases. */
  phaseAtWork?(): number | null;
  /** What fills in the fields of a draft. Absent: only its envelope is filled in. */
  readonly known?: KnownField;
}

/** A message in its envelope. */
export interface Lifted extends Repaired {
  /** A problem of the envelope, with the path of the field as it was sent. */
  asSent(told: Problem): Problem;
}

/**
 * `value` in the envelope of `dialect`, its spelling corrected there, with a note of each. Null: it is of no type of a
 * typed dialect, or its payload is no object. Whether the result is a message is the dialect's question: if the
 * sender's role is unknown, it lacks `author_role`.
 */
export function lift(dialect: Dialect, value: JsonObject, connection: () => Connection): Lifted | null {
  const definition = typeof value.type === "string" ? dialect.definitions.get(value.type) : undefined;
  if (dialect.form !== "typed" || definition === undefined) return null;
  if (Object.hasOwn(value, "payload") && !isJsonObject(value.payload)) return null;
  const lifted = inEnvelope(definition, value, connection());
  const repaired = repair(dialect, lifted.value);
  return repaired === null ? lifted : { ...lifted, value: repaired.value, notes: [...lifted.notes, ...repaired.notes] };
}

function inEnvelope(definition: Definition, value: JsonObject, connection: Connection): Lifted {
  const parts = Object.hasOwn(value, "payload") ? payloadParts(value) : flatParts(definition, value);
  const around: JsonObject = { ...parts.around, schema_version: schemaVersion };
  const known = standIns(connection, parts.payload, parts.around.task);
  const assumed: string[] = [];
  const lifted: { [key: string]: Json } = {};
  for (const field of envelopeFields) {
    const said = field === "payload" ? parts.payload : (around[field] ?? null);
    const standIn = known[field];
    const filled = said ?? standIn ?? null;
    if (said === null && filled !== null) assumed.push(field);
    if (filled !== null) lifted[field] = filled;
  }
  const form = Object.hasOwn(value, "payload")
    ? `This ${definition.type} of a type and a payload`
    : `This flat ${definition.type}`;
  const message =
    assumed.length === 0
      ? `${form} is read as in its envelope.`
      : `${form} is read as in its envelope; ${assumed.join(", ")} ${assumed.length === 1 ? "is" : "are"} assumed.`;
  return {
    value: { ...lifted, ...parts.beside, ...(assumed.length === 0 ? {} : { assumed }) },
    notes: [{ code: "lifted", path: "$", message }],
    asSent: Object.hasOwn(value, "payload") ? (told) => told : flatPath,
  };
}

/** Placeholders for what an envelope says, by field, as a translated message has them. */
function standIns(
  connection: Connection,
  payload: JsonObject,
  task: Json | undefined,
): { readonly [field: string]: Json } {
  const { id, authorRole, timestamp } = connection;
  const { plan_id: planId, phase_id: phaseId, task_id: taskId, plans_verified: verified } = payload;
  const [checked = null] = isJsonList(verified ?? null) ? (verified as readonly Json[]) : []; // just checked
  const planOf = connection.planOf ?? planKeyOfTask;
  const [ofTask, about] = [taskId, task].map((each) => (typeof each === "string" ? planOf(each) : null));
  const plan = [planId, ofTask, about, checked].find((each) => typeof each === "string") ?? null;
  const named = typeof plan === "string" ? phaseNumber(plan, phaseId, connection) : null;
  // A verdict or findings that name no plan are about the phase at work.
  const phase = named ?? connection.phaseAtWork?.() ?? null;
  return {
    id,
    phase: phase ?? 0,
    task: [taskId, planId].find((each) => typeof each === "string" && each !== "") ?? "",
    author_role: authorRole,
    timestamp,
    confidence: "low",
  };
}

/** The phase that the plan's contract names, else the one that its id does. */
function phaseNumber(planId: string, phaseId: Json | undefined, { phaseOf }: Connection): number | null {
  const recorded = phaseOf?.(planId) ?? null;
  if (recorded !== null) return recorded;
  const named = phaseOfPlanId(planId, typeof phaseId === "string" ? phaseId : null);
  return named !== null && /^\d{1,9}$/.test(named) ? Number(named) : null;
}

interface Parts {
  /** What the message says of its envelope. */
  readonly around: JsonObject;
  readonly payload: JsonObject;
  /** What is next to the envelope's fields, as written. */
  readonly beside: JsonObject;
}

/**
 * The parts of a message that is a type and a payload: everything else belongs to the envelope, or is an extra field.
 */
function payloadParts({ payload, ...rest }: JsonObject): Parts {
  const isEnvelope = (key: string) => envelopeFields.some((field) => field === key);
  const beside = Object.entries(rest).filter(([key]) => !isEnvelope(key));
  return { around: rest, payload: isJsonObject(payload) ? payload : {}, beside: Object.fromEntries(beside) };
}

/** The parts of a flat message: `from` may be its role, and `requestId` is a request's own id, or whom an answer answers. */
function flatParts(definition: Definition, value: JsonObject): Parts {
  const names = new Set(definition.fields.map(({ name }) => name));
  const { requestId } = value;
  const from = names.has("from") ? null : (value.from ?? null);
  const isAnswer = names.has("request_id");
  const role = roleIn(from);
  const saysRole = definition.senders.some((each) => each === role);
  const payload: { [key: string]: Json } = {};
  if (isAnswer && requestId !== undefined) payload.requestId = requestId;
  for (const [key, held] of Object.entries(value)) {
    // A field of the payload may be called as one of the envelope is; said once, it is both.
    const meant = definition.aliases.names[key] ?? key;
    const isOwn = key !== "type" && names.has(meant) && (meant === key || !Object.hasOwn(value, meant));
    if (isOwn || !envelopeKeys.has(key)) payload[key] = held;
  }
  const around = {
    ...value,
    ...(saysRole ? { author_role: role } : {}),
    ...(isAnswer || requestId === undefined ? {} : { id: requestId }),
  };
  const beside = Object.entries(value).filter(
    ([key]) => key === "target_role" || (key === "from" && !saysRole && !names.has("from")),
  );
  return { around, payload, beside: Object.fromEntries(beside) };
}

/** The role that `from` may name: directly, or by an agent program's name for the lead. */
function roleIn(from: Json): Json {
  if (typeof from !== "string") return from;
  const name = withoutSession(from);
  return name === programLeadName ? "lead" : name;
}

/** A problem of the payload, at the place next to `type` where the field was sent. */
function flatPath(told: Problem): Problem {
  return told.path.startsWith("$.payload.") ? atPath(told, `$${told.path.slice("$.payload".length)}`) : told;
}
