/**
 * Plain English: phrases that say in an idiom what the field has a word for. They are looked for in comments, in the
 * texts that people read (messages, hints, help, the page) and in the pages of the repository. The list only grows.
 */
import { globSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { type Guard, home, isGenerated, type Node, nodesOf, type Source, type Violation } from "./sources.ts";

interface Idiom {
  readonly found: RegExp;
  readonly instead: string;
}

/** What is not written any more, and what is written instead. */
export const idioms: readonly Idiom[] = [
  {
    found: /\b(?:is|are|was|were|be|been|being) told\b/gi,
    instead: "is reported, the response contains, Baton notifies X",
  },
  { found: /\b(?:told|tells) (?:as|of|to|by)\b/gi, instead: "reported as, reports, notifies" },
  { found: /\bstands?\b(?! for\b)/gi, instead: "is, exists, is active, is supported" },
  { found: /\bstood\b/gi, instead: "was, existed" },
  { found: /\b(?:whoever|whosoever|whomever)\b/gi, instead: "the caller, the sender, the agent that" },
  { found: /\banew\b/gi, instead: "again, newly, re-" },
  { found: /\bbeside\b/gi, instead: "next to, in addition to" },
  { found: /\b(?:an act|acts of|each act|every act|the act|this act|no act|act's)\b/gi, instead: "an operation" },
  { found: /\b(?:verdict|fix|shutdown|health|handoff|escalation)[ -]words?\b/gi, instead: "notification" },
  { found: /\bsaid (?:again|before|twice)\b/gi, instead: "duplicate, repeated" },
  { found: /\bsigns? of life\b/gi, instead: "heartbeat" },
  { found: /\bpass(?:ed|es) by\b/gi, instead: "skipped, timed out" },
  { found: /\bhand(?:ed|s|ing)? up\b/gi, instead: "escalated" },
  { found: /\b(?:bears?|borne|bearing) out\b/gi, instead: "confirms" },
  { found: /\b(?:held|holds?|holding) (?:\w+ ){0,3}against\b/gi, instead: "checked against, compared with" },
  { found: /\b(?:a slip|slips?) of the pen\b|\ba slip\b/gi, instead: "a typo, a mistake" },
  { found: /\bput(?:s|ting)? (?:it |them )?right\b/gi, instead: "corrected, repaired" },
  { found: /\blets? (?:\w+ )?(?:pass|be)\b/gi, instead: "accepts, allows, leaves unchanged" },
  { found: /\bof (?:its|their|one's|our|your|his|her) own\b/gi, instead: "own, separate, custom" },
  { found: /\bstandings?\b/gi, instead: "status, state" },
  { found: /\bwhat time has brought\b/gi, instead: "expired deadlines" },
  { found: /\b(?:gone|go|goes|went|going) over\b/gi, instead: "scanned" },
  {
    found: /\b(?:a|each|every|one|no|any) text\b(?! (?:field|file|column|node|search|editor|format))|\btexts\b/gi,
    instead: "the string, input, document, message",
  },
  { found: /\bfaults?\b/gi, instead: "error, failure, finding" },
  { found: /\b(?:is|are|was|be) heard\b|\bunheard\b|\bhears? of\b/gi, instead: "name the event: received, notified" },
  { found: /\b(?:is|are|was|were) to be\b/gi, instead: "must be, will be, should be" },
  { found: /\b(?:who|which|what|that)(?:ever)? (?:is|are) (?:to|not to) \w+/gi, instead: "must, should, will" },
  { found: /\b(?:lies|lie|lain) (?:in|there|beside|at|on|outside|inside|where|under)\b/gi, instead: "is" },
  { found: /\bworked on at once\b/gi, instead: "in parallel" },
  { found: /\bto the letter\b/gi, instead: "exactly, verbatim" },
  { found: /\bthe same again\b/gi, instead: "a repeat" },
];

/** Every idiom in a string, with what to write instead. Code in backticks is quoted, so it is not read. */
export function idiomsIn(
  text: string,
): readonly { readonly at: number; readonly phrase: string; readonly instead: string }[] {
  const words = text.replaceAll(/`[^`\n]*`/g, (code) => " ".repeat(code.length));
  return idioms.flatMap(({ found, instead }) =>
    [...words.matchAll(found)].map(({ 0: phrase, index }) => ({ at: index, phrase, instead })),
  );
}

/** A page without what it quotes: fenced code, indented code and the targets of links. Lines stay where they are. */
function proseOf(page: string): string {
  const blank = (quoted: string) => quoted.replaceAll(/[^\n]/g, " ");
  return page
    .replaceAll(/^```.*?^```/gms, blank)
    .replaceAll(/^ {4}.*$/gm, blank)
    .replaceAll(/\]\([^)]*\)/g, blank);
}

/** Idioms in a page of Markdown, each with its line. A phrase may be broken by the end of a line. */
export function idiomsInPage(path: string, page: string): readonly string[] {
  const prose = proseOf(page);
  return idiomsIn(prose.replaceAll("\n", " ")).map(({ at, phrase, instead }) => {
    const line = prose.slice(0, at).split("\n").length;
    return `${path}:${line} "${phrase}". Write: ${instead}.`;
  });
}

/** Pages that are computed or measured, or that quote others: their words are changed where they are written. */
const quoted =
  /^(CHANGELOG\.md|docs\/(benchmarks|verification)\.md|docs\/reference\/.*|docs\/protocol\/requirements\/.*)$/;

/** The repository's pages that people wrote, by path. */
export function writtenPages(): ReadonlyMap<string, string> {
  const found = globSync("{*.md,docs/**/*.md,examples/**/*.md}", { cwd: home }).map((path) =>
    path.split(sep).join("/"),
  );
  return new Map(
    found.filter((path) => !quoted.test(path)).map((path) => [path, readFileSync(join(home, path), "utf8")]),
  );
}

/** Words that are quoted: examples of messages, as the documents of the dialects have them. */
const quotedWords = new Set([
  "A task of its own",
  "The fault grows with load",
  "The fault is still there on the newest commit",
]);

/** Production says it in plain English: comments, and the strings that people read. */
export const idiomGuard: Guard = (sources) =>
  sources.filter(({ path }) => isProduction(path)).flatMap((source) => [...inComments(source), ...inStrings(source)]);

/** Titles of tests are sentences that people read: in the output of a run, and in the lists of requirements. */
export const titlesGuard: Guard = (sources) =>
  sources.flatMap((source) =>
    nodesOf(source.program).flatMap((node) => {
      const title = titleOf(node);
      return title === null ? [] : violations(source, title, node.start);
    }),
  );

const registers = new Set(["test", "it", "describe", "withJournal"]);

/** The title that a call registers a test under, or null: the call is another. */
function titleOf({ type, callee, arguments: given }: Node): string | null {
  if (type !== "CallExpression") return null;
  const { name, object } = callee as { readonly name?: string; readonly object?: { readonly name?: string } };
  const [first] = given as readonly Node[];
  return first !== undefined && registers.has(name ?? object?.name ?? "") ? saidBy(first) : null;
}

function isProduction(path: string): boolean {
  return /^(src|demo)\//.test(path) && !path.endsWith(".test.ts") && !isGenerated(path);
}

function inComments(source: Source): readonly Violation[] {
  return source.comments.flatMap(({ value, start }) => violations(source, value.replaceAll(/\n\s*\*? ?/g, " "), start));
}

/** Strings of three words and more, without what is computed in them; names and codes are shorter. */
function inStrings(source: Source): readonly Violation[] {
  return nodesOf(source.program).flatMap((node) => {
    const said = saidBy(node);
    return said === null || quotedWords.has(said) || !/\S \S+ \S/.test(said)
      ? []
      : violations(source, said, node.start);
  });
}

function saidBy(node: Node): string | null {
  if (node.type === "Literal") return typeof node.value === "string" ? node.value : null;
  if (node.type !== "TemplateLiteral") return null;
  const parts = node.quasis as readonly { readonly value: { readonly cooked?: string } }[];
  return parts.map(({ value }) => value.cooked ?? "").join("…");
}

function violations(source: Source, words: string, start: number): readonly Violation[] {
  return idiomsIn(words).map(({ phrase, instead }) => ({
    path: source.path,
    line: source.lineOf(start),
    message: `"${phrase}" is an idiom. Write: ${instead}.`,
  }));
}
