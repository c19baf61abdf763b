/** The AsyncAPI document of a dialect as authored, with the examples of the corpus. */
import type { JsonObject } from "../../src/base/json.ts";
import { asyncApiDocument, asyncApiMessage } from "../../src/dialects/asyncapi.ts";
import type { DialectEntry } from "../../src/dialects/define.ts";
import { examplesOf } from "./examples.ts";
import { publishedSchema } from "./published.ts";

/** The document of a dialect, as plain data. `version` is the package's. */
export function asyncApiOf(dialect: DialectEntry, version: string): object {
  const sent = dialect.messages.filter(({ wire }) => wire === "sent");
  const messages = sent.map((entry) => {
    const schema = publishedSchema(dialect, entry) as JsonObject; // A JSON Schema is JSON.
    return [
      entry.type,
      asyncApiMessage({ ...entry, dialect: dialect.id }, schema, examplesOf(dialect, entry)),
    ] as const;
  });
  const head = { dialect: dialect.id, title: `${dialect.title} (${dialect.id})`, version };
  return asyncApiDocument(head, dialect.messages, Object.fromEntries(messages));
}
