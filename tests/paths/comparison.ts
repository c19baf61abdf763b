/**
 * What the automata say of globs compared with what the reference means, question by question. Each comparison takes
 * the function it judges, so that a wrong one can be shown to it.
 */
import type { covers, overlaps } from "../../src/base/paths/glob-overlap.ts";
import type { globMatches } from "../../src/base/paths/globs.ts";
import { meant, type ShortGlob } from "./reference.ts";

/** How many questions were asked, and those about which the two disagree. */
export interface Comparison {
  readonly asked: number;
  readonly found: readonly Disagreement[];
}

/** Which of the paths each glob means, a bit each: by the reference alone. */
function extents(globs: readonly ShortGlob[], paths: readonly string[]): readonly Uint32Array[] {
  return globs.map(({ text }) => {
    const bits = new Uint32Array(Math.ceil(paths.length / 32));
    for (const [at, path] of paths.entries()) if (meant(text, path)) set(bits, at);
    return bits;
  });
}

function set(bits: Uint32Array, at: number): void {
  bits[at >>> 5] = (bits[at >>> 5] ?? 0) | (1 << (at & 31));
}

function share(a: Uint32Array, b: Uint32Array): boolean {
  return a.some((word, at) => (word & (b[at] ?? 0)) !== 0);
}

/** Whether everything in `held` is in one of the others. */
function hold(one: Uint32Array, other: Uint32Array, held: Uint32Array): boolean {
  return held.every((word, at) => (word & ~((one[at] ?? 0) | (other[at] ?? 0))) === 0);
}

interface Disagreement {
  readonly globs: readonly string[];
  readonly said: boolean;
}

/** Whether each path is in each glob. */
export function compareMatches(
  globs: readonly ShortGlob[],
  paths: readonly string[],
  matches: typeof globMatches,
): Comparison {
  const found: Disagreement[] = [];
  let asked = 0;
  for (const { text, glob } of globs) {
    for (const path of paths) {
      asked++;
      const said = matches(glob, path);
      if (said !== meant(text, path)) found.push({ globs: [text, path], said });
    }
  }
  return { found, asked };
}

/** Whether each two globs share one of the paths. */
export function compareOverlaps(
  globs: readonly ShortGlob[],
  paths: readonly string[],
  meet: typeof overlaps,
): Comparison {
  const meantBy = extents(globs, paths);
  const found: Disagreement[] = [];
  let asked = 0;
  for (const [first, one] of globs.entries()) {
    for (const [second, other] of globs.entries()) {
      asked++;
      const said = meet(one.glob, other.glob);
      if (said !== share(meantBy[first] as Uint32Array, meantBy[second] as Uint32Array))
        found.push({ globs: [one.text, other.text], said });
    }
  }
  return { found, asked };
}

/** Whether each two of `holders` leave none of the paths out that are in each of `held`. */
export function compareCovers(
  holders: readonly ShortGlob[],
  held: readonly ShortGlob[],
  paths: readonly string[],
  cover: typeof covers,
): Comparison {
  const [holding, inside] = [extents(holders, paths), extents(held, paths)];
  const found: Disagreement[] = [];
  let asked = 0;
  for (const [first, one] of holders.entries()) {
    for (let second = first; second < holders.length; second++) {
      const other = holders[second] as ShortGlob;
      for (const [third, glob] of held.entries()) {
        asked++;
        const said = cover([one.glob, other.glob], glob.glob);
        if (
          said !==
          hold(...([holding[first], holding[second], inside[third]] as [Uint32Array, Uint32Array, Uint32Array]))
        )
          found.push({ globs: [one.text, other.text, glob.text], said });
      }
    }
  }
  return { found, asked };
}
