/** Ids of acts made in the browser: the same id is sent with every retry of one act, so that it has one effect. */

/** A new random id of 128 bits, from the browser's source of chance that also stands outside secure contexts. */
export function newActId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `page-${[...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
