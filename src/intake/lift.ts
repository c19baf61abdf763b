/**
 * A flat message of a typed dialect, lifted into its envelope: for the types whose definition says that they come so
 * (`Aliases.flat`). What the message does not say of its envelope comes from the connection and is named in `assumed`;
 * a role is never made up. Source: semantics.md section 4, last paragraph; section 3, Translation.
 */
import type { Json, JsonObject } from "../base/json.ts";
import { envelopeFields, schemaVersion } from "../dialects/definition.ts";
import type { Definition, Dialect } from "../dialects/dialect.ts";
import { envelopeKeys } from "../dialects/drop-in-revision.ts";
import { programLeadName, withoutSession } from "../message/program-names.ts";
import { type Repaired, repair } from "./repair.ts";

/** What is known of a message beside its text. */
export interface Connection {
  /** The id that the message gets where it says none. */
  readonly id: string;
  /** The sender's role; null: nobody knows. */
  readonly authorRole: string | null;
  readonly timestamp: string;
}

/**
 * `value` in the envelope of `dialect`, its spelling put right there, with a note of each. Null: it is of no type that
 * comes flat, it has a payload, or nobody knows its sender's role. Whether the result is a message is the dialect's
 * question.
 */
export function lift(dialect: Dialect, value: JsonObject, connection: () => Connection): Repaired | null {
  const lifted = inEnvelope(dialect, value, connection);
  const repaired = lifted === null ? null : repair(dialect, lifted.value);
  if (lifted === null || repaired === null) return lifted;
  return { value: repaired.value, notes: [...lifted.notes, ...repaired.notes] };
}

function inEnvelope(dialect: Dialect, value: JsonObject, connection: () => Connection): Repaired | null {
  const definition = typeof value.type === "string" ? dialect.definitions.get(value.type) : undefined;
  if (definition?.aliases.flat !== true || Object.hasOwn(value, "payload")) return null;
  const parts = partsOf(definition, value);
  const known = standIns(connection());
  const assumed: string[] = [];
  const lifted: { [key: string]: Json } = {};
  for (const field of envelopeFields) {
    const said = parts.around[field] ?? null;
    const standIn = known[field];
    if (said === null && standIn !== undefined) assumed.push(field);
    lifted[field] = said ?? standIn ?? null;
  }
  if (lifted.author_role === null) return null;
  const { type } = definition;
  const message = `A flat ${type} is read as in its envelope; ${assumed.join(", ")} ${assumed.length === 1 ? "is" : "are"} assumed.`;
  const note = {
    code: "lifted",
    path: "$",
    message: assumed.length === 0 ? `A flat ${type} is read as in its envelope.` : message,
  };
  return { value: { ...lifted, ...parts.beside, ...(assumed.length === 0 ? {} : { assumed }) }, notes: [note] };
}

/** Stand-ins for what an envelope says, by field, as a translated message has them. */
function standIns({ id, authorRole, timestamp }: Connection): { readonly [field: string]: Json } {
  return { id, phase: 0, task: "0-0", author_role: authorRole, timestamp, confidence: "low" };
}

interface Parts {
  /** What the message says of its envelope, the payload included. */
  readonly around: JsonObject;
  /** What stands beside the envelope's fields, as written. */
  readonly beside: JsonObject;
}

/** The parts of a flat message: `from` may be its role, and `requestId` is a request's own id, or whom an answer answers. */
function partsOf(definition: Definition, value: JsonObject): Parts {
  const { from, requestId, ...rest } = value;
  const isAnswer = definition.fields.some(({ name }) => name === "request_id");
  const role = roleIn(from ?? null);
  const saysRole = definition.senders.some((each) => each === role);
  const own = Object.entries(rest).filter(([key]) => !envelopeKeys.has(key));
  const around = {
    ...rest,
    ...(saysRole ? { author_role: role } : {}),
    ...(isAnswer || requestId === undefined ? {} : { id: requestId }),
    schema_version: schemaVersion,
    payload: { ...(isAnswer && requestId !== undefined ? { requestId } : {}), ...Object.fromEntries(own) },
  };
  const beside = Object.entries(value).filter(([key]) => key === "target_role" || (key === "from" && !saysRole));
  return { around, beside: Object.fromEntries(beside) };
}

/** The role that `from` may say: by its own word, or as an agent program calls whoever leads. */
function roleIn(from: Json): Json {
  if (typeof from !== "string") return from;
  const name = withoutSession(from);
  return name === programLeadName ? "lead" : name;
}
