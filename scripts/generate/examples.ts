/** The examples that are published: those of the definitions, then those of the corpus, which tests hold to be right. */
import { isDeepStrictEqual } from "node:util";
import { type DialectEntry, exampleOf, type MessageEntry } from "../../src/messages/dialects/define.ts";
import type { Json } from "../../src/messages/facts.ts";
import { acceptedExamples } from "../../tests/corpus/messages.ts";

/** Accepted messages of one type: the definition's own first, those with the fewest fields next. */
export function examplesOf(dialect: DialectEntry, entry: MessageEntry): readonly Json[] {
  const { type } = entry;
  const own = exampleOf(dialect, entry) as Json; // An example is JSON by its type's parts.
  const further = acceptedExamples(dialect.id)
    // A file of the corpus is called by its message's type, then by what is special about it.
    .filter(({ name }) => name === `${type}.json` || name.startsWith(`${type}-`))
    .map(({ message }) => message)
    .filter((message) => !isDeepStrictEqual(message, own));
  return [own, ...further.toSorted((one, other) => JSON.stringify(one).length - JSON.stringify(other).length)];
}
