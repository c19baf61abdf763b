/** How a YAML text is laid out, so that what is written into it looks like the rest. */
import type { Document } from "yaml";
import type { Json } from "../json.ts";
import type { YamlLibrary } from "./yaml.ts";

/** The manner of one text. */
export interface YamlStyle {
  readonly yaml: YamlLibrary;
  readonly lineEnd: string;
  /** By how many columns a level is indented. */
  readonly step: number;
  /** Whether texts mostly stand in quotes. */
  readonly quotes: boolean;
}

/** The style of `text`. */
export function styleOf(yaml: YamlLibrary, text: string): YamlStyle {
  const quoted = text.match(/: "/g)?.length ?? 0;
  return {
    yaml,
    lineEnd: text.includes("\r\n") ? "\r\n" : "\n",
    step: /\n( +)[^\s#]/.exec(text)?.[1]?.length ?? 2,
    quotes: quoted > (text.match(/: [A-Za-z]/g)?.length ?? 0),
  };
}

/** Other readers of YAML take a bare time for more than a text. */
export function quoteTimes(yaml: YamlLibrary, document: Document): void {
  yaml.visit(document, {
    Scalar(_key, node) {
      if (typeof node.value === "string" && /^\d{4}-\d{2}-\d{2}/.test(node.value)) node.type = "QUOTE_DOUBLE";
    },
  });
}

/** A value in as many lines as it takes, ending with a line end. */
export function written({ yaml, quotes: usual, step }: YamlStyle, value: Json, quotes = usual): string {
  const document = new yaml.Document(value);
  if (quotes) {
    yaml.visit(document, {
      Scalar(key, node) {
        if (key !== "key" && typeof node.value === "string") node.type = "QUOTE_DOUBLE";
      },
    });
  } else quoteTimes(yaml, document);
  return document.toString({ lineWidth: 0, indent: Math.max(2, step) });
}

/** A value on one line. */
export function inBraces({ yaml, quotes }: YamlStyle, value: Json): string {
  const document = new yaml.Document(value);
  quoteTimes(yaml, document);
  yaml.visit(document, {
    Collection(_key, node) {
      node.flow = true;
    },
    Scalar(key, node) {
      if (typeof node.value !== "string") return;
      if ((quotes && key !== "key") || node.value.includes("\n")) node.type = "QUOTE_DOUBLE";
    },
  });
  return document.toString({ lineWidth: 0, flowCollectionPadding: false }).trimEnd();
}

/** The lines of a block, each behind `column` spaces. */
export function indented({ lineEnd }: YamlStyle, block: string, column: number): string {
  const margin = " ".repeat(column);
  const lines = block.trimEnd().split("\n");
  return lines.map((line) => `${line === "" ? "" : margin}${line}${lineEnd}`).join("");
}
