/**
 * What run time knows of a definition beyond the contract: the generated fact tables have this form. Definitions are
 * functions, so that a start costs no more with fifty of them than with ten.
 */
import type { JsonObject } from "../base/json.ts";
import type { FactKind, Json } from "../message/facts.ts";
import type { DialectId } from "../message/message.ts";
import type { Role } from "../message/role.ts";
import type { Validator } from "../schema/value-form.ts";
import type { Definition, FieldFacts, WireForm } from "./dialect.ts";
import type { RuleName } from "./rules/rules.ts";

export interface TableDefinition extends Definition {
  readonly rules: readonly RuleName[];
  readonly taskMayBeEmpty: boolean;
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

/** `envelope` with the type of `definition`, and with a task that is named where it must be. */
export function envelopeFor(
  { type, taskMayBeEmpty }: Pick<TableDefinition, "type" | "taskMayBeEmpty">,
  envelope: readonly FieldFacts[],
): readonly FieldFacts[] {
  return envelope.map((field) => {
    if (field.name === "type") {
      return {
        ...field,
        summary: "The message's type.",
        form: JSON.stringify(type),
        value: { is: "text", words: [type] },
      };
    }
    if (field.name !== "task" || taskMayBeEmpty) return field;
    return {
      ...field,
      summary: "The task the message belongs to.",
      form: "text, not empty",
      value: { ...field.value, lengthMin: 1 },
    };
  });
}
