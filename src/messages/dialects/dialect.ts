/**
 * The contract that every dialect meets, and the facts that a definition carries at run time. Everyone but the
 * registry sees dialects only through these types. Authoring (zod) lives in `dialects/{name}/messages.ts`; run time
 * reads `dialects/{name}/generated/`.
 */

import type { JsonObject } from "../../base/json.ts";
import type { Problem } from "../../base/problem.ts";
import type { Validator, ValueForm } from "../../base/schema/value-form.ts";
import type { Fact, FactKind, Json } from "../facts.ts";
import type { DialectId, Note } from "../message.ts";
import type { Department, Role } from "../role.ts";
import type { RuleName } from "./rules/rules.ts";

/** The form of a dialect's messages on the wire. */
export type WireForm =
  /** An envelope around `payload`. */
  | "typed"
  /** Fields next to `type`; `{type, payload}` is read too. */
  | "structured"
  /** Sections under one key. */
  | "document";

/** One message definition: every fact about it but its checker. */
export interface Definition {
  readonly dialect: DialectId;
  readonly type: string;
  readonly summary: string;
  readonly kind: FactKind;
  readonly senders: readonly Role[];
  /** Typical receivers, in its document's order. */
  readonly receivers: readonly Role[];
  /** Whether agents send it at all; internal types are written by Baton only. */
  readonly wire: "sent" | "internal";
  /** Beyond the roles: when it is used, which way it goes, between which departments. */
  readonly routing: Routing;
  /** The message's own fields in order, by wire name: of the payload, next to `type`, or of the document. */
  readonly fields: readonly FieldFacts[];
  /** Spellings that agents use instead of the defined ones. */
  readonly aliases: Aliases;
  /** Definitions of equal shape, in whichever dialects, accept the same values. */
  readonly shape: string;
  /** A valid message of the type, whole. */
  readonly example: { readonly [field: string]: Json };
}

export interface FieldFacts {
  readonly name: string;
  /** The field's name in a neutral fact's body; `head.phase`: it is the head's own. */
  readonly neutral: string;
  readonly required: boolean;
  readonly summary: string;
  /** What the value looks like, in words: `text`, `list of text`, `high | medium | low`. */
  readonly form: string;
  /** The same as data. */
  readonly value: ValueForm;
  /** What a translated message says here where its source says nothing; named in `assumed`. */
  readonly assumed?: string | number | boolean;
}

/**
 * How agents are known to spell a message otherwise than it is defined: read with a note, never written. Names and
 * fields are at the place of the definition's own fields (`Definition.fields`); a dot reaches into an object, or into
 * the entries of a list of objects: `checks.pass`, `failures.desc`. General drift (camel case, the case of words,
 * numbers as text, one value where a list is meant) needs no entry: it follows from `FieldFacts.value`.
 */
export interface Aliases {
  /** The name that is written -> the field that is meant: `files` -> `files_modified`, `checks.pass` -> `checks.passed`. */
  readonly names: { readonly [written: string]: string };
  /** By field: the word that is written, in lower case -> the word that is meant: `status` -> `done` -> `complete`. */
  readonly words: { readonly [field: string]: { readonly [written: string]: string } };
}

/** What the matrix of roles does not say of a message's way. Every part is absent where it does not apply. */
export interface Routing {
  /** Only where the team's mode is this. */
  readonly mode?: "teammate";
  /** `up` and `down`: along the chain, one level up, or to anyone below; `both`: either end may begin. */
  readonly direction?: "up" | "down" | "both";
  /** The field that names who gets it, by neutral name: an agent, or a role. */
  readonly addressedBy?: string;
  /** Used only when several departments are active: it goes across, between agents of these departments. */
  readonly across?: { readonly senders: readonly Department[]; readonly receivers: readonly Department[] };
}

/**
 * A dialect's answer to a JSON value: a message it accepts, a message that is not its own, or its own with errors.
 * `not-mine` is no error: another dialect may accept it.
 */
export type Answer =
  | {
      readonly answer: "accepted";
      readonly type: string;
      readonly wireId: string | null;
      readonly fact: Fact;
      readonly notes: readonly Note[];
    }
  | { readonly answer: "not-mine" }
  | {
      readonly answer: "invalid";
      readonly type: string | null;
      readonly problems: readonly Problem[];
      readonly notes: readonly Note[];
    };

/** A wire format with all its message types. Only reads and writes: who may send what is decided elsewhere. */
export interface Dialect {
  readonly id: DialectId;
  readonly family: string;
  readonly form: WireForm;
  /** JSON path of the object that holds a definition's own fields: `$.payload`, `$`, `$.handoff`. */
  readonly place: string;
  /** Whether agents of several active departments are kept apart. */
  readonly isolatesDepartments: boolean;
  /** Fields around a definition's own: the envelope, in order. Empty where there is none. */
  readonly envelope: readonly FieldFacts[];
  /** Definitions by type, in its document's order. */
  readonly definitions: ReadonlyMap<string, Definition>;
  /** Definition that can say facts of `kind`, or null: there is no counterpart. */
  definitionOf(kind: FactKind): Definition | null;
  /**
   * Reads a JSON value. Total: never throws. `strict` refuses unknown fields that are otherwise kept and noted.
   * Problems come in their fixed order.
   */
  read(value: Json, options?: { readonly strict?: boolean }): Answer;
  /** Whether `read` without `strict` would accept the value; costs less where the fact is not asked for. */
  accepts(value: Json): boolean;
  /**
   * Writes a fact as a wire value, canonical key order; null when the dialect has no counterpart. `id` becomes the
   * wire id. What the target demands and the fact lacks comes from `given` and is named in the extra field `assumed`.
   */
  write(fact: Fact, envelope: { readonly id: string; readonly given: GivenHead }): Json | null;
  /** The same dialect with further types of a team's own, after its own; as it is where it has no envelope. */
  extendedBy(own: readonly OwnDefinition[]): Dialect;
}

/** A custom message type of a team, ready to be added to a dialect. */
export interface OwnDefinition {
  readonly definition: Definition & { readonly rules: readonly RuleName[] };
  readonly validate: Validator;
}

/** What the connection knows and a translated message may need: never invented, named in `assumed`. */
export interface GivenHead {
  readonly authorRole: string;
  readonly timestamp: string;
  /** The open request that an answer without a `request_id` belongs to. */
  readonly requestId?: string;
  readonly teamName?: string;
}

/*
 * What run time knows of a definition beyond the contract: the generated fact tables have this form. Definitions are
 * functions, so that a start costs no more with fifty of them than with ten.
 */

export interface TableDefinition extends Definition {
  readonly rules: readonly RuleName[];
}

/** A dialect's generated facts. */
export interface DialectTable {
  readonly id: DialectId;
  readonly family: string;
  readonly form: WireForm;
  /** Values of `author_role`; none where there is no envelope. */
  readonly authorRoles: readonly Role[];
  readonly isolatesDepartments: boolean;
  readonly envelope: readonly FieldFacts[];
  /** Every type in its document's order, with the kind of fact it says. */
  readonly kinds: { readonly [type: string]: FactKind };
  /** By type. */
  readonly definitions: { readonly [type: string]: () => TableDefinition };
  /** By type; those of a team's own types are made when they are read. */
  readonly bodies: { readonly [type: string]: BodyReader };
}

/** A fact's body under construction. */
export type BodyFields = { [neutral: string]: Json };

/** Takes the fields of a valid message, as they are on the wire, to a new body under their neutral names. */
export type BodyReader = (wire: JsonObject) => BodyFields;

/** The fields that a fact's body has; the others are its head's. */
export function bodyFieldsOf(fields: readonly FieldFacts[]): readonly FieldFacts[] {
  return fields.filter(({ neutral }) => !neutral.startsWith("head."));
}

/** Validators by type. */
export type Validators = { readonly [type: string]: Validator };

/** Fields of the typed envelope in the documents' order, which is also the order they are written in. */
export const envelopeFields = [
  "id",
  "type",
  "phase",
  "task",
  "author_role",
  "timestamp",
  "schema_version",
  "confidence",
  "payload",
] as const;

/** The only value of `schema_version`. */
export const schemaVersion = "2.0";

/**
 * Extra fields that Baton itself writes; they are known, even in `strict`. `kept` holds what a translated message
 * carried under a name that means something else in its new dialect.
 */
export const extensionFields: readonly string[] = ["assumed", "decided_by", "original_escalation", "kept"];

/** The key that holds a document's sections; also the type of the one message of that form. */
export const documentKey = "handoff";

/* The fields of the typed envelope as they are for one type: a table keeps them once for all types of its dialect. */

/** `envelope` with the type of `definition`. */
export function envelopeFor(
  { type }: Pick<TableDefinition, "type">,
  envelope: readonly FieldFacts[],
): readonly FieldFacts[] {
  const own: Pick<FieldFacts, "summary" | "form" | "value"> = {
    summary: "The message's type.",
    form: JSON.stringify(type),
    value: { is: "text", words: [type] },
  };
  return envelope.map((field) => (field.name === "type" ? { ...field, ...own } : field));
}
