/** Tables as files that other programs read. */

/**
 * Rows as CSV (RFC 4180). A cell of text that a spreadsheet would take for a formula gets an apostrophe in front, so agent
 * text computes nothing there.
 *
 * @example csvOf([["agent", "refused"], ["dev-1", 2]]) // "agent,refused\r\ndev-1,2\r\n"
 */
export function csvOf(rows: readonly (readonly (string | number | undefined)[])[]): string {
  return rows.map((row) => `${row.map(cellOf).join(",")}\r\n`).join("");
}

function cellOf(value: string | number | undefined): string {
  if (typeof value !== "string") return value === undefined ? "" : String(value);
  const plain = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}

/** Gives the text to the browser as a download. */
export function saveText(type: string, name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
