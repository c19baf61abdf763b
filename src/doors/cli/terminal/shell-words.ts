/**
 * Words as one types them into a shell. Ids of agents are in the commands that we tell people to run, so what a shell
 * would read as more than a word is quoted, and what cannot be shown as it is written is not told at all.
 */
import { visible } from "../../../base/text.ts";

/** Characters that every shell takes as they are; a word of the command line may stand for the other platforms too. */
const plain = /^[A-Za-z0-9_./:@%+,][A-Za-z0-9_./:@%+,=-]*$|^--?[a-z][a-z-]*$/;

/** Whether a shell, a terminal and a command line all take `word` for nothing but itself, in whatever place. */
export function isPlainWord(word: string): boolean {
  return plain.test(word);
}

/** The words in one line for a POSIX shell; null: one of them holds what a terminal does not show as it is. */
export function shellLine(words: readonly string[]): string | null {
  if (words.some((word) => visible(word) !== word)) return null;
  return words.map((word) => (plain.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(" ");
}

/** The words of a line that `shellLine` wrote; null: it did not. */
export function shellWords(line: string): readonly string[] | null {
  const words: string[] = [];
  for (let at = 0; at < line.length || at === 0; ) {
    const [taken, quoted, bare] = /(?:'((?:[^']|'\\'')*)'|([^' ]+))(?: (?=.)|$)/y.exec(line.slice(at)) ?? [];
    if (taken === undefined) return null;
    words.push(quoted === undefined ? (bare ?? "") : quoted.replaceAll("'\\''", "'"));
    at += taken.length;
  }
  return shellLine(words) === line ? words : null;
}
