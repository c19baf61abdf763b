/**
 * A message in another dialect: verbatim where it was written in it, translated where a counterpart exists, and else
 * as prose that says so and keeps the original in a fence. Nothing is invented silently: what the target demands and
 * the source lacks is named in the extra field `assumed`.
 * Source: docs/protocol/translation.md.
 */
import type { Json, JsonObject } from "../base/json.ts";
import type { Dialect, GivenHead } from "../dialects/dialect.ts";
import { type Fact, says } from "../message/facts.ts";
import type { DialectId } from "../message/message.ts";

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
  if (written === null) return { dialect: null, type: null, message: proseOf(source, target, envelope.id) };
  return { dialect: target.id, type: target.definitionOf(fact.kind)?.type ?? null, message: written };
}

/** The fact as the dialect says it: if it has no separate completions, progress says that a task is complete. */
function asSaidIn(target: Dialect, fact: Fact): Fact {
  if (!says(fact, "completion") || target.definitionOf(fact.kind) !== null) return fact;
  return { ...fact, kind: "progress" };
}

function proseOf({ dialect, type, fact, wire }: Source, target: Dialect, id: string): string {
  const original = JSON.stringify(wire, null, 2);
  return [
    `This is a message of type ${type} in ${dialect}. Your dialect ${target.id} has no counterpart, so it comes as it was written:`,
    "",
    "```json",
    original.replaceAll("```", "\\u0060\\u0060\\u0060"),
    "```",
    ...(fact.kind === "shutdown-request" ? ["", howToStop(dialect, id)] : []),
  ].join("\n");
}

/** What a reader does that is asked to stop by a message its dialect has no word for. */
function howToStop(dialect: DialectId, id: string): string {
  return [
    "You are asked to stop (shutdown). Finish the tool call at hand, then answer with a shutdown_response of",
    `${dialect} whose request_id is ${JSON.stringify(id)}; after it send nothing more.`,
    "An agent that does not answer is asked three times and then stopped.",
  ].join(" ");
}
