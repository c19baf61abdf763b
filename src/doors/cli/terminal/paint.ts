/** Colours for terminals. Only our own words are painted; what agents wrote is made visible first and never trusted. */

export interface Paint {
  strong(text: string): string;
  faint(text: string): string;
  good(text: string): string;
  bad(text: string): string;
  warn(text: string): string;
}

/** Which colour each word of a list has. */
export type Tones = { readonly [word: string]: keyof Paint };

/** `text` (absent: `word` itself) in the colour of `word`; in none where a newer hub says a word that is not known. */
export function toned(paint: Paint, tones: Tones, word: string, text: string = word): string {
  const tone = Object.hasOwn(tones, word) ? tones[word] : undefined;
  return tone === undefined ? text : paint[tone](text);
}

const controlStart = "\u001b[";

/** Paint that colours (`enabled`) or returns each string unchanged. */
export function paintFor(enabled: boolean): Paint {
  const style = (on: number, off: number) => (text: string) =>
    enabled ? `${controlStart}${on}m${text}${controlStart}${off}m` : text;
  return { strong: style(1, 22), faint: style(2, 22), good: style(32, 39), bad: style(31, 39), warn: style(33, 39) };
}
