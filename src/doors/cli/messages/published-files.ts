/** The generated files that the package brings: schemas, AsyncAPI documents and reference pages, by name. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { invariant } from "../../../base/invariant.ts";
import { packageFacts } from "../../../workspace/package-root.ts";

/** The text of a generated file, e.g. `schemas/vbw/2/bundle.json`, without the line feed at its end. */
export function publishedText(path: string): string {
  const text = readPublished(path);
  invariant(text !== null, `the package brings ${path}`);
  return text.trimEnd();
}

/** The JSON Schema text that the package brings for `vbw/2/plan_contract`; null: there is none. The name is one of ours. */
export function publishedSchema(name: string): string | null {
  return readPublished(`schemas/${name}.json`);
}

function readPublished(path: string): string | null {
  const file = join(packageFacts().root, ...path.split("/"));
  return existsSync(file) ? readFileSync(file, "utf8") : null;
}

/** A generated JSON file, e.g. `schemas/vbw/2/bundle.json`: its text for people, its value for programs. */
export function publishedJson(path: string): { readonly text: string; readonly value: unknown } {
  return asJson(publishedText(path));
}

/** JSON of ours: its text for people, its value for programs. */
export function asJson(text: string): { readonly text: string; readonly value: unknown } {
  return { text, value: JSON.parse(text) };
}
