/**
 * Baton's table in a program's TOML settings: a block between two marks, at the end of the file. What somebody else wrote
 * between the marks, as programs do that append tables, stays when the block goes.
 */
import { invariant } from "../../base/invariant.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { type Splice, spliced } from "../../base/text-formats/splice.ts";
import { type TomlStatement, tomlStatements } from "../../base/text-formats/toml-statements.ts";
import { serverTable } from "./program-settings.ts";
import { settingsProblem } from "./settings-file.ts";

const beginMark = "# baton begin";
const endMark = "# baton end";
/** Behind the first mark where the file was there before: the line end before the block is ours, too. */
const withLineEnd = " (uninstalling also removes the line break before this line)";
/** The same in the words of older versions. */
const olderWithLineEnd = ", with the line end before it";

interface Block {
  readonly begin: TomlStatement;
  readonly end: TomlStatement;
  /** The statements of our table between the marks. */
  readonly own: readonly TomlStatement[];
  /** Whether nothing else is between the marks. */
  readonly isOursAlone: boolean;
}

/**
 * `text` (null: there is no file) with the table `lines` in its block. Refuses `settings-file` what is no TOML or has
 * marks that do not pair, and `already-exists` where the table is outside the marks.
 */
export function withBlock(text: string | null, lines: readonly string[], file: string): Result<string, Problem> {
  if (text === null) return ok(`${[beginMark, ...lines, endMark].join("\n")}\n`);
  const found = blockIn(text, file);
  if (!found.ok) return found;
  const { block, foreign } = found.value;
  if (foreign !== null) return err(standsAlready(foreign, text, file));
  const lineEnd = /\r?\n/.exec(text)?.[0] ?? "\n";
  const table = lines.map((line) => line + lineEnd).join("");
  if (block === null) return ok(`${text}${lineEnd}${beginMark}${withLineEnd}${lineEnd}${table}${endMark}${lineEnd}`);
  const { begin, own } = block;
  if (own.map(({ from, to }) => text.slice(from, to)).join("") === table) return ok(text);
  const at = own[0]?.from ?? begin.to;
  return ok(spliced(text, [{ from: at, to: at, text: table }, ...own.map(gone)]));
}

/** `text` without the block; null: nothing is left of a file that was made for it. Refuses `settings-file`. */
export function withoutBlock(text: string, file: string): Result<string | null, Problem> {
  const found = blockIn(text, file);
  if (!found.ok) return found;
  const { block } = found.value;
  if (block === null) return ok(text);
  const { begin, end, own, isOursAlone } = block;
  const isAdded = [withLineEnd, olderWithLineEnd].some((each) => begin.text.endsWith(each));
  const from = isAdded ? lineEndBefore(text, begin.from) : begin.from;
  // What stays needs the line end before it.
  const left = spliced(text, (isOursAlone ? [{ from, to: end.to }] : [begin, ...own, end]).map(gone));
  return ok(left === "" && !isAdded ? null : left);
}

/**
 * What the block says of our table: each key with its value as written; null: there is no block. Refuses as
 * `withoutBlock`.
 */
export function blockPairs(text: string, file: string): Result<ReadonlyMap<string, string> | null, Problem> {
  const found = blockIn(text, file);
  if (!found.ok) return found;
  const pairs = (found.value.block?.own ?? []).filter(({ kind }) => kind === "pair");
  const said = pairs.map(
    ({ path, text: pair }) => [path.at(-1) ?? "", pair.slice(pair.indexOf("=") + 1).trim()] as const,
  );
  return ok(found.value.block === null ? null : new Map(said));
}

function blockIn(
  text: string,
  file: string,
): Result<{ readonly block: Block | null; readonly foreign: TomlStatement | null }, Problem> {
  const read = tomlStatements(text);
  if (!read.ok) {
    const { at, expected } = read.error;
    return err(settingsProblem(file, "This is no TOML, so nothing was changed.", { text, at, expected }));
  }
  const statements = read.value;
  const isMark = (mark: string) => (each: TomlStatement) => each.kind === "comment" && each.text.startsWith(mark);
  const begins = statements.filter(isMark(beginMark));
  const ends = statements.filter(isMark(endMark));
  const [begin] = begins;
  const [end] = ends;
  const isPaired = begins.length === ends.length && begins.length <= 1 && (begin?.from ?? 0) <= (end?.from ?? 0);
  if (!isPaired) {
    const at = (begin ?? end)?.from ?? 0;
    return err(
      settingsProblem(file, "The marks around Baton's table do not pair.", {
        text,
        at,
        expected: `${beginMark} and ${endMark}, once`,
      }),
    );
  }
  if (begin === undefined) return ok({ block: null, foreign: statements.find(isTable) ?? null });
  invariant(end !== undefined, "marks that pair are two");
  const inside = statements.filter(({ from }) => from > begin.from && from < end.from);
  const own = inside.filter(isTable);
  const foreign = statements.find((each) => isTable(each) && !own.includes(each)) ?? null;
  return ok({ block: { begin, end, own, isOursAlone: own.length === inside.length }, foreign });
}

/** Whether a statement makes our table or speaks of it, or shuts it out: a table of servers that is written as one value. */
function isTable({ kind, path }: TomlStatement): boolean {
  const [servers, name] = serverTable;
  if (kind === "comment" || path[0] !== servers) return false;
  return path.length === 1 ? kind !== "table" : path[1] === name;
}

function standsAlready({ from, path: names }: TomlStatement, text: string, file: string): Problem {
  const { path } = settingsProblem(file, "", { text, at: from });
  return makeProblem(
    "already-exists",
    path,
    "There is a server named baton already, or none can be added; Baton did not write it.",
    {
      received: names.join("."),
      hint: "Take it out of the file, or write the table [mcp_servers] as separate tables, then install again.",
    },
  );
}

/** Nothing in the place of what is there. */
function gone({ from, to }: Pick<Splice, "from" | "to">): Splice {
  return { from, to, text: "" };
}

function lineEndBefore(text: string, at: number): number {
  if (text.slice(0, at).endsWith("\r\n")) return at - 2;
  return text[at - 1] === "\n" ? at - 1 : at;
}
