/**
 * YAML from outside, read within bounds as the JSON value it stands for. The library is loaded only when a YAML text
 * comes. Before it parses, its lexer, which does not recurse, shows whether the text is plain enough: no anchors, aliases,
 * tags, directives or further documents, neither deep nor crowded.
 * Source: docs/protocol/messages.md, section 17.
 */
import type * as Library from "yaml";
import type { CST, Document, LineCounter } from "yaml";
import { invariant } from "../invariant.ts";
import { yamlBytesMax } from "../limits.ts";
import { makeProblem, type Problem } from "../problem.ts";
import { err, type Result } from "../result.ts";
import { Conversion, characterProblem, prescan, Report, syntaxHint, type Token, type Yaml } from "./yaml-conversion.ts";

export type { Place, Yaml } from "./yaml-conversion.ts";

/**
 * The one document of `text` by YAML 1.2's core schema. Never throws. Refuses, with the path `source:line:column`:
 * `too-large`, `byte-order-mark`, `lone-surrogate`, `nul-character`, `not-yaml` (syntax; anchors, aliases, tags,
 * directives, several documents; keys that are no strings), `too-deep`, `too-many-nodes`, `duplicate-key`,
 * `forbidden-key`, `number-range`. `source` names the text, such as its file; an empty document is null.
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

/** `parseYaml` at once, with the library loaded. */
export type YamlParser = (text: string, source: string) => Result<Yaml, Problem>;

/** Loads the library for a parser that then waits for nothing. */
export async function loadYamlParser(): Promise<YamlParser> {
  return yamlParser(await loadYaml());
}

/** The parser over a library that is loaded. */
export function yamlParser(yaml: YamlLibrary): YamlParser {
  return (text, source) => parseYamlWith(yaml, text, source);
}

/** As `parseYaml`, at once, with the library at hand. */
export function parseYamlWith(yaml: YamlLibrary, text: string, source: string): Result<Yaml, Problem> {
  if (text.length > yamlBytesMax || new TextEncoder().encode(text).byteLength > yamlBytesMax) {
    return err(
      makeProblem("too-large", source, "The text is over the limit.", { expected: `at most ${yamlBytesMax} bytes` }),
    );
  }
  const lines = new yaml.LineCounter();
  const report = new Report(text, source, lines);
  const tokens: string[] = [];
  const unfit = characterProblem(text, report) ?? prescan(kept(yaml, text, tokens), report);
  if (unfit !== null) return err(unfit);
  let parsed: Parsed;
  try {
    parsed = firstDocument(yaml, tokens, { lines, length: text.length });
  } catch (cause) {
    // Whatever the library throws nevertheless concerns this text only.
    if (!(cause instanceof FirstProblem)) return err(report.at("not-yaml", 0, unreadable(cause), syntaxHint));
    parsed = cause;
  }
  if ("problem" in parsed)
    return err(report.at("not-yaml", parsed.at, `The input is not YAML: ${parsed.problem}`, syntaxHint));
  return new Conversion(report, yaml).run(parsed.document);
}

function unreadable(cause: unknown): string {
  return `The text cannot be read as YAML: ${cause instanceof Error ? cause.message : "unknown"}`;
}

/** The tokens of the text with their types, each kept in `tokens` too, so that the text is cut up once. */
function* kept(yaml: YamlLibrary, text: string, tokens: string[]): Generator<Token> {
  for (const token of new yaml.Lexer().lex(text)) {
    tokens.push(token);
    yield { token, type: yaml.CST.tokenType(token) };
  }
}

type Parsed = { readonly document: Document.Parsed } | { readonly problem: string; readonly at: number };

/** Ends the library's work at the first error of a document; never leaves this file. */
class FirstProblem extends Error {
  readonly problem: string;
  readonly at: number;

  constructor(problem: string, at: number) {
    super(problem);
    this.problem = problem;
    this.at = at;
  }
}

/**
 * The document, or its first error: the library would go on and make an error of each further one, up to one a token.
 * What it finds while it builds the tree comes as a separate token; what it finds afterwards it reports as it finds it.
 */
function firstDocument(
  yaml: YamlLibrary,
  tokens: readonly string[],
  { lines, length }: { readonly lines: LineCounter; readonly length: number },
): Parsed {
  const composer = new yaml.Composer({ uniqueKeys: false, merge: false });
  // The library's own would throw for each error; the tests check that the library still calls it by this name.
  Object.assign<object, object>(composer, { onError: endAtFirst() });
  for (const token of treesOf(yaml, tokens, lines)) {
    if (token.type === "error") {
      // What is before it may have a separate error, which comes first.
      for (const _ of composer.end());
      const source = token.source === "" ? "" : `: ${JSON.stringify(token.source)}`;
      return { problem: `${token.message}${source}`, at: token.offset };
    }
    const [composed] = [...composer.next(token)];
    if (composed !== undefined) return severalDocuments(token.offset);
  }
  const [document, further] = [...composer.end(true, length)];
  invariant(document !== undefined, "the library makes a document of every input");
  return further === undefined ? { document } : severalDocuments(further.range[0]);
}

/** The library's trees of a document that was cut up, as its parser makes them of a whole document. */
function* treesOf(yaml: YamlLibrary, tokens: readonly string[], lines: LineCounter): Generator<CST.Token> {
  const parser = new yaml.Parser(lines.addNewLine);
  lines.addNewLine(0);
  for (const token of tokens) yield* parser.next(token);
  yield* parser.end();
}

/**
 * The function to which the library reports errors; it stops the library at the first. The library catches what is
 * thrown and reports it as one more.
 */
function endAtFirst(): ComposeErrorHandler {
  let first: FirstProblem | null = null;
  return (place, _code, message, isWarning) => {
    if (isWarning === true) return;
    first ??= new FirstProblem(message, offsetOf(place));
    throw first;
  };
}

function offsetOf(place: ProblemPlace): number {
  if (typeof place === "number") return place;
  return "offset" in place ? place.offset : place[0];
}

/** Where the library says that an error is: an offset, the range of one, or one of its tokens. */
type ProblemPlace = number | readonly [number, number, ...number[]] | { readonly offset: number };
type ComposeErrorHandler = (place: ProblemPlace, code: string, message: string, isWarning?: boolean) => void;

function severalDocuments(at: number): Parsed {
  return { problem: "it holds several documents", at };
}
