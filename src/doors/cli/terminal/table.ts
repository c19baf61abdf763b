/** Rows of words in columns. The words must be visible text already. */

/** The rows, each column as wide as its widest word, two spaces between. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, word] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, word.length);
  }
  return rows
    .map((row) =>
      row
        .map((word, column) => word.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
