/**
 * Text made fit for people: an agent's shown without acting on a terminal, shortened without breaking characters and
 * compared with known words for a hint; numbers of things in words.
 * Source: docs/protocol/doors.md, section 10.
 */
/**
 * `text` on one line, safe for a terminal: C0 controls as their pictures (`␛`, `␊`), C1 controls, line separators,
 * bidi and zero-width characters, lone surrogates and other invisible format characters as `<U+202E>`.
 */
export function visible(text: string): string {
  return UNSAFE.test(text) ? text.replace(EVERY_UNSAFE, show) : text;
}

/** As `visible`, but line feeds and tabs stay, for text that is shown as a block. `\r\n` counts as a line feed. */
export function visibleLines(text: string): string {
  return text
    .split(/\r?\n/)
    .map((line) => line.split("\t").map(visible).join("\t"))
    .join("\n");
}

// Cc: controls; Cf: format characters, among them bidi and zero-width; Zl, Zp: line and paragraph separators; Cs: lone
// surrogates. The rest draw nothing, or a blank where a letter could be: fillers, selectors and the braille blank.
const UNSAFE =
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\u2800]|\u034f|\u115f|\u1160|\u17b4|\u17b5|[\u180b-\u180f]|\u3164|\uffa0/u;
const EVERY_UNSAFE =
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\u2800]|\u034f|\u115f|\u1160|\u17b4|\u17b5|[\u180b-\u180f]|\u3164|\uffa0/gu;

function show(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return "␡";
  return `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
}

/** At most `charactersMax` (at least 1) code points of `text`; the last one is `…` when something was cut. */
export function shorten(text: string, charactersMax: number): string {
  if (text.length <= charactersMax) return text;
  let kept = "";
  let last = "";
  let count = 0;
  for (const character of text) {
    if (++count > charactersMax) return `${kept}…`;
    kept += last;
    last = character;
  }
  return text;
}

/** What another program said, without its advice, as part of one sentence, cut to so many characters. */
export function saidBy(words: string, charactersMax: number): string {
  const said = words.replaceAll(/^(?:hint|warning):.*$/gm, "").trim();
  return shorten(visible(said.replaceAll(/\s+/g, " ")), charactersMax);
}

/** A number of things in words: `1 file`, `3 files`, `2 entries`. `several`: what more than one, and none, are called. */
export function counted(count: number, one: string, several = `${one}s`): string {
  return `${count} ${count === 1 ? one : several}`;
}

/**
 * A name without what drifts when it is written: the case of its letters, and what joins its words (`-`, `_`, `.`,
 * blanks).
 */
export function withoutJoints(name: string): string {
  return name.replaceAll(/[-_.\s]/g, "").toLowerCase();
}

/** The longest start of `text` that fits into `bytesMax` bytes of UTF-8, cut between characters. No mark is added. */
export function shortenBytes(text: string, bytesMax: number): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytesMax));
  return text.slice(0, read);
}

/** Longer words are not guessed at: the search is quadratic. */
export const guessedCharactersMax = 48;

/**
 * The word of `known` that `written` most likely stands for, or null when none is near. Case does not count. The
 * beginning of one word alone, up to a hyphen, stands for that word where no other is closer than two letters.
 */
export function nearest(written: string, known: readonly string[]): string | null {
  if (written.length === 0 || written.length > guessedCharactersMax) return null;
  const lower = written.toLowerCase();
  let best: string | null = null;
  let bestDistance = Math.max(1, Math.floor(lower.length / 3)) + 1;
  for (const word of known) {
    if (Math.abs(word.length - lower.length) >= bestDistance) continue;
    const distance = editDistance(lower, word.toLowerCase());
    // Half of a name is another name: pm is no slip for sm.
    if (distance >= bestDistance || distance * 2 >= lower.length) continue;
    best = word;
    bestDistance = distance;
  }
  const [begun = null, ...others] = known.filter((word) => word.toLowerCase().startsWith(`${lower}-`));
  const isBegun = begun !== null && others.length === 0 && (best === null || bestDistance > 1);
  return isBegun ? begun : best;
}

/** Least number of insertions, deletions, replacements and swaps of neighbours between two short words. */
function editDistance(source: string, target: string): number {
  let beforePrevious: readonly number[] = [];
  let previous: readonly number[] = Array.from({ length: target.length + 1 }, (_, column) => column);
  for (let row = 1; row <= source.length; row++) {
    const current = [row];
    for (let column = 1; column <= target.length; column++) {
      const replaced = (previous[column - 1] ?? 0) + (source[row - 1] === target[column - 1] ? 0 : 1);
      const isSwap =
        row > 1 && column > 1 && source[row - 1] === target[column - 2] && source[row - 2] === target[column - 1];
      const swapped = isSwap ? (beforePrevious[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY;
      current.push(Math.min(replaced, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, swapped));
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[target.length] ?? 0;
}

/* How long ago something was, in as few characters as a person needs. */
const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

/** `ms` before `now` in few characters: `now`, `42 s`, `7 min`, `3 h`, `2 d`. What lies ahead is `now`: clocks differ. */
export function ageOf(ms: number, now: number): string {
  const seconds = Math.floor((now - ms) / 1000);
  if (seconds < 5) return "now";
  if (seconds < minute) return `${seconds} s`;
  if (seconds < hour) return `${Math.floor(seconds / minute)} min`;
  if (seconds < day) return `${Math.floor(seconds / hour)} h`;
  return `${Math.floor(seconds / day)} d`;
}

/** How long something took: `40 ms`, `1.2 s`, `3 min`. */
export function spanOf(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  return ms < 10_000 ? `${(ms / 1_000).toFixed(1)} s` : ageOf(0, ms);
}

/*
 * Words of agents inside a Markdown page of ours: they mean themselves. No HTML, no link, no picture, no heading, no list
 * can come out of them, by CommonMark and by GitHub's extensions, which also make links of bare addresses.
 */

/** `text` as one line of Markdown that shows it; white space is one blank, unseen characters are named. */
export function markdownText(text: string): string {
  const line = visible(text.replaceAll(/\s+/g, " ").trim());
  return line
    .replaceAll(/[\\`*_{}[\]<>#|~&@$^!]/g, String.raw`\$&`)
    .replaceAll(/:(?=\/)|(?<=mailto|xmpp):/gi, String.raw`\:`)
    .replaceAll(/(?<=www)\./gi, String.raw`\.`)
    .replace(/^(?:[-+=]|\d{1,9}(?=[.)]))/, (start) => (/\d/.test(start) ? `${start}\\` : `\\${start}`));
}

/** Most errors of one kind, and most names in one list, that a refusal carries. */
export const shownMax = 20;

/** The entries, comma-separated; a long list is cut, and says by how much. */
export function shortList(entries: readonly string[]): string {
  if (entries.length === 0) return "nothing";
  const shown = entries.slice(0, shownMax).join(", ");
  return entries.length > shownMax ? `${shown} and ${entries.length - shownMax} more` : shown;
}

/** A task as a sentence names it: one that is only a number as `task 5`, and as `Task 5` where `word` begins it. */
export function taskInWords(task: string, word: "task" | "Task" = "task"): string {
  return /^\d+$/.test(task) ? `${word} ${task}` : task;
}

/*
 * Sentences with places for values: `released {task}`. `{status|complete}` has a word for a value that is not there,
 * and what is in brackets, `[: {reason}]`, is left out where one of its values is not.
 */

/** The sentence with its values; one that is not there (null or empty) and has no other word is left out. */
export function fillTemplate(template: string, wordFor: (name: string) => string | null): string {
  const [first = "", ...others] = template.split("[");
  const filled = others.map((other) => {
    const end = other.indexOf("]");
    const inner = fillPlaces(other.slice(0, end), wordFor);
    return `${inner.isComplete ? inner.text : ""}${fillPlaces(other.slice(end + 1), wordFor).text}`;
  });
  return `${fillPlaces(first, wordFor).text}${filled.join("")}`;
}

/** The names of the values that a sentence has places for. */
export function placesIn(template: string): readonly string[] {
  const [, ...others] = template.split("{");
  return others.map((other) => placeOf(other).name);
}

function fillPlaces(part: string, wordFor: (name: string) => string | null) {
  const [first = "", ...others] = part.split("{");
  let isComplete = true;
  const filled = others.map((other) => {
    const { name, otherwise, rest } = placeOf(other);
    const value = wordFor(name);
    const isThere = value !== null && value !== "";
    isComplete &&= isThere;
    return `${isThere ? value : otherwise}${rest}`;
  });
  return { text: `${first}${filled.join("")}`, isComplete };
}

/** A place without its opening brace, and what follows it. */
function placeOf(text: string): { readonly name: string; readonly otherwise: string; readonly rest: string } {
  const end = text.indexOf("}");
  const [name = "", otherwise = ""] = text.slice(0, end).split("|");
  return { name, otherwise, rest: text.slice(end + 1) };
}

/** Whether `version`, such as `24.15.0`, is `floor` or newer; what is no number counts as 0. */
export function isAtLeast(version: string, floor: readonly number[]): boolean {
  const parts = version.split(".").map(Number);
  for (const [index, least] of floor.entries()) {
    const part = parts[index] ?? 0;
    if (part !== least) return part > least;
  }
  return true;
}

/** Whether `text` has more than `count` characters; looks at no more of it than that. */
export function isLongerThan(text: string, count: number): boolean {
  // A character takes one or two places.
  if (text.length <= count) return false;
  if (text.length > 2 * count) return true;
  let characters = 0;
  for (const _ of text) {
    characters += 1;
    if (characters > count) return true;
  }
  return false;
}
