/**
 * Which of the vocabulary's paths share a file, computed by trying: every pattern is tried on a set of files in which
 * every two patterns that can meet do meet. Knows nothing of the matcher in `base`.
 */
import { pathPatterns } from "../world/vocabulary.ts";

/** Files that a pattern may cover, each a bit. */
type Files = bigint;

const universe = filesOf(pathPatterns);
const known = new Map<string, Files>();

/** Whether two lists of paths share a file. */
export function shareAFile(some: readonly string[], others: readonly string[]): boolean {
  return (covered(some) & covered(others)) !== 0n;
}

/**
 * Whether each entry is inside of what is allowed: a file or folder when it, or all below it, does; a folder written
 * with a slash when all below it does; a glob when all it matches does. It is forbidden if nothing of it is left.
 */
export function liesInside(
  entries: readonly string[],
  scope: { readonly allowed: readonly string[]; readonly forbidden: readonly string[] },
): boolean {
  const [allowed, forbidden] = [covered(scope.allowed), covered(scope.forbidden)];
  const isIn = (files: Files, others: Files) => (files & ~others) === 0n;
  return entries.every((entry) => {
    const files = filesUnder(entry);
    if (/[*?]/.test(entry)) return isIn(files, allowed) && !isIn(files, forbidden);
    const itself = files & bitOf(entry.replace(/\/$/, ""));
    if (isIn(itself, forbidden) && itself !== 0n) return false;
    return isIn(files & ~itself, allowed) || (!entry.endsWith("/") && isIn(itself, allowed));
  });
}

function bitOf(file: string): Files {
  const bit = universe.indexOf(file);
  return bit < 0 ? 0n : 1n << BigInt(bit);
}

/** What a list of paths covers. */
export function covered(patterns: readonly string[]): Files {
  return patterns.reduce((files, pattern) => files | filesUnder(pattern), 0n);
}

function filesUnder(pattern: string): Files {
  const before = known.get(pattern);
  if (before !== undefined) return before;
  const found = universe.reduce(
    (files, file, bit) => (matches(pattern, file) ? files | (1n << BigInt(bit)) : files),
    0n,
  );
  known.set(pattern, found);
  return found;
}

/** The patterns' literal places, what may be below them, and what the wildcards may stand for. */
function filesOf(patterns: readonly string[]): readonly string[] {
  const places = patterns.map((pattern) => pattern.replace(/\/$/, ""));
  const filled = places.flatMap((place) =>
    ["a", "b", "x"].flatMap((word) =>
      ["", "one", "deep/"].map((more) =>
        place
          .replace("**/", more === "" ? "" : more.endsWith("/") ? more : `${more}/`)
          .replace("*", word)
          .replace("?", word),
      ),
    ),
  );
  const endings = ["", "/one.ts", "/two.ts", "/x.ts", "/d/two.ts", "/d/e.ts", "/guide.md"];
  return [
    ...new Set([...filled, "src/a/two.ts", "src/b/one.ts"].flatMap((place) => endings.map((end) => place + end))),
  ];
}

/** Plain and slow: what has no wildcard covers itself and all below it, `*` and `?` stay inside a part, `**` does not. */
function matches(pattern: string, file: string): boolean {
  if (!/[*?]/.test(pattern)) {
    const place = pattern.replace(/\/$/, "");
    return file === place || file.startsWith(`${place}/`);
  }
  return partsMatch(pattern.split("/"), file.split("/"));
}

function partsMatch(patterns: readonly string[], parts: readonly string[]): boolean {
  const [pattern, ...others] = patterns;
  if (pattern === undefined) return parts.length === 0;
  if (pattern === "**") return parts.some((_, skipped) => partsMatch(others, parts.slice(skipped)));
  const [part, ...rest] = parts;
  return part !== undefined && partMatches(pattern, part) && partsMatch(others, rest);
}

function partMatches(pattern: string, part: string): boolean {
  if (pattern === "") return part === "";
  if (pattern.startsWith("*")) {
    return Array.from({ length: part.length + 1 }).some((_, taken) => partMatches(pattern.slice(1), part.slice(taken)));
  }
  if (part === "" || (pattern[0] !== "?" && pattern[0] !== part[0])) return false;
  return partMatches(pattern.slice(1), part.slice(1));
}
