/** The commands that we tell people to run next: by the name they called us by, and for the team that they mean. */

import { shellLine } from "../terminal/shell-words.ts";
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
export function nextCommand(
  { given, config }: Pick<Call, "given" | "config">,
  words: readonly string[],
): string | null {
  const where = globalOptions
    .filter(({ name }) => whereNames.includes(name) && !words.includes(`--${name}`))
    .flatMap(({ name }) => {
      const value = given.text(name);
      return value === undefined ? [] : [`--${name}`, value];
    });
  const line = shellLine([...words, ...where]);
  return line === null ? null : `${config.program} ${line}`;
}
