/**
 * Running a glob's automaton over a path. The states that are reached are bits, 32 to a word, so that a character costs
 * a few operations for all of them at once: one step each way from a state is one shift.
 *
 * What makes that enough is the shape of the automaton (`globs.ts`): every edge leads to the next state, to itself, or,
 * with a slash, to the one before; a skip leads one on (`*`) or two (`**`), and one of one may follow one of two, never
 * the other way round.
 */
import { invariant } from "../invariant.ts";

/** What an edge takes: one literal character, or one of these two classes. */
export const anyInPart = "";
export const anyAtAll = "**";

export interface State {
  readonly edges: readonly { readonly on: string; readonly target: number }[];
  readonly skip: number | null;
  readonly isEnd: boolean;
}

/** Counts the words that are worked on, for those who want to see that they are bounded. */
export interface Meter {
  steps: number;
}

/** Sets of states, one bit each. */
type Bits = Uint32Array;

/** An automaton as sets of its states. */
export interface Masks {
  readonly words: number;
  /** States that a character leads on from. */
  readonly onward: ReadonlyMap<string, Bits>;
  /** The same for characters that no edge names; a slash is never one of them. */
  readonly onwardElse: Bits;
  /** States that stay on any character, and those that stay on any but a slash. */
  readonly stays: Bits;
  readonly staysInPart: Bits;
  /** States that a slash leads back from. */
  readonly back: Bits;
  readonly skipsOne: Bits;
  readonly skipsTwo: Bits;
  readonly ends: Bits;
}

/** The automaton as masks. */
export function masksOf(states: readonly State[]): Masks {
  const words = Math.ceil(states.length / 32);
  const none = (): Bits => new Uint32Array(words);
  const onward = new Map<string, Bits>([["/", none()]]);
  const [onwardElse, stays, staysInPart, back] = [none(), none(), none(), none()];
  const [skipsOne, skipsTwo, ends] = [none(), none(), none()];
  for (const { edges } of states) {
    for (const { on } of edges) if (on !== anyInPart && on !== anyAtAll && !onward.has(on)) onward.set(on, none());
  }
  for (const [index, { edges, skip, isEnd }] of states.entries()) {
    if (isEnd) add(ends, index);
    if (skip !== null) add(skip === index + 1 ? skipsOne : skipsTwo, index);
    invariant(skip === null || skip === index + 1 || skip === index + 2, "a skip leads one or two on");
    for (const { on, target } of edges) {
      if (target === index) add(on === anyAtAll ? stays : staysInPart, index);
      else if (target === index - 1) add(back, index);
      else if (on !== anyInPart) add(onward.get(on) ?? onwardElse, index);
      else {
        add(onwardElse, index);
        for (const [character, from] of onward) if (character !== "/") add(from, index);
      }
    }
  }
  return { words, onward, onwardElse, stays, staysInPart, back, skipsOne, skipsTwo, ends };
}

/** Whether the automaton takes the path whole. Takes at most (words) * (characters + 1) steps. */
export function takes(masks: Masks, path: string, meter?: Meter): boolean {
  const { words, ends } = masks;
  let current = new Uint32Array(words);
  let next = new Uint32Array(words);
  current[0] = 1;
  skip(masks, current);
  if (meter !== undefined) meter.steps += words;
  for (const character of path) {
    if (meter !== undefined) meter.steps += words;
    if (!advance(masks, current, character, next)) return false;
    skip(masks, next);
    [current, next] = [next, current];
  }
  for (let word = 0; word < words; word++) if ((at(current, word) & at(ends, word)) !== 0) return true;
  return false;
}

/** Several automata side by side: all of them are run over a path at once. */
export interface Together {
  readonly masks: Masks;
  /** The first state of each. */
  readonly starts: readonly number[];
}

/** Puts automata side by side. */
export function together(automata: readonly (readonly State[])[]): Together {
  const states: State[] = [];
  const starts: number[] = [];
  for (const each of automata) {
    const base = states.length;
    starts.push(base);
    for (const { edges, skip, isEnd } of each) {
      const moved = edges.map(({ on, target }) => ({ on, target: target + base }));
      states.push({ edges: moved, skip: skip === null ? null : skip + base, isEnd });
    }
  }
  return { masks: masksOf(states), starts };
}

/**
 * Whether one of the automata takes the path or a path below it. Errs only towards true. Takes at most
 * (words) * (characters + 2) steps.
 */
export function takesAtOrBelow({ masks, starts }: Together, path: string, meter?: Meter): boolean {
  const { words, ends } = masks;
  let current = new Uint32Array(words);
  let next = new Uint32Array(words);
  for (const start of starts) add(current, start);
  skip(masks, current);
  const move = (character: string): boolean => {
    if (meter !== undefined) meter.steps += words;
    if (!advance(masks, current, character, next)) return false;
    skip(masks, next);
    [current, next] = [next, current];
    return true;
  };
  for (const character of path) if (!move(character)) return false;
  for (let word = 0; word < words; word++) if ((at(current, word) & at(ends, word)) !== 0) return true;
  // Behind the slash of a folder every state that is left leads on to an end.
  return move("/");
}

/** Fills `next` with the states that `character` leads to; says whether there is one. */
function advance(masks: Masks, current: Bits, character: string, next: Bits): boolean {
  const { words, back } = masks;
  const onward = masks.onward.get(character) ?? masks.onwardElse;
  const isSlash = character === "/";
  let carried = 0;
  let alive = 0;
  for (let word = 0; word < words; word++) {
    const here = at(current, word);
    const moved = here & at(onward, word);
    let reached = (moved << 1) | carried;
    carried = moved >>> 31;
    reached |= here & at(masks.stays, word);
    if (isSlash) {
      reached |= (here & at(back, word)) >>> 1;
      // The lowest state of the next word may lead back to the highest of this one.
      if (word + 1 < words && (at(current, word + 1) & at(back, word + 1) & 1) !== 0) reached |= 0x8000_0000;
    } else reached |= here & at(masks.staysInPart, word);
    next[word] = reached;
    alive |= reached;
  }
  return alive !== 0;
}

/** Adds what can be reached without a character: by two first, as only then may a skip by one follow. */
function skip({ words, skipsOne, skipsTwo }: Masks, states: Bits): void {
  let two = 0;
  let one = 0;
  for (let word = 0; word < words; word++) {
    const byTwo = at(states, word) & at(skipsTwo, word);
    const withTwo = at(states, word) | (byTwo << 2) | two;
    two = byTwo >>> 30;
    const byOne = withTwo & at(skipsOne, word);
    states[word] = withTwo | (byOne << 1) | one;
    one = byOne >>> 31;
  }
}

function add(bits: Bits, index: number): void {
  bits[index >>> 5] = at(bits, index >>> 5) | (1 << (index & 31));
}

function at(bits: Bits, word: number): number {
  return bits[word] as number; // words are counted
}
