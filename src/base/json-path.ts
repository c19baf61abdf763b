/** How problems say where in a JSON text something is: the steps of a JSON path, and line and column. */

/** `.key` where the key is a plain word, else `["key"]`, shortened so that a hostile key stays readable. */
export function pathStep(key: string): string {
  if (/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/.test(key)) return `.${key}`;
  return `[${JSON.stringify(key.length > 64 ? `${key.slice(0, 63).toWellFormed()}…` : key)}]`;
}

/** `line L, column C` of an offset, both from 1, columns in UTF-16 units. */
export function place(text: string, offset: number): string {
  let line = 1;
  let start = 0;
  for (;;) {
    const next = text.indexOf("\n", start);
    if (next < 0 || next >= offset) return `line ${line}, column ${offset - start + 1}`;
    line++;
    start = next + 1;
  }
}
