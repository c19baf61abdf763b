/**
 * The command by the name that people called it by. Where npx ran it `baton` is on no path that we know of, so the
 * lines that we tell people to run begin with `npx baton`. Programs get the same words for every caller.
 */
import type { Problem } from "../../../base/problem.ts";
import type { Output } from "../terminal/output.ts";
import type { Catalogue } from "./catalogue.ts";

/** `output`, whose words for people name the commands of `catalogue` by `program`, such as `npx baton`. */
export function outputCalledAs(output: Output, program: string, catalogue: Catalogue): Output {
  if (program === "baton" || output.json) return output;
  const firstWords = new Set(catalogue.map(({ name }) => name.split(" ")[0]));
  // What is no command is the name of the thing.
  const named = (text: string) =>
    text.replaceAll(/(?<!npx )\bbaton (--help|[a-z-]+)/g, (said, word: string) =>
      word === "--help" || firstWords.has(word) ? `${program} ${word}` : said,
    );
  const told = (problem: Problem): Problem =>
    problem.hint === undefined ? problem : { ...problem, hint: named(problem.hint) };
  return {
    ...output,
    say: (text) => output.say(named(text)),
    problems: (problems) => output.problems(problems.map(told)),
    fail: (fault) => output.fail("code" in fault ? told(fault) : fault.map(told)),
  };
}
