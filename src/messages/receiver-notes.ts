/**
 * The notes of a message that its receiver reads: by command, by tool, and in the mail that hooks show.
 * Source: docs/protocol/messages.md, section 18.
 */
import { visible } from "../base/text.ts";
import type { Note } from "./message.ts";

/** What a delivery says of a message next to its content. */
interface Noted {
  readonly effect: boolean;
  readonly notes: readonly Note[];
}

/** About how the sender wrote it, or what it only asked to know: the sender's own, and in the answer that it got. */
const codesOfSender: ReadonlySet<Note["code"]> = new Set([
  "alias",
  "already-so",
  "ambiguous-dialect",
  "contract-unchanged",
  "left-open",
  "lifted",
  "mailbox-entry",
  "no-deadline",
  "not-typed",
  "quoted-message",
  "read-as-prose",
  "unknown-field",
]);

/** The notes that the receiver reads; of a message without effect all, because they say why it has none. */
export function receiverNotes({ effect, notes }: Noted): readonly Note[] {
  return effect ? notes.filter(({ code }) => !codesOfSender.has(code)) : notes;
}

/** What a program that reads an inbox gets besides the message: that it has no effect, and its notes. */
export function deliveryRemarks(delivery: Noted): { readonly effect?: false; readonly notes?: readonly Note[] } {
  const notes = receiverNotes(delivery);
  if (!delivery.effect) return { effect: false, notes };
  return notes.length === 0 ? {} : { notes };
}

/** `must-fix-open at $.result: The approval …`, safe to show. */
export function receiverNoteLine({ code, path, message }: Note): string {
  return visible(`${code} at ${path}: ${message}`);
}
