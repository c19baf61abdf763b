/**
 * How a dialect is authored: a list of messages, each one entry with all its facts. Only `messages.ts` files, the
 * generator and tests import this; run time reads the tables that the generator wrote from it.
 */
import type { FactKind, Json } from "../message/facts.ts";
import type { DialectId } from "../message/message.ts";
import type { Role } from "../message/role.ts";
import type { Field } from "../schema/shapes.ts";
import type { Aliases, Routing, WireForm } from "./dialect.ts";
import type { RuleName } from "./rules/rules.ts";

/** One message: everything the generator derives types, checkers, schemas, matrix and pages from. */
export interface MessageEntry {
  readonly type: string;
  /** One sentence: what the message says and when it is sent. */
  readonly summary: string;
  readonly kind: FactKind;
  /** Roles that may send it, in its document's order. */
  readonly senders: readonly Role[];
  /** Typical receivers, in its document's order. */
  readonly receivers: readonly Role[];
  /** Whether agents send it; an internal type is written by Baton only. */
  readonly wire: "sent" | "internal";
  readonly routing: Routing;
  /** The message's own fields by wire name, in its document's order: those of the payload, or those next to `type`. */
  readonly payload: { readonly [name: string]: Field };
  /** Spellings that agents are known to use instead (`dialect.ts` says how they are written down). */
  readonly aliases: Partial<Aliases>;
  /** Cross-field rules that JSON Schema cannot say. */
  readonly rules: readonly RuleName[];
  /** Whether the envelope's `task` may be empty. */
  readonly taskMayBeEmpty: boolean;
  /** A valid message of the type: envelope fields that differ from the usual where there is one, and the fields. */
  readonly example: {
    readonly id?: string;
    readonly task?: string;
    readonly authorRole?: Role;
    readonly payload: { readonly [name: string]: Json };
  };
}

/** A dialect as authored. */
export interface DialectEntry {
  readonly id: DialectId;
  readonly family: string;
  readonly form: WireForm;
  /** What it is, for the reference pages. */
  readonly title: string;
  /** Values of `author_role`, in its document's order; none where there is no envelope. */
  readonly authorRoles: readonly Role[];
  /** Whether agents of several active departments are kept apart. */
  readonly isolatesDepartments?: true;
  readonly messages: readonly MessageEntry[];
}

type Defaults = "wire" | "routing" | "aliases" | "rules" | "taskMayBeEmpty";

/** A message entry; agents send it, its task is named and no rule binds its fields, unless said otherwise. */
export function message(parts: Omit<MessageEntry, Defaults> & Partial<Pick<MessageEntry, Defaults>>): MessageEntry {
  return { wire: "sent", routing: {}, aliases: {}, rules: [], taskMayBeEmpty: false, ...parts };
}

/** The camel case of a wire name: `files_modified` becomes `filesModified`. */
export function neutralName(wireName: string): string {
  return wireName.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
