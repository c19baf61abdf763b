/** A message for a person's eyes: prose as it is, JSON indented, nothing in it able to act on the terminal. */

import { visible } from "../../../base/text.ts";
import type { Json } from "../../../message/facts.ts";

/** The message indented by two, line by line made visible; a line feed at its end begins no line. */
export function messageText(message: Json): string {
  const text = typeof message === "string" ? message : JSON.stringify(message, null, 2);
  return text
    .replace(/\r?\n$/, "")
    .split(/\r?\n/)
    .map((line) => `  ${visible(line)}`)
    .join("\n");
}
