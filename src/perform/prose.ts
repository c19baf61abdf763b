/**
 * What Baton writes itself where no dialect has a message for it: prose. Every reader gets it unchanged, through any door,
 * so it names no command, route or tool; what it asks for has the same name at each (claim, resolve, issue). No line of it
 * begins with others' words.
 */
import { visibleLines } from "../base/text.ts";
import type { Message } from "../messages/message.ts";

/** A message of these lines. `wireId`: the id that its answer goes by; absent: it has none. */
export function prose(lines: readonly string[], wireId: Message["wireId"] = null): Message {
  return { dialect: null, type: null, rung: "markdown", wireId, text: lines.join("\n"), fact: null };
}

/** A line with another's words; what they say in further lines is indented, so that it looks like no line of Baton's own. */
export function quoted(head: string, words: string): string {
  return `${head}: ${visibleLines(words).replaceAll("\n", "\n  ")}`;
}
