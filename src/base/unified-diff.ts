/**
 * The changes between two documents, as a unified diff: lines that go, lines that come, and three lines around them.
 */
import { FILE_HEADERS_ONLY, formatPatch, structuredPatch } from "diff";

/**
 * So many lines that go or come are paired; beyond that everything is shown as changed. The time, in milliseconds, is a
 * second bound that is not reached otherwise: what is shown should not depend on the machine.
 */
const bounds = { maxEditLength: 1_000, timeout: 1_000 };

/**
 * The diff from `before` to `after`, headed by the two names, without a line end behind it; empty where they are the same.
 * Null stands for a file that is not there.
 */
export function unifiedDiff(before: string | null, after: string | null, names: { from: string; to: string }): string {
  if (before === after) return "";
  const [old, now] = [before ?? "", after ?? ""];
  const from = before === null ? "/dev/null" : names.from;
  const to = after === null ? "/dev/null" : names.to;
  const patchOf = (one: string, other: string, bounded: Partial<typeof bounds>) =>
    structuredPatch(from, to, one, other, undefined, undefined, { context: 3, ...bounded });
  const paired = patchOf(old, now, bounds);
  // One side at a time needs no pairing.
  const patch = paired ?? joined(patchOf(old, "", {}), patchOf("", now, {}));
  return formatPatch(patch, FILE_HEADERS_ONLY).slice(0, -1);
}

type Patch = ReturnType<typeof structuredPatch>;

/** What takes everything away and then puts everything in. */
function joined(gone: Patch, come: Patch): Patch {
  const [taken, put] = [gone.hunks[0], come.hunks[0]];
  if (taken === undefined || put === undefined) return taken === undefined ? come : gone;
  return { ...gone, hunks: [{ ...taken, newStart: 1, newLines: put.newLines, lines: [...taken.lines, ...put.lines] }] };
}
