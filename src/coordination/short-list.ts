/** Lists in messages to agents: a refusal carries a bounded number of names and says how many it leaves out. */

/** Most errors of one kind, and most names in one list, that a refusal carries. */
export const shownMax = 20;

/** The entries, comma-separated; a long list is cut, and says by how much. */
export function shortList(entries: readonly string[]): string {
  if (entries.length === 0) return "nothing";
  const shown = entries.slice(0, shownMax).join(", ");
  return entries.length > shownMax ? `${shown} and ${entries.length - shownMax} more` : shown;
}
