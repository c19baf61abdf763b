/** Colours for terminals. Only our own words are painted; what agents wrote is made visible first and never trusted. */

export interface Paint {
  strong(text: string): string;
  faint(text: string): string;
  good(text: string): string;
  bad(text: string): string;
  warn(text: string): string;
}

const controlStart = "\u001b[";

/** Paint that colours (`enabled`) or returns each string unchanged. */
export function paintFor(enabled: boolean): Paint {
  const style = (on: number, off: number) => (text: string) =>
    enabled ? `${controlStart}${on}m${text}${controlStart}${off}m` : text;
  return { strong: style(1, 22), faint: style(2, 22), good: style(32, 39), bad: style(31, 39), warn: style(33, 39) };
}
