/** The examples that are published: those of the definitions, then those of the corpus, which tests hold to be right. */
import { isDeepStrictEqual } from "node:util";
import { type DialectEntry, exampleOf, type MessageEntry } from "../../src/dialects/define.ts";
import type { Json } from "../../src/message/facts.ts";
import { acceptedExamples, refusedExamples } from "../../tests/corpus/messages.ts";

/** A message that is accepted; `title` says what is special about it. */
export interface PublishedExample {
  readonly title: string;
  readonly message: Json;
}

/** Accepted messages of one type: the definition's own first, those with the fewest fields next. */
export function examplesOf(dialect: DialectEntry, entry: MessageEntry): readonly PublishedExample[] {
  const own = exampleOf(dialect, entry) as Json; // An example is JSON by its type's parts.
  const further = acceptedExamples(dialect.id)
    .filter(({ name, message }) => isOf(entry, name) && !isDeepStrictEqual(message, own))
    .map(({ name, message }) => ({ title: titleOf(entry, name), message }));
  const size = ({ message }: PublishedExample) => JSON.stringify(message).length;
  return [{ title: "usual", message: own }, ...further.toSorted((one, other) => size(one) - size(other))];
}

/** Refused messages of one type, in words, with the problems that they get. */
export function refusedOf(dialect: DialectEntry, entry: MessageEntry) {
  return refusedExamples(dialect.id)
    .filter(({ name }) => isOf(entry, name))
    .map(({ name, problems }) => ({ words: titleOf(entry, name), problems }));
}

/** A file of the corpus is called by its message's type, then by what is special about it. */
function isOf({ type }: MessageEntry, file: string): boolean {
  return file === `${type}.json` || file.startsWith(`${type}-`);
}

const titles: { readonly [slug: string]: string } = {
  least: "only what is required",
  "further-fields": "with fields beyond the definition",
};

function titleOf({ type }: MessageEntry, file: string): string {
  const slug = file.slice(type.length + 1, -".json".length);
  return titles[slug] ?? slug.replaceAll("-", " ");
}
