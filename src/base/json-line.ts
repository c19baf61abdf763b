/** JSON on one line, with nothing in it that a terminal would obey or that a reader would not see. */

/**
 * Characters that JSON leaves as they are but a terminal obeys or hides: DEL, the C1 controls, line separators,
 * zero-width and direction marks. Escaped, they are the same JSON value.
 */
const obeyed = /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

/** `value` as one line of JSON in which nothing acts on a terminal. */
export function jsonLine(value: unknown): string {
  return (JSON.stringify(value) ?? "null").replace(
    obeyed,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
