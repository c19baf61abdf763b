/**
 * The contract that every dialect meets, and the facts that a definition carries at run time. Everyone but the
 * registry sees dialects only through these types. Authoring (zod) lives in `dialects/{name}/messages.ts`; run time
 * reads `dialects/{name}/generated/`.
 */
import type { Problem } from "../base/problem.ts";
import type { Fact, FactKind, Json } from "../message/facts.ts";
import type { DialectId, Note } from "../message/message.ts";
import type { Role } from "../message/role.ts";

/** One message definition: every fact about it but its checker. */
export interface Definition {
  readonly dialect: DialectId;
  readonly type: string;
  readonly summary: string;
  readonly kind: FactKind;
  readonly senders: readonly Role[];
  /** Typical receivers, in the seed's order. */
  readonly receivers: readonly Role[];
  /** Whether agents send it at all; internal types are written by Baton only. */
  readonly wire: "sent" | "internal";
  /** Payload fields in order, by wire name. */
  readonly fields: readonly FieldFacts[];
  /** A valid message of the type, whole. */
  readonly example: { readonly [field: string]: Json };
}

export interface FieldFacts {
  readonly name: string;
  /** The field's name in a neutral fact's body. */
  readonly neutral: string;
  readonly required: boolean;
  readonly summary: string;
  /** What the value looks like, in words: `text`, `list of text`, `high | medium | low`. */
  readonly form: string;
}

/**
 * A dialect's answer to a JSON value: a message it accepts, a message that is not its own, or its own with faults.
 * `not-mine` is no fault: another dialect may accept it.
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

export interface Dialect {
  readonly id: DialectId;
  readonly family: string;
  /** Definitions by type, in the seed's order. */
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
}

/** What the connection knows and a translated message may need: never invented, named in `assumed`. */
export interface GivenHead {
  readonly authorRole: string;
  readonly timestamp: string;
}
