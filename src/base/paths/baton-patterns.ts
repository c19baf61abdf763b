/**
 * Paths and globs that somebody asks for, and whether they ask for `.baton/`. The gate and the verdicts refuse changes of
 * these files whatever a glob matches; here an agent learns it when it asks, also where another program would read its
 * pattern so. `**` and `*` are no such pattern: they ask for the work around `.baton/`.
 * Source: docs/protocol/authority.md, section 21.
 */
import { globMatches, readGlob } from "./globs.ts";
import { plainParts, reachesIntoBaton } from "./paths.ts";

/**
 * Whether a path or glob asks for `.baton`: by its name in any spelling, or by a part with wildcards that matches it and
 * begins with a dot or spells `baton` out, such as `.b?ton` or `?baton`. Brackets and braces, which stand for themselves
 * in a glob of Baton, are read as a shell reads them.
 */
export function asksForBaton(text: string): boolean {
  if (reachesIntoBaton(text)) return true;
  // Fullwidth brackets and wildcards are among them only after they are normalised, so these strings are looked at, too.
  if (!/[*?[{~]|[^\x20-\x7e]/.test(text)) return false;
  return alternatives(text).some((each) => reachesIntoBaton(each) || each.split("/").some(isBatonPattern));
}

function isBatonPattern(part: string): boolean {
  return plainParts(part).some((plain) => {
    const pattern = plain.replace(/\[[^[\]]+\]/g, "?");
    if (/^baton~[0-9*?]+$/.test(pattern)) return true;
    if (!pattern.startsWith(".") && !pattern.endsWith("baton")) return false;
    const glob = readGlob(pattern);
    return glob.ok && globMatches(glob.value, ".baton");
  });
}

/** What is read of a string with braces: a list with more alternatives is none that somebody wrote by hand. */
const alternativesMax = 100;

/** The strings that a shell makes of `{a,b}`, the innermost braces first; what has no braces is itself. */
function alternatives(text: string): readonly string[] {
  const done: string[] = [];
  const waiting = [text];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const braces = /\{([^{}]*)\}/.exec(next);
    if (braces === null) done.push(next);
    else {
      const [before, after] = [next.slice(0, braces.index), next.slice(braces.index + braces[0].length)];
      waiting.push(...(braces[1] ?? "").split(",").map((each) => `${before}${each}${after}`));
    }
    if (done.length + waiting.length > alternativesMax) break;
  }
  return done;
}
