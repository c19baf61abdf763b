/**
 * Text of agents, cut into what may be drawn as it is and what must be named: control, bidi, zero-width and other
 * unseen characters. A page that marks the second kind cannot be fooled by text that spells such a name out.
 */
import { visible } from "../../../base/text.ts";

export interface Segment {
  readonly text: string;
  /** Whether `text` names a character that would not be seen, instead of being what the agent wrote. */
  readonly named: boolean;
  /** Whether it is what somebody searches for. */
  readonly found?: boolean;
}

/** The segments, cut so that each place of `words`, in any case, is one. Names of unseen characters are not searched. */
export function markedIn(segments: readonly Segment[], words: string): readonly Segment[] {
  const wanted = words.toLowerCase();
  if (wanted === "") return segments;
  return segments.flatMap((segment) => {
    const { text, named } = segment;
    const lower = text.toLowerCase();
    // Some letters are longer in lower case; then places in it are not places in the text.
    if (named || lower.length !== text.length) return [segment];
    const parts: Segment[] = [];
    let from = 0;
    for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, from)) {
      if (at > from) parts.push({ text: text.slice(from, at), named });
      parts.push({ text: text.slice(at, at + wanted.length), named, found: true });
      from = at + wanted.length;
    }
    return from === 0 ? [segment] : [...parts, ...(from < text.length ? [{ text: text.slice(from), named }] : [])];
  });
}

/** The segments of `text` in order. With `lines`, line feeds and tabs stay as they are; `\r\n` counts as a line feed. */
export function segmentsOf(text: string, options: { readonly lines?: boolean } = {}): readonly Segment[] {
  const lines = options.lines === true;
  const source = lines ? text.replaceAll("\r\n", "\n") : text;
  if (visible(source) === source) return [{ text: source, named: false }];
  const segments: { text: string; named: boolean }[] = [];
  for (const character of source) {
    const drawn = lines && (character === "\n" || character === "\t") ? character : visible(character);
    const named = drawn !== character;
    const last = segments.at(-1);
    if (last?.named === named) last.text += drawn;
    else segments.push({ text: drawn, named });
  }
  return segments;
}
