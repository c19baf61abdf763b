/**
 * Words that no dialect has anything to say about. They are read by themselves, so that who only says something loads no
 * dialect. Source: docs/protocol/messages.md, section 14.
 */
import type { Decoded } from "./decode.ts";
import { type ProseReading, proseReading } from "./reading.ts";

/**
 * The reading of an input that is words and nothing else, whatever the team speaks: no object among them looks like a
 * message, and they have no heading and name no type. Null: dialects have to be asked, or there is an error.
 */
export function plainWordsIn(decoded: Decoded): ProseReading | null {
  if (decoded.as !== "prose" || decoded.several > 0 || decoded.broken !== null) return null;
  if (decoded.mailbox !== undefined || /^ {0,3}#|type/im.test(decoded.text)) return null;
  return proseReading(decoded.text);
}
