/**
 * YAML from outside, read within bounds as the JSON value it stands for. The library is loaded only when a YAML text
 * comes. Before it parses, its lexer, which does not recurse, shows whether the text is plain enough: no anchors, aliases,
 * tags, directives or further documents, neither deep nor crowded.
 * Source: guarantees.md section 2 (Inputs).
 */
import type * as Library from "yaml";
import type { Document, LineCounter } from "yaml";
import { invariant } from "./invariant.ts";
import { yamlBytesMax } from "./limits.ts";
import { type Problem, problem } from "./problem.ts";
import { err, type Result } from "./result.ts";
import { Conversion, type Yaml } from "./yaml-conversion.ts";
import { characterFault, prescan } from "./yaml-prescan.ts";
import { Report, syntaxHint } from "./yaml-report.ts";

export type { Yaml } from "./yaml-conversion.ts";
export type { Place } from "./yaml-report.ts";

/**
 * The one document of `text` by YAML 1.2's core schema. Never throws. Refuses, with the path `source:line:column`:
 * `too-large`, `byte-order-mark`, `lone-surrogate`, `nul-character`, `not-yaml` (syntax; anchors, aliases, tags, directives,
 * several documents; keys that are no text), `too-deep`, `too-many-nodes`, `duplicate-key`, `forbidden-key`, `number-range`.
 * `source` names the text, such as its file; an empty document is null.
 */
export async function parseYaml(text: string, source: string): Promise<Result<Yaml, Problem>> {
  return parseYamlWith(await loadYaml(), text, source);
}

/** The library that reads YAML, for those who must not wait in the middle of their work. */
export type YamlLibrary = typeof Library;

/** Loads the library: some milliseconds the first time, so only where a YAML text has come. */
export function loadYaml(): Promise<YamlLibrary> {
  return import("yaml");
}

/** As `parseYaml`, at once, with the library at hand. */
export function parseYamlWith(yaml: YamlLibrary, text: string, source: string): Result<Yaml, Problem> {
  if (text.length > yamlBytesMax || new TextEncoder().encode(text).byteLength > yamlBytesMax) {
    return err(
      problem("too-large", source, "The text is over the limit.", { expected: `at most ${yamlBytesMax} bytes` }),
    );
  }
  const lines = new yaml.LineCounter();
  const report = new Report(text, source, lines);
  const unfit =
    characterFault(text, report) ?? prescan(new yaml.Lexer().lex(text), (token) => yaml.CST.tokenType(token), report);
  if (unfit !== null) return err(unfit);
  let parsed: Parsed;
  // The library makes an error for every fault of the text; their stacks would cost more than all the rest.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    parsed = firstDocument(yaml, text, lines);
  } catch (cause) {
    // The library reports faults of the text as a list; whatever it throws nevertheless concerns this text only.
    return err(
      report.at(
        "not-yaml",
        0,
        `The text cannot be read as YAML: ${cause instanceof Error ? cause.message : "unknown"}`,
        syntaxHint,
      ),
    );
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
  if ("fault" in parsed)
    return err(report.at("not-yaml", parsed.at, `The text is not YAML: ${parsed.fault}`, syntaxHint));
  return new Conversion(report, yaml).run(parsed.document);
}

type Parsed = { readonly document: Document.Parsed } | { readonly fault: string; readonly at: number };

/**
 * The document, or its first fault: the library would go on and make an error of each further one. What it finds while
 * it cuts the text up comes as a token of its own; what it finds afterwards stands in the document.
 */
function firstDocument(yaml: YamlLibrary, text: string, lines: LineCounter): Parsed {
  const composer = new yaml.Composer({ uniqueKeys: false, merge: false });
  for (const token of new yaml.Parser(lines.addNewLine).parse(text)) {
    if (token.type === "error") {
      const [document] = [...composer.end()];
      const source = token.source === "" ? "" : `: ${JSON.stringify(token.source)}`;
      return faultOf(document) ?? { fault: `${token.message}${source}`, at: token.offset };
    }
    const [composed] = [...composer.next(token)];
    if (composed !== undefined) return faultOf(composed) ?? severalDocuments(token.offset);
  }
  const [document, further] = [...composer.end(true, text.length)];
  invariant(document !== undefined, "the library makes a document of every text");
  return faultOf(document) ?? (further === undefined ? { document } : severalDocuments(further.range[0]));
}

function severalDocuments(at: number): Parsed {
  return { fault: "it holds several documents", at };
}

function faultOf(document: Document.Parsed | undefined): Parsed | null {
  const fault = document?.errors[0];
  return fault === undefined ? null : { fault: fault.message, at: fault.pos[0] };
}
