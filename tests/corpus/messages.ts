/** The corpus of messages: accepted and refused examples of each dialect, as files that people can read. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Json, JsonObject } from "../../src/base/json.ts";

const home = fileURLToPath(new URL(".", import.meta.url));

/** A message that its dialect accepts. */
export interface AcceptedExample {
  readonly name: string;
  readonly message: JsonObject;
}

/** A message that its dialect refuses, with the code and path of every problem in order. */
export interface RefusedExample extends AcceptedExample {
  readonly problems: readonly { readonly code: string; readonly path: string }[];
}

/** Accepted examples of the dialect whose id is `dialect`, e.g. `vbw/2`. */
export function acceptedExamples(dialect: string): readonly AcceptedExample[] {
  return files(dialect, "accepted").map(({ name, content }) => ({ name, message: content as JsonObject }));
}

/** Refused examples of the dialect whose id is `dialect`. */
export function refusedExamples(dialect: string): readonly RefusedExample[] {
  return files(dialect, "refused").map(({ name, content }) => {
    const { message, problems } = content as unknown as Omit<RefusedExample, "name">; // The corpus is ours; a wrong file fails its test.
    return { name, message, problems };
  });
}

function files(dialect: string, kind: string): readonly { readonly name: string; readonly content: Json }[] {
  const folder = join(home, dialect.replace("/", "-"), kind);
  if (!existsSync(folder)) {
    throw new Error(`${folder} is missing. It holds ${kind} messages of ${dialect}; CONTRIBUTING.md says how many.`);
  }
  return readdirSync(folder)
    .toSorted()
    .map((name) => ({ name, content: JSON.parse(readFileSync(join(folder, name), "utf8")) as Json }));
}
