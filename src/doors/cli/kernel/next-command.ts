/**
 * The commands that we tell people to run next: by the name they called us by, for the team that they mean, and as
 * words that a shell reads as they are. Ids of agents are in them, so what a shell would read as more than a word is
 * quoted, and what cannot be shown as it is written is left out.
 */

import { visible } from "../../../base/text.ts";
import { addressToPaste } from "../../../journal/address-to-paste.ts";
import { type Call, globalOptions } from "./command.ts";

/**
 * Where a team lies, and who acts: what one has named once is wanted in the next command too. The token is no word to
 * show.
 */
const whereNames: readonly string[] = ["team", "journal", "hub", "as"];

/**
 * The line that runs `baton` with these words on the team of `call`, such as `npx baton ack 17 --as lead-1`. Null: a word
 * of it cannot be shown as it is, so no line would say it.
 */
export function nextCommand(call: Pick<Call, "given" | "config">, words: readonly string[]): string | null {
  const line = lineFor(call, words, whereNames);
  return line === null ? null : `${call.config.program} ${line}`;
}

/**
 * The command that accepts a loss of entries in the journal of `call`, as text that an output names by the program: the
 * person runs it, so it names no agent.
 */
export function acceptLossLine({ given }: Pick<Call, "given">): string {
  const words = ["journal", "accept-loss", "--reason", "TEXT"];
  const names = whereNames.filter((name) => name !== "as");
  const line = lineFor({ given }, words, names) ?? words.join(" ");
  return `baton ${line}`;
}

/** The words with the options of `names` that were given; null: one of them cannot be shown as it is. */
function lineFor({ given }: Pick<Call, "given">, words: readonly string[], names: readonly string[]): string | null {
  const where = globalOptions
    .filter(({ name }) => names.includes(name) && !words.includes(`--${name}`))
    .flatMap(({ name }) => {
      const value = given.text(name);
      return value === undefined ? [] : [`--${name}`, name === "journal" ? addressToPaste(value) : value];
    });
  return shellLine([...words, ...where]);
}

/** Characters that every shell takes as they are; a word of the command line may stand for the other platforms too. */
const plain = /^[A-Za-z0-9_./:@%+,][A-Za-z0-9_./:@%+,=-]*$|^--?[a-z][a-z-]*$/;

/** The words in one line for a POSIX shell; null: one of them holds what a terminal does not show as it is. */
export function shellLine(words: readonly string[]): string | null {
  if (words.some((word) => visible(word) !== word)) return null;
  return words.map((word) => (plain.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(" ");
}
