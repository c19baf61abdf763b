/**
 * Repair hints: which allowed word did the writer mean? First by a table of words that agents write instead, then by
 * a small edit distance. Bounded: long texts get no guess.
 */

/** Words that agents write for an allowed one, in lower case. The first candidate that is allowed wins. */
const synonyms: ReadonlyMap<string, readonly string[]> = new Map([
  ["done", ["complete", "phase_complete"]],
  ["clean", ["complete"]],
  ["completed", ["complete"]],
  ["finished", ["complete"]],
  ["success", ["complete", "PASS"]],
  ["succeeded", ["complete", "PASS"]],
  ["ok", ["complete", "PASS"]],
  ["in_progress", ["partial"]],
  ["in-progress", ["in_progress", "partial"]],
  ["in progress", ["in_progress", "partial"]],
  ["working", ["in_progress", "partial"]],
  ["ongoing", ["in_progress", "partial"]],
  ["incomplete", ["partial", "PARTIAL", "in_progress"]],
  ["error", ["failed", "FAIL", "user_abort"]],
  ["timeout", ["user_abort"]],
  ["errored", ["failed", "FAIL"]],
  ["failure", ["failed", "FAIL"]],
  ["failing", ["failed", "FAIL"]],
  ["passed", ["PASS"]],
  ["passing", ["PASS"]],
  ["approved", ["PASS"]],
  ["rejected", ["FAIL"]],
  ["mixed", ["PARTIAL"]],
  ["blocked", ["blocking"]],
  ["blocker", ["blocking"]],
  ["critical", ["blocking", "high"]],
  ["warning", ["degraded", "medium"]],
  ["minor", ["degraded", "low"]],
  ["info", ["informational"]],
  ["certain", ["high"]],
  ["moderate", ["medium"]],
  ["mid", ["medium"]],
  ["uncertain", ["low"]],
  ["fast", ["quick"]],
  ["smoke", ["quick"]],
  ["normal", ["standard"]],
  ["full", ["deep", "standard"]],
  ["thorough", ["deep"]],
  ["developer", ["dev"]],
  ["engineer", ["dev"]],
  ["tester", ["qa"]],
  ["researcher", ["scout"]],
  ["orchestrator", ["lead"]],
  ["manager", ["lead"]],
  ["writer", ["docs"]],
  ["documentation", ["docs"]],
  ["scope", ["scope_change"]],
  ["plan", ["plan_approval"]],
  ["override", ["gate_override"]],
  ["stack", ["tech-stack"]],
  ["aborted", ["user_abort"]],
  ["cancelled", ["user_abort"]],
  ["2", ["2.0"]],
  ["2.1", ["2.0"]],
]);

const guessedCharactersMax = 48;

/** The allowed word that `written` most likely stands for, or null when none is near. */
export function nearest(written: string, allowed: readonly string[]): string | null {
  if (written.length === 0 || written.length > guessedCharactersMax) return null;
  const lower = written.toLowerCase();
  const sameButCase = allowed.find((word) => word.toLowerCase() === lower);
  if (sameButCase !== undefined) return sameButCase;
  const synonym = synonyms.get(lower)?.find((word) => allowed.includes(word));
  if (synonym !== undefined) return synonym;
  let best: string | null = null;
  let bestDistance = Math.max(1, Math.floor(lower.length / 3)) + 1;
  for (const word of allowed) {
    // Words of other lengths are at least as far apart as their lengths.
    if (word.length > guessedCharactersMax || Math.abs(word.length - lower.length) >= bestDistance) continue;
    const distance = editDistance(lower, word.toLowerCase());
    if (distance < bestDistance) {
      best = word;
      bestDistance = distance;
    }
  }
  return best;
}

/** Least number of insertions, deletions, replacements and swaps of neighbours that turn one text into the other. */
function editDistance(source: string, target: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: target.length + 1 }, (_, column) => column);
  for (let row = 1; row <= source.length; row++) {
    const current = [row];
    for (let column = 1; column <= target.length; column++) {
      const replaced = (previous[column - 1] ?? 0) + (source[row - 1] === target[column - 1] ? 0 : 1);
      let least = Math.min(replaced, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1);
      const isSwap =
        row > 1 && column > 1 && source[row - 1] === target[column - 2] && source[row - 2] === target[column - 1];
      if (isSwap) least = Math.min(least, (beforePrevious[column - 2] ?? 0) + 1);
      current.push(least);
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[target.length] ?? 0;
}
