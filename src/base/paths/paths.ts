/**
 * Paths inside a repository as agents write them, brought into one form or refused. Text only: nothing here looks at a
 * file system. What is refused could leave the repository, reach git's own files, or name something else on another
 * system. Globs are in `globs.ts`.
 * Source: docs/protocol/tasks.md, sections 17 to 20.
 */
import { pathBytesMax } from "../limits.ts";
import { makeProblem, type Problem } from "../problem.ts";
import { err, ok, type Result } from "../result.ts";

declare const brand: unique symbol;

/** A repository-relative path in canonical form: `/` between non-empty parts, no `.` or `..`. Made by `canonicalPath`. */
export type Path = string & { readonly [brand]: "Path" };

/**
 * `text` as a canonical path: `.` parts and repeated or trailing slashes are dropped. Refuses with `invalid-path`: empty,
 * over 1,024 bytes, not well-formed, control characters, `\`, absolute or with a drive letter, `..`, `.git` and `.baton` in
 * any spelling that some file system takes for them. Letters, case and accents stay as written.
 */
export function canonicalPath(text: string): Result<Path, Problem> {
  if (isPlain(text)) return ok(text as Path); // It is in canonical form already.
  const parts = pathParts(text);
  if (!parts.ok) return err(invalidPath(text, parts.error));
  if (parts.value.some(isBatonFolder)) return err(batonPath(text));
  // Well-formed by the checks just made.
  return ok(parts.value.join("/") as Path);
}

/** The refusal of a path or glob that reaches into `.baton/`, which no work changes. */
export function batonPath(text: string): Problem {
  return invalidPath(text, "reaches into Baton's own files, which no task, contract or agent changes");
}

/** Whether a path or glob has a part that some file system takes for `.baton`. */
export function reachesIntoBaton(text: string): boolean {
  return text.split("/").some(isBatonFolder);
}

function isBatonFolder(part: string): boolean {
  return plainParts(part).some((plain) => plain === ".baton" || /^baton~[0-9]+$/.test(plain));
}

/** The parts of a path or glob, or why it is none, as a clause that follows "the path". */
export function pathParts(text: string): Result<readonly string[], string> {
  if (isPlain(text)) return ok(text.split("/"));
  const problem = textProblem(text);
  if (problem !== null) return err(problem);
  const parts = text.split("/").filter((part) => part !== "" && part !== ".");
  if (parts.length === 0) return err("names the repository itself, not a file in it");
  if (/^[A-Za-z]:/.test(parts[0] ?? "")) return err("starts with a drive letter; write it relative to the repository");
  for (const part of parts) {
    const partProblem = problemOfPart(part);
    if (partProblem !== null) return err(partProblem);
  }
  return ok(parts);
}

/**
 * Paths about which no rule below has anything to say: parts of letters, digits, `_`, `-` and inner dots that start
 * with none, so `..`, `.git` and `git~1` are not among them. Nearly all paths are of this kind.
 */
const plainPath = /^[\w-]+(?:\.[\w-]+)*(?:\/[\w-]+(?:\.[\w-]+)*)*$/;
const plainCharactersMax = 256;

function isPlain(text: string): boolean {
  return text.length <= plainCharactersMax && plainPath.test(text);
}

function textProblem(text: string): string | null {
  if (text === "") return "is empty";
  // A UTF-16 unit takes at most three bytes, so most paths need no count.
  const mayBeLong = text.length * 3 > pathBytesMax;
  if (mayBeLong && (text.length > pathBytesMax || new TextEncoder().encode(text).byteLength > pathBytesMax)) {
    return `is longer than ${pathBytesMax} bytes`;
  }
  if (!text.isWellFormed()) return "holds half of a surrogate pair";
  if (/\p{Cc}/u.test(text)) return "holds a control character";
  if (text.includes("\\")) return "holds a backslash; write / between its parts";
  if (text.startsWith("/")) return "is absolute; write it relative to the repository";
  return null;
}

/** Compared as the most forgiving file system would: see `plainParts`. */
function problemOfPart(part: string): string | null {
  for (const plain of plainParts(part)) {
    if (plain === "") return 'holds a part of dots or blanks only, such as ".."';
    if (plain === ".git" || /^git~[0-9]+$/.test(plain)) return "reaches into git's own files";
  }
  return null;
}

/**
 * A part as the most forgiving file systems read it: compatibility forms unified (and where that makes slashes, as with
 * fullwidth ones, the parts between them), characters that some ignore dropped (zero-width and bidi ones, as HFS+ does),
 * a stream name after `:` and trailing dots and blanks cut (as Windows does), case folded.
 */
export function plainParts(part: string): readonly string[] {
  if (isPrintableAscii(part)) return [trimEnd(withoutStream(part)).toLowerCase()];
  const shown = part.normalize("NFKC").replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, "");
  const names = shown.split(/[/\\]/);
  return names
    .filter((name) => name !== "" || names.length === 1)
    .map((name) => foldFully(trimEnd(withoutStream(name))));
}

/** The name of the file of which `name` is a stream on Windows: what is before the first `:`. */
function withoutStream(name: string): string {
  const colon = name.indexOf(":");
  return colon < 0 ? name : name.slice(0, colon);
}

function trimEnd(name: string): string {
  let end = name.length;
  while (end > 0 && (name[end - 1] === "." || name[end - 1] === " ")) end--;
  return name.slice(0, end);
}

/** `text` with case removed by whole-word rules: `ß`, `ẞ` and `SS` are equal; so are composed and decomposed accents. */
export function foldFully(text: string): string {
  if (isPrintableAscii(text)) return text.toLowerCase();
  return text.normalize("NFC").toUpperCase().toLowerCase().normalize("NFC");
}

/** `text` with case removed letter by letter, so that its length in characters stays as that of its composed form. */
export function foldSimply(text: string): string {
  if (isPrintableAscii(text)) return text.toLowerCase();
  return Array.from(text.normalize("NFC"), (letter) => {
    const folded = letter.toUpperCase().toLowerCase();
    return one(folded) ?? one(letter.toLowerCase()) ?? letter;
  }).join("");
}

function one(text: string): string | null {
  return Array.from(text).length === 1 ? text : null;
}

/** Spellings under which a file may be forbidden; it is forbidden when any of them is. */
export interface Spellings {
  readonly written: string;
  /** Without case, letter by letter: as written, and as Windows and HFS+ would store it. */
  readonly bySimpleFold: readonly string[];
  /** Without case, by whole-word rules; the same list where these have nothing to add. */
  readonly byFullFold: readonly string[];
}

/** The spellings of a path. */
export function spellingsOf(path: Path): Spellings {
  if (isPrintableAscii(path) && !/:|[. ](?:\/|$)/.test(path)) {
    const folded = [path.toLowerCase()];
    return { written: path, bySimpleFold: folded, byFullFold: folded };
  }
  const stored = storedForm(path);
  const each = stored === path ? [path] : [path, stored];
  return { written: path, bySimpleFold: each.map(foldSimply), byFullFold: each.map(foldFully) };
}

/**
 * A path or glob in the one form in which all its spellings on forgiving file systems are equal: without case, composed,
 * without characters that some ignore, stream names, and dots and blanks at the end of a part.
 */
export function foldAsStored(text: string): string {
  if (isPrintableAscii(text) && !/:|[. ](?:\/|$)/.test(text)) return text.toLowerCase();
  return foldFully(storedForm(text));
}

/** Each part as Windows and HFS+ would store it. */
function storedForm(text: string): string {
  return text
    .split("/")
    .map((part) => trimEnd(withoutStream(part.replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, ""))) || part)
    .join("/");
}

/** Whether the Unicode rules have nothing to say about `text`: then the plain ones give the same answer, sooner. */
function isPrintableAscii(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}

function invalidPath(text: string, reason: string): Problem {
  return makeProblem("invalid-path", text, `The path ${reason}.`, {
    expected: "a path relative to the repository, such as src/app.ts",
    received: text.slice(0, 200).toWellFormed(),
  });
}

/* A place in a file as messages name it: `src/auth.ts:42`. Source: docs/protocol/messages.md, sections 5 and 6. */

/** A file in canonical form where its path has one, else as written; the line is null where none is named. */
export interface FileLine {
  readonly file: string;
  readonly line: number | null;
}

/** The file and the line of `file:line`; what is no number behind the last colon belongs to the file. */
export function fileLine(text: string): FileLine {
  const colon = text.lastIndexOf(":");
  const digits = colon < 0 ? "" : text.slice(colon + 1);
  const line = /^[0-9]{1,15}$/.test(digits) ? Number(digits) : null;
  return { file: canonicalFile(line === null ? text : text.slice(0, colon)), line };
}

/** `file:line` in canonical form, of a file and a line that a message says apart; null: it lacks one of them. */
export function placeOf(file: unknown, line: unknown): string | null {
  return typeof file === "string" && typeof line === "number" ? `${canonicalFile(file)}:${line}` : null;
}

/** A path in canonical form, or as written where it has none: `./src/a.ts` and `src//a.ts` are `src/a.ts`. */
export function canonicalFile(text: string): string {
  const path = canonicalPath(text);
  return path.ok ? path.value : text;
}
