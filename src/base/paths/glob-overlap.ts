/**
 * Globs compared as the sets of paths they match: whether two meet, and whether several together hold another. Both walk
 * the automata side by side over all words with non-empty parts, so no path has to be guessed.
 */
import { anyAtAll, anyInPart, type State } from "./glob-matching.ts";
import { admits, type Glob } from "./globs.ts";

/**
 * Whether some path matches both. Exact, but that `.`, `..` and `.git` count as parts, so it errs only towards true.
 * At most (states of a) * (states of b) * 2 pairs are visited.
 */
export function overlaps(a: Glob, b: Glob): boolean {
  const seen = new Set<number>();
  const waiting: [first: number, second: number, isPartStart: boolean][] = [[0, 0, true]];
  for (let pair = waiting.pop(); pair !== undefined; pair = waiting.pop()) {
    const [first, second, isPartStart] = pair;
    const key = (first * b.states.length + second) * 2 + (isPartStart ? 1 : 0);
    if (seen.has(key)) continue;
    seen.add(key);
    const left = a.states[first] as State; // targets are states
    const right = b.states[second] as State;
    if (left.isEnd && right.isEnd && !isPartStart) return true;
    if (left.skip !== null) waiting.push([left.skip, second, isPartStart]);
    if (right.skip !== null) waiting.push([first, right.skip, isPartStart]);
    for (const one of left.edges) {
      for (const other of right.edges) {
        const { slash, inPart } = common(one.on, other.on);
        if (slash && !isPartStart) waiting.push([one.target, other.target, true]);
        if (inPart) waiting.push([one.target, other.target, false]);
      }
    }
  }
  return false;
}

/** Whether two edges share the slash, and whether they share another character. */
function common(one: string, other: string): { readonly slash: boolean; readonly inPart: boolean } {
  const takesSlash = (on: string) => on === "/" || on === anyAtAll;
  const isClass = (on: string) => on === anyInPart || on === anyAtAll;
  const inPart = one === other ? one !== "/" : (isClass(one) && other !== "/") || (isClass(other) && one !== "/");
  return { slash: takesSlash(one) && takesSlash(other), inPart };
}

/** Work after which `covers` gives up; a contract of 50 usual globs takes a thousandth of it. */
const coverStepsMax = 2_000_000;

/** Steps that several comparisons share; once none is left, what remains counts as not covered. */
export interface StepBudget {
  left: number;
}

/**
 * Whether every path that `glob` matches is matched by one of `globs`. Exact (where a difference only concerns parts
 * `.`, `..`, `.git`, false); hostile globs whose comparison takes too many steps count as not covered. So true is
 * always right, and a contract revision for which it holds only narrows. `budget` is used up by what this call takes.
 */
export function covers(globs: readonly Glob[], glob: Glob, budget: StepBudget = { left: coverStepsMax }): boolean {
  if (globs.some(({ text }) => text === glob.text)) return true;
  if (budget.left <= 0) return false;
  const union = new Union(globs);
  const isCovered = walk(union, glob, budget.left);
  budget.left -= union.steps;
  return isCovered;
}

function walk(union: Union, glob: Glob, stepsMax: number): boolean {
  const seen = new Set<string>();
  const waiting: [state: number, reached: readonly number[], isPartStart: boolean][] = [[0, union.start(), true]];
  for (let pair = waiting.pop(); pair !== undefined; pair = waiting.pop()) {
    const [index, reached, isPartStart] = pair;
    const key = `${index}${isPartStart ? "/" : ":"}${reached.join()}`;
    if (seen.has(key)) continue;
    seen.add(key);
    const state = glob.states[index] as State; // targets are states
    if (state.isEnd && !isPartStart && !union.isEnd(reached)) return false;
    if (state.skip !== null) waiting.push([state.skip, reached, isPartStart]);
    for (const { on, target } of state.edges) {
      for (const character of union.charactersOf(on)) {
        if (character === "/" && isPartStart) continue;
        waiting.push([target, union.step(reached, character), character === "/"]);
      }
    }
    if (union.steps > stepsMax) return false;
  }
  return true;
}

/** Several automata as one, walked by sets of states. */
class Union {
  steps = 0;
  private readonly states: State[] = [];
  private readonly starts: number[] = [];
  private readonly alphabet: readonly string[];

  constructor(globs: readonly Glob[]) {
    for (const { states } of globs) {
      const base = this.states.length;
      this.starts.push(base);
      for (const { edges, skip, isEnd } of states) {
        this.states.push({
          edges: edges.map(({ on, target }) => ({ on, target: target + base })),
          skip: skip === null ? null : skip + base,
          isEnd,
        });
      }
    }
    const literals = this.states.flatMap(({ edges }) => edges.map(({ on }) => on));
    // Putting the automata together is work too.
    this.steps = this.states.length;
    // Characters that no glob names behave alike; NUL, which no path holds, stands for all of them.
    this.alphabet = [...new Set([...literals.filter((on) => on !== anyInPart && on !== anyAtAll), "/", "\0"])];
  }

  start(): readonly number[] {
    return this.closed(new Set(this.starts));
  }

  isEnd(reached: readonly number[]): boolean {
    return reached.some((index) => this.states[index]?.isEnd === true);
  }

  charactersOf(on: string): readonly string[] {
    if (on === anyAtAll) return this.alphabet;
    return on === anyInPart ? this.alphabet.filter((character) => character !== "/") : [on];
  }

  step(reached: readonly number[], character: string): readonly number[] {
    const targets = new Set<number>();
    this.steps += reached.length + 1;
    for (const index of reached) {
      for (const { on, target } of this.states[index]?.edges ?? []) if (admits(on, character)) targets.add(target);
    }
    return this.closed(targets);
  }

  /** With everything reachable by skips, ascending. A set takes in what is added while it is walked. */
  private closed(reached: Set<number>): readonly number[] {
    for (const index of reached) {
      const skip = this.states[index]?.skip ?? null;
      if (skip !== null) reached.add(skip);
    }
    return [...reached].sort((a, b) => a - b);
  }
}
