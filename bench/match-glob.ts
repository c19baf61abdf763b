/** Matching at the limits: no glob and no path that an agent may write hold a decision up. */
import { allows, forbids, type Glob, readGlob } from "../src/base/paths/globs.ts";
import { canonicalPath, type Path } from "../src/base/paths/paths.ts";
import { worstGlobs, worstPaths } from "../tests/paths/worst.ts";
import { type Measure, timed } from "./measure.ts";

const matches = 20;

/** The slowest pair of all: allowed as written, and forbidden in every spelling. */
export const matchWorst: Measure = {
  name: "Matching the worst glob",
  subject: "globs of 256 characters on paths of 1,024 bytes, allowed and forbidden; the slowest pair",
  yardstick: "the bound",
  target: { of: "time", atMost: 1 },
  rounds: 25,
  open: async () => {
    const pairs = worstGlobs.flatMap((text) => worstPaths.map((path) => [globOf(text), pathOf(path)] as const));
    return {
      yardstick: () => 1,
      async subject() {
        let most = 0;
        for (const [glob, path] of pairs) {
          most = Math.max(most, await timed(matches, () => repeat(() => allows([glob], path))));
          most = Math.max(most, await timed(matches, () => repeat(() => forbids([glob], path))));
        }
        return most;
      },
    };
  },
};

function repeat(act: () => void): void {
  for (let time = 0; time < matches; time++) act();
}

function globOf(text: string): Glob {
  const read = readGlob(text);
  if (!read.ok) throw new Error(read.error.message);
  return read.value;
}

function pathOf(text: string): Path {
  const read = canonicalPath(text);
  if (!read.ok) throw new Error(read.error.message);
  return read.value;
}
