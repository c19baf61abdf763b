/**
 * The journal's seam: above `journal/` nobody names an engine. Inside, each engine has a folder, and only the file that
 * opens, copies and moves journals names one.
 */
import { type Guard, isGenerated, isTest, type Source, type Violation } from "./sources.ts";

/** The file of `journal/` that chooses an engine. */
const chooser = "src/journal/engines.ts";

/** Strings that name the program whose check runs: the command's file, and what it says. */
const told: ReadonlyMap<string, string> = new Map([
  ["src/programs/install/doctor.ts", "Looks at Node, SQLite, the place"],
  ["src/record/text/journal-verify.ts", "runs SQLite's own check"],
]);

const engine = /sqlite|postgres|\bnats\b|\bpragma\b/i;
const engineFolder = /^src\/journal\/(?:sqlite|postgres|nats|remote)\//;

/** No import of an engine's files but by its own folder and the chooser, and no word of one above `journal/`. */
export const enginesGuard: Guard = (sources) =>
  sources
    .filter(({ path }) => path.startsWith("src/") && !isTest(path) && !isGenerated(path) && !engineFolder.test(path))
    .flatMap((source) => [...importsOf(source), ...(source.path.startsWith("src/journal/") ? [] : wordsOf(source))]);

function importsOf({ path, imports }: Source): readonly Violation[] {
  if (path === chooser) return [];
  return imports
    .filter(({ target }) => engineFolder.test(target))
    .map(({ target, line }) => {
      const message = `imports ${target}. Use the journal's contract (journal/journal.ts), or open, copy and move with journal/engines.ts.`;
      return { path, line, message };
    });
}

function wordsOf({ path, text }: Source): readonly Violation[] {
  const allowed = told.get(path);
  return text.split("\n").flatMap((line, index) => {
    const rest = allowed === undefined ? line : line.replace(allowed, "");
    if (!engine.test(rest)) return [];
    const message =
      "names an engine of the journal. Say what the contract promises; write addresses with fileAddress and addressForm of journal/engines.ts.";
    return [{ path, line: index + 1, message }];
  });
}
