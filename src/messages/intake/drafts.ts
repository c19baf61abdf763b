/**
 * A draft: a message's type and its own fields in one object, without an envelope. Baton fills in what it knows and
 * refuses every field that the definition does not have. Rule: docs/protocol/messages.md, section 9.
 */
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../base/json.ts";
import { problemsMax } from "../../base/limits.ts";
import { boundedProblems, inOrder, jsonPath, makeProblem, type Problem } from "../../base/problem.ts";
import { nearest } from "../../base/schema/hint.ts";
import { type Definition, type Dialect, documentKey, envelopeFields, type GivenHead } from "../dialects/dialect.ts";
import { type Fact, says } from "../facts.ts";
import type { DialectId, Note } from "../message.ts";
import type { Decoded } from "./decode.ts";
import { type Connection, lift } from "./flat-to-envelope.ts";
import { invalidText, type Reading } from "./reading.ts";
import { fitsForm, repair } from "./repair.ts";
import { notAnObject, typeProblem } from "./tolerant-reading.ts";

/** The reading of a draft by the first dialect that knows its type. It is accepted or invalid, never prose. */
export function readDraft(decoded: Decoded, dialects: readonly Dialect[], connection: () => Connection): Reading {
  const { text } = decoded;
  if (decoded.as === "fault") return invalidText(text, decoded.problem);
  if (decoded.as !== "json" || decoded.mailbox !== undefined || !isJsonObject(decoded.value))
    return invalidText(text, notAnObject());
  const { value } = decoded;
  const type = typeof value.type === "string" ? value.type : "";
  const dialect = dialects.find(({ definitions }) => definitions.has(type));
  const definition = dialect?.definitions.get(type);
  if (dialect === undefined || definition === undefined)
    return { ...invalidText(text, typeProblem(value, dialects)), message: value, type: type === "" ? null : type };
  const { draft, problems } = withoutPayload(definition, value);
  return judged(dialect, definition, { ...filledIn(dialect, definition, draft, connection()), problems }, text);
}

/** A whole message made of a draft. */
interface Filled {
  readonly value: JsonObject;
  readonly notes: readonly Note[];
}

/** `formProblems`: what is wrong with the draft's form. */
function judged(
  dialect: Dialect,
  { type, kind }: Definition,
  { value, notes, problems: formProblems }: Filled & { readonly problems: readonly Problem[] },
  text: string,
): Reading {
  const own = kind === "contract" ? withoutExtras(value) : value;
  const answer = dialect.read(own, { strict: true });
  const head = { rung: dialect.form, text, dialect: dialect.id, type, message: value } as const;
  if (answer.answer === "accepted" && formProblems.length === 0) {
    const { wireId } = answer;
    const whole = own === value ? answer : dialect.read(value, { strict: false });
    const fact = whole.answer === "accepted" ? whole.fact : answer.fact;
    return { ...head, outcome: "accepted", wireId, fact, problems: [], notes: [...notes, ...answer.notes] };
  }
  const told = answer.answer === "invalid" ? answer.problems : [];
  const problems = boundedProblems(inOrder([...told, ...formProblems]));
  return { ...head, outcome: "invalid", wireId: null, fact: null, problems, notes };
}

/** The draft as a whole message of its dialect. */
function filledIn(dialect: Dialect, definition: Definition, draft: JsonObject, connection: Connection): Filled {
  const detailed = withTaskDetails(definition, withTaskField(definition, draft));
  const known = withKnownFields(definition, detailed, connection);
  if (dialect.form === "typed") {
    const lifted = lift(dialect, known.value, () => connection);
    if (lifted !== null) {
      const { assumed = [] } = lifted.value;
      const all = Array.isArray(assumed) ? [...assumed, ...known.names] : known.names;
      const notes = lifted.notes.filter(({ code }) => code !== "lifted").filter(isWorthTelling);
      return { value: withAssumed(lifted.value, all), notes: [...known.notes, ...notes] };
    }
  }
  const { type: _, ...sections } = known.value;
  const whole: JsonObject =
    dialect.form === "document" ? { [documentKey]: sections } : withAssumed(known.value, known.names);
  const repaired = repair(dialect, whole);
  const notes = [...known.notes, ...(repaired?.notes ?? []).filter(isWorthTelling)];
  return { value: repaired?.value ?? whole, notes };
}

function withAssumed(value: JsonObject, names: readonly Json[]): JsonObject {
  return names.length === 0 ? value : { ...value, assumed: names };
}

/** The draft with the fields of its payload next to its type, and an error for each: where it belongs, if it is one. */
function withoutPayload(
  { fields, aliases, type, kind }: Definition,
  { payload, ...own }: JsonObject,
): { readonly draft: JsonObject; readonly problems: readonly Problem[] } {
  if (payload === undefined) return { draft: own, problems: [] };
  const around = envelopeFields.filter((name) => name !== "payload");
  const names = [...fields.map(({ name }) => name), ...(kind === "contract" ? contractExtras : []), ...around];
  const moved: { [name: string]: Json } = {};
  // Each costs a search, and no more are listed.
  const inside = isJsonObject(payload) ? Object.entries(payload).slice(0, problemsMax) : [];
  const problems = inside.map(([key, value]) => {
    const name = Object.hasOwn(aliases.names, key) ? key : nearest(key, names);
    const path = jsonPath(["payload", "payload", key]);
    if (name === null)
      return makeProblem("unknown-field", path, `${path} is no field of ${type}.`, { hint: "leave it out" });
    const isFree = !Object.hasOwn(own, name) && !Object.hasOwn(moved, name);
    if (isFree) moved[name] = value;
    const place = jsonPath(["payload", name]);
    const hint = isFree ? `it belongs at ${place}: move it there` : `leave it out: ${place} is there already`;
    return makeProblem("unknown-field", path, payloadMessage, { hint });
  });
  const empty = makeProblem("unknown-field", "$.payload.payload", payloadMessage, { hint: "leave it out" });
  return { draft: { ...moved, ...own }, problems: inside.length === 0 ? [empty] : problems };
}

const payloadMessage = "The fields of a draft are next to its type, not in a payload.";

/** A string that is read as the number, the flag or the list of one that its field asks for needs no note. */
function isWorthTelling({ code, from, to }: Note): boolean {
  return code !== "alias" || from === undefined || to === undefined || (from !== `"${to}"` && to !== `[${from}]`);
}

/** The draft with `task` under the name that the definition has for it: the envelope's task follows from that. */
function withTaskField({ fields }: Definition, draft: JsonObject): JsonObject {
  const name = fields.find(({ neutral }) => neutral === "taskId")?.name ?? "task";
  if (name === "task" || !Object.hasOwn(draft, "task") || Object.hasOwn(draft, name)) return draft;
  const { task, ...others } = draft;
  return { ...others, [name]: task ?? null };
}

/** The fields of a contract's draft that its definition does not have: what is said of its tasks. */
const contractExtras = ["task_details", "tasks_without_files"];

/** The message without them: every other unknown field is refused. */
function withoutExtras(value: JsonObject): JsonObject {
  const { payload } = value;
  const isThere = isJsonObject(payload) && contractExtras.some((name) => Object.hasOwn(payload, name));
  if (!isThere) return value;
  const kept = Object.entries(payload).filter(([name]) => !contractExtras.includes(name));
  return { ...value, payload: Object.fromEntries(kept) };
}

/**
 * The draft of a contract whose tasks may be objects, `{"task", "title", "files", "depends_on"}`: their ids stay in the
 * field, and the rest comes into `task_details`.
 */
function withTaskDetails({ kind, fields }: Definition, draft: JsonObject): JsonObject {
  const name = fields.find(({ neutral }) => neutral === "tasks")?.name ?? "";
  const tasks = draft[name];
  if (kind !== "contract" || !isJsonList(tasks) || !tasks.some(isJsonObject)) return draft;
  const details: { [task: string]: Json } = isJsonObject(draft.task_details) ? { ...draft.task_details } : {};
  const ids = tasks.map((each): Json => {
    if (!isJsonObject(each) || typeof each.task !== "string") return each;
    const { task, ...rest } = each;
    details[task] = rest;
    return task;
  });
  return { ...draft, [name]: ids, task_details: details };
}

interface KnownFields {
  readonly value: JsonObject;
  readonly names: readonly string[];
  readonly notes: readonly Note[];
}

/** The draft with the required fields that it lacks and Baton knows. */
function withKnownFields(definition: Definition, draft: JsonObject, connection: Connection): KnownFields {
  const said = (neutral: string): Json => {
    const name = definition.fields.find((field) => field.neutral === neutral)?.name;
    return (name === undefined ? undefined : draft[name]) ?? null;
  };
  const told = {
    kind: definition.kind,
    task: textOf(said("taskId")) ?? textOf(draft.task ?? null),
    plan: textOf(said("planId")),
  };
  const added: { [name: string]: Json } = {};
  const shown: { [name: string]: Json } = {};
  for (const { name, neutral, required, value: form } of definition.fields) {
    if (!required || isWritten(definition, draft, name)) continue;
    const [only, ...others] = form.words ?? [];
    const known = connection.known?.(neutral, told) ?? null;
    const standIn = known ?? (only !== undefined && others.length === 0 ? only : null);
    const written = draft[name];
    if (isJsonObject(standIn) && (written === undefined || isJsonObject(written))) {
      added[name] = { ...standIn, ...written };
      shown[name] = Object.fromEntries(Object.entries(standIn).filter(([key]) => !Object.hasOwn(written ?? {}, key)));
    } else if (standIn !== null && written === undefined && fitsForm(standIn, form)) added[name] = standIn;
  }
  const names = Object.keys(added);
  const notes = names.map((name): Note => {
    const message = `${name} is filled in: ${JSON.stringify(shown[name] ?? added[name])}.`;
    return { code: "lifted", path: `$.${name}`, message };
  });
  return { value: { ...draft, ...added }, names, notes };
}

/** Whether the draft says the field, under its own name or another that means it. Of an object, parts may be missing. */
function isWritten({ aliases }: Definition, draft: JsonObject, name: string): boolean {
  if (Object.hasOwn(draft, name)) return !isJsonObject(draft[name]);
  return Object.keys(draft).some((key) => Object.hasOwn(aliases.names, key) && aliases.names[key] === name);
}

function textOf(value: Json): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

/*
 * A message in another dialect: verbatim where it was written in it, translated where a counterpart exists, and else
 * as prose that says so and keeps the original in a fence. Nothing is invented silently: what the target demands and
 * the source lacks is named in the extra field `assumed`.
 * Source: docs/protocol/messages.md, section 19.
 */

/** A message as it was read. */
export interface Source {
  readonly dialect: DialectId;
  readonly type: string;
  readonly fact: Fact;
  /** Its wire object. */
  readonly wire: JsonObject;
}

/** A message as its reader gets it: in a dialect, or (`dialect` and `type` null) as prose. */
export interface Translation {
  readonly dialect: DialectId | null;
  readonly type: string | null;
  readonly message: Json;
}

/** `source` in the dialect `target`. `id` becomes the wire id; `given` is what the connection knows. */
export function translate(
  source: Source,
  target: Dialect,
  envelope: { readonly id: string; readonly given: GivenHead },
): Translation {
  if (source.dialect === target.id) return { dialect: target.id, type: source.type, message: source.wire };
  const fact = asSaidIn(target, source.fact);
  const written = target.write(fact, envelope);
  if (written === null) return { dialect: null, type: null, message: proseOf(source, target) };
  return { dialect: target.id, type: target.definitionOf(fact.kind)?.type ?? null, message: written };
}

/** The fact as the dialect says it: if it has no separate completions, progress says that a task is complete. */
function asSaidIn(target: Dialect, fact: Fact): Fact {
  if (!says(fact, "completion") || target.definitionOf(fact.kind) !== null) return fact;
  return { ...fact, kind: "progress" };
}

function proseOf({ dialect, type, fact, wire }: Source, target: Dialect): string {
  const original = JSON.stringify(wire, null, 2);
  return [
    `This is a message of type ${type} in ${dialect}. Your dialect ${target.id} has no counterpart, so it comes as it was written:`,
    "",
    "```json",
    original.replaceAll("```", "\\u0060\\u0060\\u0060"),
    "```",
    ...(fact.kind === "shutdown-request" ? ["", howToStop] : []),
  ].join("\n");
}

/** What a reader does that is asked to stop by a message its dialect has no word for. */
const howToStop = [
  "You are asked to stop (shutdown). Finish the tool call at hand, then answer: by the MCP tool task with action stop,",
  "or in a shell by `baton shutdown answer`. After it do nothing more. Who does not answer in time is stopped.",
].join(" ");
