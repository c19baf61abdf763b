/**
 * The one way out: an entry as its reader gets it. A message goes out in the reader's own dialect; verbatim where it
 * was written in it, translated where a counterpart exists, and else as prose that says so and keeps the original.
 * Source: semantics.md section 3 (Translation).
 */

import { invariant } from "../base/invariant.ts";
import { type Json, parseBounded } from "../base/json.ts";
import type { Dialect } from "../dialects/dialect.ts";
import type { Entry } from "../journal/entry.ts";
import type { Message } from "../message/message.ts";
import { contentOf } from "./content.ts";
import type { Delivery } from "./team.ts";

/** The delivery of `entry` to a reader of `dialect`, or null when the entry carries no message. */
export function deliver(entry: Entry, dialect: Dialect | null): Delivery | null {
  const content = contentOf(entry);
  const { message } = content;
  if (message === undefined) return null;
  const head = {
    seq: entry.seq,
    id: message.wireId ?? entry.id,
    sender: entry.principal.agent,
    recordedAt: entry.recordedAt,
    effect: content.effect !== false,
    notes: content.notes ?? [],
  };
  if (message.fact === null || message.type === null) {
    return { ...head, dialect: null, type: null, message: message.text };
  }
  if (dialect === null || message.dialect === dialect.id) {
    return { ...head, dialect: message.dialect, type: message.type, message: wireOf(message) };
  }
  const written = dialect.write(message.fact, {
    id: message.wireId ?? entry.id ?? String(entry.seq),
    given: { authorRole: entry.principal.role ?? "lead", timestamp: entry.recordedAt },
  });
  if (written === null) return { ...head, dialect: null, type: null, message: proseOf(message, dialect) };
  const type = dialect.definitionOf(message.fact.kind)?.type ?? null;
  return { ...head, dialect: dialect.id, type, message: written };
}

/** The wire object of a recorded message. */
function wireOf(message: Message): Json {
  const parsed = parseBounded(message.text);
  invariant(parsed.ok, "a recorded typed message is readable JSON");
  return parsed.value;
}

/** Honest words where the reader's dialect has no counterpart; the original stays readable in a fence. */
function proseOf(message: Message, dialect: Dialect): string {
  const original = JSON.stringify(wireOf(message), null, 2);
  return [
    `This is a message of type ${message.type} in ${message.dialect}. Your dialect ${dialect.id} has no counterpart, so it comes as it was written:`,
    "",
    "```json",
    original.replaceAll("```", "\\u0060\\u0060\\u0060"),
    "```",
  ].join("\n");
}
