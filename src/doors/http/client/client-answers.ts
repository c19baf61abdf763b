/** Answers of a hub that the client takes, as their JSON must look: the outcome of an operation, and shared parts. */
import { messageId, teamName } from "../../../base/ids.ts";
import type { Json } from "../../../base/json.ts";
import { type Problem, type ProblemCode, problemCodes } from "../../../base/problem.ts";
import { visible } from "../../../base/text.ts";
import { outcomes } from "../../../coordination/line-outcome.ts";
import { type DenialReason, denialReasons } from "../../../coordination/tasks/claim-denials.ts";
import { reportStandings } from "../../../coordination/tasks/report-status.ts";
import { type Entry, entryKinds, type Receipt } from "../../../journal/entry.ts";
import type { Head } from "../../../journal/journal.ts";
import { type FactKind, isFactKind } from "../../../message/facts.ts";
import type { DialectId, Message, Note } from "../../../message/message.ts";
import type { Principal } from "../../../message/principal.ts";
import { departments, roles } from "../../../message/role.ts";
import type { Reply } from "../../../operations/reply.ts";
import type { LogLine, LogPage, Shown } from "../../../runtime/record/log-line.ts";
import type { Delivery, InboxPage } from "../../../runtime/team/team.ts";

/*
 * Shapes: whether a parsed JSON value is what the caller is going to take it for. A hub's answer is text from outside;
 * the compiler holds every shape to name each field of its type, so a field that is added cannot be forgotten here.
 * Fields beyond the type are let through: a newer hub may say more.
 */

/** Tells whether a value is one of `Value`. */
export type Shape<Value> = (value: unknown) => value is Value;

export const text: Shape<string> = (value) => typeof value === "string";
/**
 * A string that the hub created, such as a time, a code or a name: nothing in it that a terminal would execute or hide.
 */
export const word: Shape<string> = (value): value is string => typeof value === "string" && visible(value) === value;
/** A whole number from 0. */
export const count: Shape<number> = (value): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
/** A whole number. */
export const whole: Shape<number> = (value): value is number => Number.isSafeInteger(value);
export const flag: Shape<boolean> = (value) => typeof value === "boolean";
/** 64 hex digits. */
export const hash: Shape<string> = (value): value is string =>
  typeof value === "string" && /^[0-9a-f]{64}$/.test(value);

/** Null, or of the shape. */
export function nullable<Value>(shape: Shape<Value>): Shape<Value | null> {
  return (value): value is Value | null => value === null || shape(value);
}

/** Absent, or of the shape. */
export function optional<Value>(shape: Shape<Value>): Shape<Value | undefined> {
  return (value): value is Value | undefined => value === undefined || shape(value);
}

export function list<Value>(shape: Shape<Value>): Shape<readonly Value[]> {
  return (value): value is readonly Value[] => Array.isArray(value) && value.every((item) => shape(item));
}

/**
 * One of these words, or another: lists of words grow, and a newer hub's word is shown as it is. Code that looks up what
 * belongs to a word must have an answer for one that is not there.
 */
export function oneOf<const Choice extends string>(_known: readonly Choice[]): Shape<Choice> {
  return (value): value is Choice => word(value);
}

/** This word and no other, which tells one form of an answer from another. */
export function exactly<const Choice extends string>(choice: Choice): Shape<Choice> {
  return (value): value is Choice => value === choice;
}

/** A string that `read` accepts: for branded names and ids. */
function branded<Value extends string>(read: (word: string) => Value | null): Shape<Value> {
  return (value): value is Value => typeof value === "string" && read(value) !== null;
}

/** Any object, its fields unseen: what the runtime made and the caller only passes on. */
export function opaque<Value extends object>(): Shape<Value> {
  return (value): value is Value => typeof value === "object" && value !== null && !Array.isArray(value);
}

/** An object with these fields. */
export function object<Value extends object>(
  fields: {
    readonly [Field in keyof Value]-?: Shape<Value[Field]>;
  },
): Shape<Value> {
  const checks = Object.entries(fields) as readonly (readonly [string, Shape<unknown>])[]; // by the parameter's type
  return (value): value is Value =>
    opaque()(value) && checks.every(([name, shape]) => shape((value as Readonly<Record<string, unknown>>)[name]));
}

/** An object whose every value has the shape. */
export function recordOfAll<Value>(shape: Shape<Value>): Shape<Readonly<Record<string, Value>>> {
  return (value): value is Readonly<Record<string, Value>> => opaque()(value) && Object.values(value).every(shape);
}

/** Parts that several answers have. */
export const team = branded(teamName);
export const id = branded(messageId);
export const json: Shape<Json> = (value): value is Json => value !== undefined; // it came out of the parser
export const dialect: Shape<DialectId> = (value): value is DialectId => word(value) && value.includes("/");
export const role = oneOf(roles);
export const durability = oneOf(["fsync", "os", "memory"]);
const code = oneOf(Object.keys(problemCodes) as ProblemCode[]); // the keys of that very table

export const receipt = object<Receipt>({
  team,
  seq: count,
  id: nullable(id),
  digest: nullable(hash),
  hash,
  prevHash: hash,
  epoch: count,
  durability,
  duplicate: flag,
});

export const problem = object<Problem>({
  code,
  path: text,
  message: text,
  expected: optional(text),
  received: optional(text),
  hint: optional(text),
});

export const note = object<Note>({
  code: word,
  path: text,
  message: text,
  from: optional(text),
  to: optional(text),
});

const acceptedFields = { receipt, receivers: list(text), notes: list(note) };

/** An accepted act. */
export const accepted = object<Accepted>(acceptedFields);

/** A hub judges a while after it answered, so its answer holds no verdicts. */
export type Accepted = Omit<Extract<Reply, { readonly outcome: "accepted" }>, "outcome" | "verdicts" | "settled">;

/**
 * A refused or failed one; for a claim, with what blocks it. `receipt`: absent where nothing can be recorded, null
 * where nothing was.
 */
export const refused = object<{
  problems: readonly Problem[];
  receipt?: Receipt | null;
  notes?: readonly Note[];
  granted?: boolean;
  reason?: DenialReason | null;
  holder?: string | null;
  paths?: readonly string[];
}>({
  problems: list(problem),
  receipt: optional(nullable(receipt)),
  notes: optional(list(note)),
  granted: optional(flag),
  reason: optional(nullable(oneOf(denialReasons))),
  holder: optional(nullable(text)),
  paths: optional(list(text)),
});

/** Where a team's journal ends. */
export const head = object<Head>({ seq: count, hash, epoch: count });

const factKind: Shape<FactKind> = (value): value is FactKind => typeof value === "string" && isFactKind(value);

const lineFields = {
  seq: count,
  epoch: count,
  kind: oneOf(entryKinds),
  id: nullable(text),
  dialect: nullable(dialect),
  type: nullable(text),
  sender: text,
  receivers: list(text),
  recordedAt: word,
  task: nullable(text),
  fact: nullable(factKind),
  report: nullable(oneOf(reportStandings)),
  outcome: nullable(oneOf(outcomes)),
  thread: nullable(count),
  supersededBy: nullable(count),
  problem: nullable(object<NonNullable<LogLine["problem"]>>({ code, message: text })),
  summary: text,
};

/** What a hub shows of entries, as its JSON must look: lines of the log, an entry in full, mail. */
export const logLine = object<LogLine>(lineFields);

export const logPage = object<LogPage>({ entries: list(logLine), next: nullable(count), head: count });

const principal = object<Principal>({
  agent: text,
  role: nullable(role),
  department: optional(oneOf(departments)),
  via: oneOf(["token", "launcher", "hook"]),
});

export const entry = object<Entry>({
  team,
  seq: count,
  epoch: count,
  kind: oneOf(entryKinds),
  principal,
  id: nullable(id),
  digest: nullable(hash),
  receivers: list(text),
  content: json,
  text: optional(text),
  recordedAt: word,
  aheadMs: optional(whole),
  prevHash: hash,
  hash,
});

const message = object<Message>({
  dialect: nullable(dialect),
  type: nullable(text),
  rung: oneOf(["typed", "structured", "document", "markdown"]),
  wireId: nullable(text),
  text,
  fact: nullable(opaque()),
  wire: optional(opaque()),
});

export const shown = object<Shown>({
  ...lineFields,
  entry,
  durability,
  message: nullable(message),
  problems: list(problem),
  notes: list(note),
  delivery: list(
    object<Shown["delivery"][number]>({ agent: text, state: oneOf(["waiting", "offered", "seen", "acknowledged"]) }),
  ),
});

const delivery = object<Delivery>({
  seq: count,
  id: nullable(text),
  dialect: nullable(dialect),
  type: nullable(text),
  sender: text,
  recordedAt: word,
  message: json,
  effect: flag,
  notes: list(note),
});

export const inboxPage = object<InboxPage>({ deliveries: list(delivery), unread: count, acknowledged: count });
