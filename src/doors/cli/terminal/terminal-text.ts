/**
 * Text in the columns of a terminal: how many it takes, and cut to as many as there are. The text must be visible text
 * already. An estimate where terminals differ (joined emoji are counted apart), so a line may end early, never late.
 */

/** Letters of East Asia and pictures take two columns. */
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f000}-\u{1faff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;
/** Marks are drawn over the letter before them. */
const drawnOver = /[\p{Mn}\p{Me}]/u;

/** How many columns the text takes. */
export function columnsOf(text: string): number {
  let columns = 0;
  for (const character of text) columns += widthOf(character);
  return columns;
}

/** The text in at most `columnsMax` columns; `…` is last where something was cut. */
export function fitColumns(text: string, columnsMax: number): string {
  if (columnsMax <= 0) return "";
  if (text.length * 2 <= columnsMax || columnsOf(text) <= columnsMax) return text;
  let kept = "";
  let columns = 0;
  for (const character of text) {
    columns += widthOf(character);
    if (columns > columnsMax - 1) break;
    kept += character;
  }
  return `${kept}…`;
}

function widthOf(character: string): number {
  if (character < "\u0300") return 1;
  if (drawnOver.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}

/* Rows of words in columns. The words must be visible text already. */

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
