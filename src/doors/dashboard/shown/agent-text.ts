/**
 * Text of agents, cut into what may be drawn as it is and what must be named: control, bidi, zero-width and other
 * unseen characters. A page that marks the second kind cannot be fooled by text that spells such a name out.
 */
import { visible } from "../../../base/text.ts";

export interface Segment {
  readonly text: string;
  /** Whether `text` names a character that would not be seen, instead of being what the agent wrote. */
  readonly named: boolean;
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
