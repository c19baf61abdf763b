/**
 * Globs of contracts and claims: a small dialect with a matcher that is linear in the path for each glob. An agent's
 * text never becomes a regular expression.
 *
 *   src/app.ts   without wildcard: itself and everything below it; a trailing slash says the same of any glob
 *   *  ?         any characters, one character, inside one part
 *   **           as a whole part: any number of parts, none included; at the end: everything below
 *
 * All other characters, brackets, braces and `!` too, stand for themselves. A glob is a small automaton: a list of
 * states, the first one initial; `skip` leads on without a character. `glob-matching.ts` runs it.
 * Source: docs/protocol/tasks.md, sections 17 to 20; docs/protocol/messages.md, section 17.
 */

import { globCharactersMax } from "../limits.ts";
import { makeProblem, type Problem } from "../problem.ts";
import { err, ok, type Result } from "../result.ts";
import {
  anyAtAll,
  anyInPart,
  type Masks,
  type Meter,
  masksOf,
  type State,
  type Together,
  takes,
  together,
} from "./glob-matching.ts";
import { foldAsStored, foldFully, foldSimply, type Path, pathParts, type Spellings, spellingsOf } from "./paths.ts";

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

/**
 * Whether the glob matches the path exactly as written. Takes at most (states / 32, rounded up) * (characters + 1) steps;
 * states are at most the glob's characters + 3. `meter` counts them; a glob without wildcards is compared in one.
 */
export function globMatches(glob: Glob, path: string, meter?: Meter): boolean {
  if (glob.literal === null) return takes(masksFor(glob), path, meter);
  if (meter !== undefined) meter.steps++;
  return liesAtOrBelow(glob.literal, path);
}

/** Globs that are compared with paths together, at the cost of one glob that is as long as all of them. */
export function globsTogether(globs: readonly Glob[]): Together {
  return together(globs.map(({ states }) => states));
}

const masks = new WeakMap<Glob, Masks>();

/** The masks of a glob, worked out when it is first matched. */
function masksFor(glob: Glob): Masks {
  const known = masks.get(glob);
  if (known !== undefined) return known;
  const made = masksOf(glob.states);
  masks.set(glob, made);
  return made;
}

/** What the automaton of a glob without wildcards says, in one comparison. */
function liesAtOrBelow(literal: string, path: string): boolean {
  if (!path.startsWith(literal)) return false;
  const at = literal.length;
  return path.length === at || (path[at] === "/" && path.length > at + 1 && path[at + 1] !== "/");
}

/** Whether an edge takes the character. */
export function admits(on: string, character: string): boolean {
  return on === character || on === anyAtAll || (on === anyInPart && character !== "/");
}

/** The first of the globs that matches the path exactly as written, or null. */
export function allowing(allowed: readonly Glob[], path: Path, meter?: Meter): Glob | null {
  return allowed.find((glob) => globMatches(glob, path, meter)) ?? null;
}

/** The first of the globs that matches the path, or a spelling of it that some file system takes for the same file. */
export function forbidding(forbidden: readonly Glob[], path: Path, meter?: Meter): Glob | null {
  if (forbidden.length === 0) return null;
  const spellings = spellingsOf(path);
  return forbidden.find((glob) => matchesSpelling(glob, spellings, meter)) ?? null;
}

/** Whether the glob means one of the spellings, each compared with the glob spelled in the same way. */
function matchesSpelling(glob: Glob, { written, bySimpleFold, byFullFold }: Spellings, meter?: Meter): boolean {
  const { simple, full } = variantsOf(glob);
  if (bySimpleFold.some((spelling) => globMatches(simple, spelling, meter))) return true;
  const isSaid = simple === full && bySimpleFold === byFullFold;
  if (!isSaid && byFullFold.some((spelling) => globMatches(full, spelling, meter))) return true;
  // Folding composes accents, so that a wildcard may take one character less than was written.
  return globMatches(glob, written, meter);
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

const storedGlobs = new WeakMap<Glob, Glob>();

/**
 * The glob in the form in which spellings of one file are equal on forgiving file systems, to be compared with others
 * of that kind: two agents do not hold `README.md` and `readme.md`.
 */
export function asStored(glob: Glob): Glob {
  const known = storedGlobs.get(glob);
  if (known !== undefined) return known;
  const made = foldedGlob(glob, foldAsStored);
  storedGlobs.set(glob, made);
  return made;
}

/** A glob without case; both are the glob itself where it has none, and the same where the rules agree. */
interface Variants {
  readonly simple: Glob;
  readonly full: Glob;
}

const variants = new WeakMap<Glob, Variants>();

function variantsOf(glob: Glob): Variants {
  const known = variants.get(glob);
  if (known !== undefined) return known;
  const simple = foldedGlob(glob, foldSimply);
  const fully = foldedGlob(glob, foldFully);
  const made = { simple, full: fully.text === simple.text ? simple : fully };
  variants.set(glob, made);
  return made;
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
  const text = parts.join("/");
  if (!/[*?]/.test(text)) return literalGlob(text, parts);
  const isTree = hasTrailingSlash && parts.at(-1) !== "**";
  return { text: isTree ? `${text}/` : text, states: statesOf(parts, hasTrailingSlash), literal: null };
}

/**
 * Most globs name a file or folder and are compared as strings, so their automaton is built when it is first asked for.
 */
function literalGlob(text: string, parts: readonly string[]): Glob {
  let states: readonly State[] | null = null;
  return {
    text,
    literal: text,
    get states() {
      states ??= statesOf(parts, true);
      return states;
    },
  };
}

function statesOf(parts: readonly string[], isTree: boolean): readonly State[] {
  const states: State[] = [];
  // Two `**` in a row say no more than one.
  const said = parts.filter((part, index) => part !== "**" || parts[index + 1] !== "**");
  said.forEach((part, index) => {
    const isLast = index === said.length - 1;
    if (part === "**") addParts(states, isLast);
    else addPart(states, isLast ? part : `${part}/`);
    if (isLast && part !== "**") addEnd(states, isTree);
  });
  return states;
}

/** The states of one part; several `*` in a row say no more than one. */
function addPart(states: State[], part: string): void {
  let before = "";
  for (const character of part) {
    const here = states.length;
    if (character !== "*") {
      states.push({
        edges: [{ on: character === "?" ? anyInPart : character, target: here + 1 }],
        skip: null,
        isEnd: false,
      });
    } else if (before !== "*") {
      states.push({ edges: [{ on: anyInPart, target: here }], skip: here + 1, isEnd: false });
    }
    before = character;
  }
}

/** The states of `**`: any number of parts and what follows, or at the end everything below. */
function addParts(states: State[], isLast: boolean): void {
  const here = states.length;
  const inside = { on: anyInPart, target: here + 1 };
  states.push({ edges: [inside], skip: isLast ? null : here + 2, isEnd: false });
  if (isLast) states.push({ edges: [{ on: anyAtAll, target: here + 1 }], skip: null, isEnd: true });
  else states.push({ edges: [inside, { on: "/", target: here }], skip: null, isEnd: false });
}

function addEnd(states: State[], isTree: boolean): void {
  const end = states.length;
  states.push({ edges: isTree ? [{ on: "/", target: end + 1 }] : [], skip: null, isEnd: true });
  if (!isTree) return;
  states.push({ edges: [{ on: anyInPart, target: end + 2 }], skip: null, isEnd: false });
  states.push({ edges: [{ on: anyAtAll, target: end + 2 }], skip: null, isEnd: true });
}

function invalidGlob(text: string, reason: string): Problem {
  return makeProblem("invalid-glob", text.slice(0, 200).toWellFormed(), `The path or glob ${reason}.`, {
    expected: "a path or glob relative to the repository, such as src/ or src/**/*.ts",
    received: text.slice(0, 200).toWellFormed(),
  });
}
