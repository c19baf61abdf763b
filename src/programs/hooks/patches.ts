/**
 * The files of a patch, as Codex applies it: by its tool, or by a shell command that it reads as that tool. It looks for the
 * marks in lines without the blanks around them. In a shell, paths count from the folder that the command has gone to.
 * Rule: docs/protocol/doors.md, section 7.
 */
import { isAbsolute, normalize } from "node:path";
import { isJsonList, type Json } from "../../base/json.ts";
import { readShell, type ShellWord } from "./shell-commands.ts";

/** The files that patches name. */
export interface PatchedFiles {
  /** Paths; relative ones count from where the agent works. Several may be names of one file. */
  readonly files: readonly string[];
  /** Relative paths of which it is not known from which folder they count. */
  readonly unplaced: readonly string[];
}

/** What a shell runs to apply a patch; Codex takes both. */
const patchCommands = ["apply_patch", "applypatch"];

const patchMarks = ["*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "];

/** Whether a shell command, or a list of its words, holds a patch and what applies one. */
export function holdsPatch(command: Json | undefined): boolean {
  const texts = textsOf(command);
  return texts.some(appliesPatch) && texts.some((text) => pathsIn(text).length > 0);
}

/** The files of a patch that a tool gets as it is. */
export function filesOfPatch(patch: Json | undefined): PatchedFiles {
  return { files: textsOf(patch).flatMap((text) => placed(pathsIn(text), [""])), unplaced: [] };
}

/** The files of the patches in a shell command. */
export function filesOfShellPatch(command: Json | undefined): PatchedFiles {
  const texts = textsOf(command);
  // Without a shell between: the command, and the patch as its argument.
  if (isJsonList(command ?? null) && patchCommands.includes(texts[0] ?? "")) return filesOfPatch(command);
  const found = texts.map((text): PatchedFiles => {
    const paths = pathsIn(text);
    const folders = paths.length === 0 ? [] : foldersOf(text);
    return {
      files: placed(paths, folders ?? [""], folders === null),
      unplaced: folders === null ? paths.filter((path) => !isAbsolute(path)) : [],
    };
  });
  return { files: found.flatMap(({ files }) => files), unplaced: found.flatMap(({ unplaced }) => unplaced) };
}

function textsOf(command: Json | undefined): readonly string[] {
  const parts = isJsonList(command ?? null) ? (command as readonly Json[]) : [command];
  return parts.filter((part) => typeof part === "string");
}

function appliesPatch(text: string): boolean {
  return patchCommands.some((name) => text.includes(name));
}

function pathsIn(patch: string): readonly string[] {
  return patch.split("\n").flatMap((line) => {
    const bare = withoutBlanks(line);
    const mark = patchMarks.find((each) => bare.startsWith(each));
    return mark === undefined ? [] : [bare.slice(mark.length).trim()];
  });
}

/** JavaScript's own `trim` leaves a next-line character, which Codex takes for a blank. */
function withoutBlanks(line: string): string {
  let [from, to] = [0, line.length];
  while (from < to && isBlank(line.charAt(from))) from += 1;
  while (to > from && isBlank(line.charAt(to - 1))) to -= 1;
  return line.slice(from, to);
}

function isBlank(char: string): boolean {
  return char === "\u0085" || char.trim() === "";
}

/**
 * The paths as they count from each of the folders. Codex takes `..` back in the text, a shell follows links first: where
 * that may differ, it is both.
 */
function placed(paths: readonly string[], folders: readonly string[], isAbsoluteOnly = false): readonly string[] {
  return paths.flatMap((path) => {
    if (isAbsolute(path)) return bothOf(path);
    return isAbsoluteOnly ? [] : folders.flatMap((folder) => bothOf(inFolder(folder, path)));
  });
}

function bothOf(path: string): readonly string[] {
  return path.includes("..") ? [path, normalize(path)] : [path];
}

function inFolder(folder: string, path: string): string {
  return folder === "" || isAbsolute(path) ? path : `${folder.replace(/\/$/, "")}/${path}`;
}

/** A line that goes to a folder of a name as it is written, and what is behind it. */
const goesTo = /^\s*cd[ \t]+(?!-)(?:([^\s;&|<>()$`\\"'*?[\]{}~#!]+)|'([^'\n]+)'|"([^"$`\\\n]+)")[ \t]*(&&|;|\n)/;

/** How many steps into other folders or shells are followed: each may double where the patch is applied. */
const stepsMax = 6;

/** The folders that paths in the patches of a line may count from; "": where it begins. null: it is not known. */
function foldersOf(line: string): readonly string[] | null {
  let rest = line;
  let folders: readonly string[] = [""];
  // Where a step may have failed, and what is joined to it by `&&` was left out.
  let failed: readonly string[] = [];
  for (let step = 0; step < stepsMax; step += 1) {
    const gone = goesTo.exec(rest);
    if (gone !== null) {
      const [whole, bare, single, double, joint] = gone;
      const next = folders.map((folder) => inFolder(folder, bare ?? single ?? double ?? ""));
      const left = [...failed, ...folders];
      [folders, failed] = joint === "&&" ? [next, left] : [[...next, ...left], []];
      rest = rest.slice(whole.length);
      continue;
    }
    const commands = readShell(rest);
    if (commands === null) return null;
    const inner = shellScript(commands);
    if (inner === null) {
      if (!staysInFolder(commands)) return null;
      const isNext = patchCommands.includes(commands[0]?.[0]?.text ?? "");
      const isOnly = commands.filter((words) => words.some(({ text }) => appliesPatch(text))).length === 1;
      return [...new Set(isNext && isOnly ? folders : [...folders, ...failed])];
    }
    rest = inner;
  }
  return null;
}

/** The line that the only command, a shell, is to run; null: it is another command. */
function shellScript(commands: readonly (readonly ShellWord[])[]): string | null {
  const [words = [], ...others] = commands;
  const [shell, flag, script, ...more] = words;
  if (others.length > 0 || more.length > 0 || shell === undefined || script === undefined) return null;
  const isShell = /^(?:.*\/)?(?:bash|zsh|sh)$/.test(shell.text) && ["-c", "-lc"].includes(flag?.text ?? "");
  return isShell && !script.isReplaced ? script.text : null;
}

/** Words that change the folder, or begin what may run again behind such a word. */
const moves = new Set(["cd", "pushd", "popd", "do"]);
const runsOther = new Set(["eval", "source", "."]);

/** Whether each patch is applied in the folder in which the commands begin, as far as they show it. */
function staysInFolder(commands: readonly (readonly ShellWord[])[]): boolean {
  const last = commands.findLastIndex((words) => words.some(({ text }) => appliesPatch(text)));
  return commands.slice(0, last + 1).every((words) => {
    const [first] = words;
    const name = first?.text ?? "";
    if (words.some(({ text }) => appliesPatch(text)) && !patchCommands.includes(name)) return false;
    return !words.some(({ text }) => moves.has(text)) && !runsOther.has(name) && !name.includes("$");
  });
}
