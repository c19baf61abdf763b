/**
 * What Baton writes itself where no dialect has a message for it: prose. Every reader gets it unchanged, through any door,
 * so it names no command, route or tool; what it asks for has the same name at each (claim, resolve, issue). No line of it
 * begins with others' words.
 */
import { argument } from "../base/argument.ts";
import { messageBytesMax } from "../base/limits.ts";
import { makeProblem, type Problem } from "../base/problem.ts";
import { visibleLines } from "../base/text.ts";
import type { Message } from "../messages/message.ts";
import type { TeamState } from "./state.ts";

/** A message of these lines. `wireId`: the id that its answer goes by; absent: it has none. */
export function prose(lines: readonly string[], wireId: Message["wireId"] = null): Message {
  return { dialect: null, type: null, rung: "markdown", wireId, text: lines.join("\n"), fact: null };
}

/** A line with another's words; what they say in further lines is indented, so that it looks like no line of Baton's own. */
export function quoted(head: string, words: string): string {
  return `${head}: ${visibleLines(words).replaceAll("\n", "\n  ")}`;
}

/** Why no reader could read the words of an argument; null: every reader can. */
export function textProblem({ team: { definition } }: TeamState, text: string, name = "text"): Problem | null {
  const path = argument(name);
  if (text.trim() === "") return makeProblem("empty-message", path, "There are no words.");
  if (!text.isWellFormed()) return makeProblem("lone-surrogate", path, "The words hold half of a character.");
  if (text.includes("\0")) return makeProblem("nul-character", path, "The words hold a NUL character.");
  const bytes = Buffer.byteLength(text);
  const most = Math.min(definition?.limits.messageBytes ?? messageBytesMax, messageBytesMax);
  if (bytes <= most) return null;
  return makeProblem("too-large", path, `The words have ${bytes} bytes; this team takes at most ${most}.`, {
    expected: `at most ${most} bytes`,
    received: `${bytes} bytes`,
    hint: "Commit the long part as a file and name its path.",
  });
}
