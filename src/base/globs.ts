/**
 * Globs of contracts and claims: a small dialect with a matcher that is linear in the path for each glob. An agent's
 * text never becomes a regular expression.
 *
 *   src/app.ts   without wildcard: itself and everything below it; a trailing slash says the same of any glob
 *   *  ?         any characters, one character, inside one part
 *   **           as a whole part: any number of parts, none included; at the end: everything below
 *
 * All other characters, brackets, braces and `!` too, stand for themselves. A glob is a small automaton: a list of
 * states, the first one initial; `skip` leads on without a character and always forward, which is why one pass suffices.
 * Source: semantics.md section 3 (Contracts), guarantees.md section 2 (limits).
 */
import { globCharactersMax } from "./limits.ts";
import { foldFully, foldSimply, type Path, pathParts, spellingsOf } from "./paths.ts";
import { type Problem, problem } from "./problem.ts";
import { err, ok, type Result } from "./result.ts";

/** What an edge takes: one literal character, or one of these two classes. */
export const anyInPart = "";
export const anyAtAll = "**";

export interface State {
  readonly edges: readonly { readonly on: string; readonly target: number }[];
  readonly skip: number | null;
  readonly isEnd: boolean;
}

export interface Glob {
  /** In canonical form: no `.` parts, no doubled slashes; a trailing slash only where it says something. */
  readonly text: string;
  readonly states: readonly State[];
  /** The text of a glob without wildcards, which is compared as it is; null for the others. */
  readonly literal: string | null;
}

/** Contracts judge the same few globs with every report, so they are compiled once; a full store starts afresh. */
const compiled = new Map<string, Result<Glob, Problem>>();
const compiledMax = 1_000;

/**
 * Reads a glob. Refuses with `invalid-glob` what `canonicalPath` would refuse as a path, and more than 256 characters.
 */
export function readGlob(text: string): Result<Glob, Problem> {
  const known = compiled.get(text);
  if (known !== undefined) return known;
  const read = readNewGlob(text);
  if (compiled.size >= compiledMax) compiled.clear();
  if (text.length <= globCharactersMax) compiled.set(text, read);
  return read;
}

function readNewGlob(text: string): Result<Glob, Problem> {
  const parts = pathParts(text);
  if (!parts.ok) return err(invalidGlob(text, parts.error));
  if (Array.from(text).length > globCharactersMax)
    return err(invalidGlob(text, `is longer than ${globCharactersMax} characters`));
  return ok(compile(parts.value, text.endsWith("/") || text.endsWith("/.")));
}

/** Counts the matcher's steps, for those who want to see that they are bounded. */
export interface Meter {
  steps: number;
}

/**
 * Whether the glob matches the path exactly as written. Takes at most (states) * (characters + 1) steps; states are
 * at most the glob's characters + 3.
 */
export function globMatches(glob: Glob, path: string, meter?: Meter): boolean {
  if (glob.literal !== null && meter === undefined) return liesAtOrBelow(glob.literal, path);
  return runGlob(glob, path, meter);
}

/** What the automaton of a glob without wildcards says, in one comparison. */
function liesAtOrBelow(literal: string, path: string): boolean {
  if (!path.startsWith(literal)) return false;
  const at = literal.length;
  return path.length === at || (path[at] === "/" && path.length > at + 1 && path[at + 1] !== "/");
}

function runGlob(glob: Glob, path: string, meter?: Meter): boolean {
  const { states } = glob;
  let current = new Uint8Array(states.length);
  let next = new Uint8Array(states.length);
  current[0] = 1;
  for (const character of path) {
    let isAlive = false;
    for (let index = 0; index < states.length; index++) {
      if (current[index] === 0) continue;
      const state = states[index] as State; // index is below the length
      if (meter !== undefined) meter.steps++;
      if (state.skip !== null) current[state.skip] = 1;
      for (const { on, target } of state.edges) {
        if (!admits(on, character)) continue;
        next[target] = 1;
        isAlive = true;
      }
    }
    if (!isAlive) return false;
    [current, next] = [next, current];
    next.fill(0);
  }
  return states.some((state, index) => {
    if (current[index] === 1 && state.skip !== null) current[state.skip] = 1;
    return current[index] === 1 && state.isEnd;
  });
}

/** Whether an edge takes the character. */
export function admits(on: string, character: string): boolean {
  return on === character || on === anyAtAll || (on === anyInPart && character !== "/");
}

/** The first of the globs that matches the path exactly as written, or null. */
export function allowing(allowed: readonly Glob[], path: Path): Glob | null {
  return allowed.find((glob) => globMatches(glob, path)) ?? null;
}

/** The first of the globs that matches the path, or a spelling of it that some file system takes for the same file. */
export function forbidding(forbidden: readonly Glob[], path: Path): Glob | null {
  if (forbidden.length === 0) return null;
  const spellings = spellingsOf(path);
  const matches = (glob: Glob) =>
    variantsOf(glob).some((variant) => spellings.some((spelling) => globMatches(variant, spelling)));
  return forbidden.find(matches) ?? null;
}

/** Whether one of the globs matches the path exactly as written. */
export function allows(allowed: readonly Glob[], path: Path): boolean {
  return allowing(allowed, path) !== null;
}

/** Whether one of the globs matches the path, or a spelling of it that some file system takes for the same file. */
export function forbids(forbidden: readonly Glob[], path: Path): boolean {
  return forbidding(forbidden, path) !== null;
}

/** The glob with case removed by whole-word rules, to be compared with others of that kind. */
export function caseless(glob: Glob): Glob {
  return foldedGlob(glob, foldFully);
}

const variants = new WeakMap<Glob, readonly Glob[]>();

/** The glob as written and without case, each way once; compiled once a glob. */
function variantsOf(glob: Glob): readonly Glob[] {
  const known = variants.get(glob);
  if (known !== undefined) return known;
  const all = [...new Set([glob, foldedGlob(glob, foldSimply), foldedGlob(glob, foldFully)])];
  variants.set(glob, all);
  return all;
}

function foldedGlob(glob: Glob, fold: (text: string) => string): Glob {
  const text = fold(glob.text);
  return text === glob.text
    ? glob
    : compile(
        text.split("/").filter((part) => part !== ""),
        text.endsWith("/"),
      );
}

function compile(parts: readonly string[], hasTrailingSlash: boolean): Glob {
  const states: State[] = [];
  const add = (skip: number | null, ...edges: State["edges"]): number => states.push({ edges, skip, isEnd: false });
  const hasWildcard = parts.some((part) => /[*?]/.test(part));
  const isTree = hasTrailingSlash || !hasWildcard;
  parts.forEach((part, index) => {
    const isLast = index === parts.length - 1;
    const here = states.length;
    if (part === "**" && isLast) {
      add(null, { on: anyInPart, target: here + 1 });
      states.push({ edges: [{ on: anyAtAll, target: here + 1 }], skip: null, isEnd: true });
      return;
    }
    if (part === "**") {
      add(here + 2, { on: anyInPart, target: here + 1 });
      add(null, { on: anyInPart, target: here + 1 }, { on: "/", target: here });
      return;
    }
    for (const character of isLast ? part : `${part}/`) {
      const at = states.length;
      if (character === "*") add(at + 1, { on: anyInPart, target: at });
      else add(null, { on: character === "?" ? anyInPart : character, target: at + 1 });
    }
    if (isLast) addEnd(states, isTree);
  });
  const text = parts.join("/");
  return {
    text: text + (hasTrailingSlash && hasWildcard && parts.at(-1) !== "**" ? "/" : ""),
    states,
    literal: hasWildcard ? null : text,
  };
}

function addEnd(states: State[], isTree: boolean): void {
  const end = states.length;
  states.push({ edges: isTree ? [{ on: "/", target: end + 1 }] : [], skip: null, isEnd: true });
  if (!isTree) return;
  states.push({ edges: [{ on: anyInPart, target: end + 2 }], skip: null, isEnd: false });
  states.push({ edges: [{ on: anyAtAll, target: end + 2 }], skip: null, isEnd: true });
}

function invalidGlob(text: string, reason: string): Problem {
  return problem("invalid-glob", text.slice(0, 200).toWellFormed(), `The path or glob ${reason}.`, {
    expected: "a path or glob relative to the repository, such as src/ or src/**/*.ts",
    received: text.slice(0, 200).toWellFormed(),
  });
}
