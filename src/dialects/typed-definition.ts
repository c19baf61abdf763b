/**
 * What the second revisions know of a definition at run time: the generated fact tables have this form.
 * The envelope is the same in both but for the roles that may write.
 */
import type { DialectId } from "../message/message.ts";
import type { Role } from "../message/role.ts";
import type { Validator } from "../schema/validator.ts";
import type { Definition, FieldFacts } from "./dialect.ts";
import type { RuleName } from "./typed-rules.ts";

export interface TypedField extends FieldFacts {
  /** Timestamps are checked by `schema/timestamp.ts`: their calendar is beyond a JSON Schema validator. */
  readonly isTimestamp?: true;
  /** Known keys of an object, or of every object in a list of them. */
  readonly keys?: readonly string[];
}

export interface TypedDefinition extends Definition {
  readonly fields: readonly TypedField[];
  readonly rules: readonly RuleName[];
  readonly taskMayBeEmpty: boolean;
}

/** A dialect's generated facts. */
export interface TypedTable {
  readonly id: DialectId;
  readonly family: string;
  readonly authorRoles: readonly Role[];
  readonly definitions: readonly TypedDefinition[];
}

/** Validators by type. */
export type Validators = { readonly [type: string]: Validator };

/** Fields of the envelope in the seeds' order, which is also the order they are written in. */
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

/** Fields beyond the seeds that Baton itself writes beside the envelope; they are no strangers, even in `strict`. */
export const extensionFields: readonly string[] = ["assumed", "decided_by", "original_escalation"];
