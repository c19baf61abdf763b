/**
 * The simple commands of a line of a shell (POSIX, and of bash what prompts use), each as its words. It is read for what
 * an agent has run, never to run it: where the line is not whole, there is no answer. Which of two branches ran it does
 * not say.
 */

/** A word of a command. */
export interface ShellWord {
  readonly text: string;
  /** A part of it is replaced by the shell: a variable, a pattern, the output of a command. */
  readonly isReplaced: boolean;
}

/**
 * The commands of a line, those in substitutions and groups too, without redirections, comments and here-documents; null: a
 * quotation, a substitution or a here-document in the line has no end.
 */
export function readShell(line: string): readonly (readonly ShellWord[])[] | null {
  const words = wordReader();
  // What ends each quotation or substitution that is open, the innermost last; "$'" is a quotation with escapes.
  const open: string[] = [];
  for (let at = 0; at < line.length; at += 1) {
    const [char, next] = [line.charAt(at), line.charAt(at + 1)];
    const within = open.at(-1);
    if (within === "$'" || within === "'") {
      const isEscape = within === "$'" && char === "\\";
      if (isEscape) {
        words.replaced(next);
        at += 1;
      } else if (char === "'") open.pop();
      else words.add(char);
    } else if (within !== undefined && char === within) {
      open.pop();
      if (char !== '"') words.endCommand();
    } else if (char === "\\") {
      if (within === '"' && !'$`"\\\n'.includes(next)) words.add(char);
      if (next !== "\n") words.add(next);
      at += 1;
    } else if (char === "`" || (char === "$" && next === "(")) {
      if (char === "$") at += 1;
      words.endCommand();
      open.push(char === "$" ? ")" : "`");
    } else if (char === "$" && next === "'" && within !== '"') {
      words.add("");
      open.push("$'");
      at += 1;
    } else if (char === "$") words.replaced(char);
    else if (char === '"' || (char === "'" && within !== '"')) {
      open.push(char);
      words.add("");
    } else if (within === '"') words.add(char);
    else if (char === "#" && words.isBetween()) at = endOfLine(line, at) - 1;
    else if (char === ">" || char === "<") at = words.redirect(line, at);
    else if (char === "\n") {
      words.endCommand();
      const after = afterDocuments(line, at, words.takeDocuments());
      if (after === null) return null;
      at = after;
    } else if (";|&()".includes(char)) {
      words.endCommand();
    } else if (char === " " || char === "\t") words.endWord();
    else if ("*?[{~".includes(char)) words.replaced(char);
    else words.add(char);
  }
  words.endCommand();
  if (open.length > 0 || words.takeDocuments().length > 0) return null;
  return words.commands.filter((each) => each.length > 0);
}

/** Gathers characters into words, and words into commands. */
function wordReader() {
  const commands: ShellWord[][] = [[]];
  const documents: HereDocument[] = [];
  let text: string | null = null;
  let isReplaced = false;
  /** The next word is where a redirection leads, and no word of the command. */
  let target: "file" | "document" | "indented document" | null = null;
  const add = (more: string) => {
    text = (text ?? "") + more;
  };
  const endWord = () => {
    if (text === null) return;
    if (target === null) commands.at(-1)?.push({ text, isReplaced });
    else if (target !== "file") documents.push({ end: text, isIndented: target === "indented document" });
    [text, isReplaced, target] = [null, false, null];
  };
  return {
    commands,
    add,
    endWord,
    /** Adds a character that the shell puts something in the place of. */
    replaced(char: string) {
      add(char);
      isReplaced = true;
    },
    isBetween: () => text === null,
    endCommand() {
      endWord();
      target = null;
      commands.push([]);
    },
    /** A redirection that begins at `at`; answers the place of its last character. */
    redirect(line: string, at: number): number {
      if (text === null || !/^\d{1,2}$/.test(text)) endWord();
      [text, target] = [null, "file"];
      if (line.startsWith("<<", at) && line.charAt(at + 2) !== "<") {
        target = line.charAt(at + 2) === "-" ? "indented document" : "document";
        return target === "document" ? at + 1 : at + 2;
      }
      let last = at;
      while (last + 1 < line.length && "<>&|".includes(line.charAt(last + 1))) last += 1;
      return last;
    },
    takeDocuments: () => documents.splice(0),
  };
}

function endOfLine(line: string, at: number): number {
  const end = line.indexOf("\n", at);
  return end < 0 ? line.length : end;
}

interface HereDocument {
  /** The line that ends it. */
  readonly end: string;
  readonly isIndented: boolean;
}

/** The place of the line break that ends the last of the documents that begin behind `at`; null: one has no end. */
function afterDocuments(line: string, at: number, documents: readonly HereDocument[]): number | null {
  let from = at;
  for (const { end, isIndented } of documents) {
    for (let isOver = false; !isOver; ) {
      if (from >= line.length) return null;
      const stop = endOfLine(line, from + 1);
      const read = line.slice(from + 1, stop);
      isOver = (isIndented ? read.replace(/^\t+/, "") : read) === end;
      from = stop;
    }
  }
  return from;
}
