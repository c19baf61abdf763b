/**
 * What is refused of a YAML text before it is parsed: characters, marks that the documents here never need, too much of
 * it. The lexer alone looks, which does not recurse. Source: docs/protocol/reading.md, section 12.
 */
import { jsonNodesMax, yamlDepthMax } from "../limits.ts";
import type { Problem } from "../problem.ts";
import { type Report, syntaxHint } from "./yaml-report.ts";

/** The first character that no text may hold, or null. */
export function characterFault(text: string, report: Report): Problem | null {
  if (text.startsWith("\ufeff"))
    return report.at("byte-order-mark", 0, "The text starts with a byte order mark.", "Save it as UTF-8 without one.");
  const nul = text.indexOf("\0");
  if (nul >= 0) return report.at("nul-character", nul, "The text contains the NUL character.", "Remove it.");
  if (text.isWellFormed()) return null;
  return report.at("lone-surrogate", text.search(/\p{Cs}/u), "The text contains half of a surrogate pair.");
}

const refusedTokens: Readonly<Record<string, readonly [what: string, hint: string]>> = {
  anchor: ["an anchor (&)", "Write the value out where it is needed, or quote the text."],
  alias: ["an alias (*)", "Write the value out where it is needed, or quote the text."],
  tag: ["a tag (!)", "Leave it out, or quote the text."],
  "directive-line": ["a directive (%)", "Leave it out, or quote the text."],
};

/** A value brings at most its key, three marks and its own two brackets, or its text: more is more values, or no YAML. */
const tokensMax = 6 * jsonNodesMax;

/** Line ends, blanks and comments: a value on a line of its own has a line end and two blanks; far more only cost time. */
const blanksMax = 4 * jsonNodesMax;

/** A piece of the text as the lexer cuts it, and what the library calls such a piece; the source of a scalar may be any. */
export interface Token {
  readonly token: string;
  readonly type: string | null;
}

/** Marks that the next token is the bare source of a scalar. */
const SCALAR = "scalar";

/**
 * Refuses by tokens alone. Depth is that of flow collections plus that of open indentations; a list at the column of
 * its key is not told from the key, so up to twice the limit may pass here, and the exact count follows.
 */
export function prescan(tokens: Iterable<Token>, report: Report): Problem | null {
  let offset = 0;
  let lineStart = 0;
  let flow = 0;
  let scalars = 0;
  let contents = 0;
  let marks = 0;
  let commas = 0;
  let blanks = 0;
  let hasContent = false;
  let hasStarted = false;
  let isAfterScalarMark = false;
  const columns: number[] = [];
  for (const { token, type: said } of tokens) {
    const type: string | null = isAfterScalarMark ? "source" : said;
    isAfterScalarMark = type === SCALAR;
    if (type === SCALAR || type === "doc-mode" || type === "flow-error-end") continue;
    const refused = refusedTokens[type ?? ""];
    if (refused !== undefined)
      return report.at("not-yaml", offset, `The text uses ${refused[0]}, which is not read here.`, refused[1]);
    if (type === "doc-start") {
      if (hasContent || hasStarted)
        return report.at("not-yaml", offset, "The text holds several documents.", "Keep one of them.");
      hasStarted = true;
    }
    if (type === "flow-map-start" || type === "flow-seq-start") flow++;
    else if (type === "flow-map-end" || type === "flow-seq-end") flow--;
    if (flow < 0) return report.at("not-yaml", offset, "A bracket is closed that was not opened.", syntaxHint);
    if (type === "seq-item-ind" || type === "map-value-ind") marks++;
    else if (type === "comma") commas++;
    const isContent =
      type !== "space" && type !== "newline" && type !== "comment" && type !== "doc-start" && type !== "doc-end";
    if (!isContent && ++blanks > blanksMax)
      return report.at("too-many-nodes", offset, "The text is made of too many lines, blanks and comments.");
    if (isContent) {
      hasContent = true;
      contents++;
      const column = offset - lineStart;
      while (columns.length > 0 && (columns.at(-1) ?? 0) >= column) columns.pop();
      if (flow === 0 || columns.length === 0) columns.push(column);
      if (type === "source" || type?.endsWith("scalar") === true) scalars++;
    }
    // A scalar after its key on one line opens a column of its own, but no level: hence the allowance of one.
    if (flow > yamlDepthMax || columns.length > 2 * yamlDepthMax + 1) {
      return report.at("too-deep", offset, `The text is nested deeper than ${yamlDepthMax} levels.`);
    }
    // Each mark of an entry or a value stands before a value of its own, and each comma behind one; a key is none.
    if (scalars > 2 * jsonNodesMax || marks > jsonNodesMax || commas > jsonNodesMax || contents > tokensMax)
      return report.at("too-many-nodes", offset, `The text holds more than ${jsonNodesMax} values.`);
    offset += token.length;
    const newline = token.lastIndexOf("\n");
    if (newline >= 0) lineStart = offset - (token.length - newline - 1);
  }
  return null;
}
