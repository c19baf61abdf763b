/** What Baton says itself where no dialect has a word for it: every reader gets it as it stands. */
import type { Message } from "../message/message.ts";

/** A message of these lines. `wireId`: the id that its answer goes by; absent: it has none. */
export function prose(lines: readonly string[], wireId: Message["wireId"] = null): Message {
  return { dialect: null, type: null, rung: "markdown", wireId, text: lines.join("\n"), fact: null };
}
