/** The generated files that the package brings: schemas, AsyncAPI documents and reference pages, by name. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { invariant } from "../../base/invariant.ts";
import { packageFacts } from "./package-root.ts";

/** The text of a generated file, e.g. `schemas/vbw/2/bundle.json`, without the line feed at its end. */
export function publishedText(path: string): string {
  const file = join(packageFacts().root, ...path.split("/"));
  invariant(existsSync(file), `the package brings ${path}`);
  return readFileSync(file, "utf8").trimEnd();
}

/** A generated JSON file, e.g. `schemas/vbw/2/bundle.json`: its text for people, its value for programs. */
export function publishedJson(path: string): { readonly text: string; readonly value: unknown } {
  return asJson(publishedText(path));
}

/** JSON of ours: its text for people, its value for programs. */
export function asJson(text: string): { readonly text: string; readonly value: unknown } {
  return { text, value: JSON.parse(text) };
}
