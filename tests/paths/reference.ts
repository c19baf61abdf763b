/**
 * The meaning of a glob, said once more by plain recursion over parts and characters, and all short globs and paths: what
 * the automata of `src/base` are compared with. Nothing of them is used here but the words that they refuse.
 */
import { type Glob, readGlob } from "../../src/base/paths/globs.ts";

/** Whether the path is in what the glob means. */
export function meant(pattern: string, file: string): boolean {
  const parts = pattern.split("/").filter((part) => part !== "" && part !== ".");
  const files = file.split("/");
  const isTree = pattern.endsWith("/") || !/[*?]/.test(pattern);
  if (!isTree) return partsMatch(parts, files);
  return files.some((_, index) => partsMatch(parts, files.slice(0, index + 1)));
}

function partsMatch(parts: readonly string[], files: readonly string[]): boolean {
  const [part, ...rest] = parts;
  if (part === undefined) return files.length === 0;
  if (part === "**") {
    if (rest.length === 0) return files.length > 0;
    return partsMatch(rest, files) || (files.length > 0 && partsMatch(parts, files.slice(1)));
  }
  return files[0] !== undefined && charactersMatch(part, files[0]) && partsMatch(rest, files.slice(1));
}

function charactersMatch(pattern: string, text: string): boolean {
  if (pattern === "") return text === "";
  if (pattern[0] === "*")
    return charactersMatch(pattern.slice(1), text) || (text !== "" && charactersMatch(pattern, text.slice(1)));
  return (
    text !== "" && (pattern[0] === "?" || pattern[0] === text[0]) && charactersMatch(pattern.slice(1), text.slice(1))
  );
}

/** Every word over the alphabet of one to `lengthMax` characters. */
function words(alphabet: string, lengthMax: number): readonly string[] {
  let longest = [""];
  const all: string[] = [];
  for (let length = 1; length <= lengthMax; length++) {
    longest = longest.flatMap((word) => [...alphabet].map((character) => word + character));
    all.push(...longest);
  }
  return all;
}

/** Every path over the alphabet of at most so many characters. */
export function shortPaths(alphabet: string, lengthMax: number): readonly string[] {
  return words(alphabet, lengthMax).filter((text) => !/^\/|\/\/|\/$/.test(text));
}

export interface ShortGlob {
  readonly text: string;
  readonly glob: Glob;
}

/** Every glob over {a, b, /, *, ?} of at most so many characters that is one. */
export function shortGlobs(lengthMax: number): readonly ShortGlob[] {
  return words("ab/*?", lengthMax).flatMap((text) => {
    const read = readGlob(text);
    return read.ok ? [{ text, glob: read.value }] : [];
  });
}
