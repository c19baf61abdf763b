/**
 * Reading and writing messages without a team: the library's front door. The reading is a union told apart by
 * `outcome`, then by `dialect` and `type`, so that `reading.message.payload.status` has its type. It answers at once, so
 * it brings the YAML library with it; commands read by `read.ts`, which loads that only for a YAML text.
 * Source: docs/protocol/doors.md, section 8; docs/protocol/messages.md, sections 10 to 18.
 */
import * as yaml from "yaml";
import type { JsonObject } from "../../base/json.ts";
import { newMessageId } from "../../base/new-ids.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { yamlParser } from "../../base/text-formats/yaml.ts";
import type { GivenHead } from "../dialects/dialect.ts";
import { dialectOf, dialects, type WireMessage } from "../dialects/registry.ts";
import type { Fact } from "../facts.ts";
import type { DialectId } from "../message.ts";
import type { NativeType, nativeDialect } from "./native.ts";
import { readWith } from "./read.ts";
import type { AcceptedReading, InvalidReading, ProseReading } from "./reading.ts";

/** What an input is: a typed message, a control frame of an agent program, prose, or invalid with problems. */
export type MessageReading =
  | (Omit<AcceptedReading, "dialect" | "type" | "message"> & WireMessage)
  | (Omit<AcceptedReading, "dialect" | "type"> & { readonly dialect: typeof nativeDialect; readonly type: NativeType })
  | ProseReading
  | InvalidReading;

/** How a message is read. */
export interface ReadMessageOptions {
  /** Dialects to try, in order; absent: all that exist. An unknown id is skipped. */
  readonly dialects?: readonly DialectId[];
  /** Refuse unknown fields, flat messages of unknown types, drifted spellings, and words around a message. */
  readonly strict?: boolean;
}

/**
 * Reads one input (a string or its UTF-8 bytes). Total: never throws, for any input.
 * @example
 * const reading = readMessage(text);
 * if (reading.outcome === "accepted" && reading.type === "execution_update") reading.message.payload.status;
 */
export function readMessage(text: string | Uint8Array, options: ReadMessageOptions = {}): MessageReading {
  const chosen = options.dialects?.map(dialectOf).filter((dialect) => dialect !== null) ?? dialects;
  const reading = readWith(yamlParser(yaml), text, { dialects: chosen, strict: options.strict === true });
  // A dialect accepts only what its generated validator passed, which is what the generated wire types say.
  return reading as MessageReading;
}

/**
 * Writes a fact in a dialect, canonical and whole. Refuses `unknown-dialect`, and `unknown-type` where the dialect has
 * no counterpart for the fact's kind. Role and time that the fact lacks are taken from `given` and named in `assumed`.
 */
export function writeMessage(
  fact: Fact,
  options: { readonly dialect: DialectId; readonly id?: string; readonly given: GivenHead },
): Result<JsonObject, Problem> {
  const dialect = dialectOf(options.dialect);
  if (dialect === null) {
    const expected = dialects.map(({ id }) => id).join(" | ");
    return err(
      makeProblem("unknown-dialect", options.dialect, `There is no dialect "${options.dialect}".`, { expected }),
    );
  }
  const written = dialect.write(fact, { id: options.id ?? newMessageId(), given: options.given });
  if (written !== null) return ok(written as JsonObject); // a dialect writes objects only
  return err(makeProblem("unknown-type", dialect.id, `${dialect.id} has no message that says "${fact.kind}".`));
}
