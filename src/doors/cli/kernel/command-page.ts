/**
 * The help page of one command, built from the facts that parsing uses. Knows no other command, so that the hook's
 * small bundle can print its own page.
 */

import type { Paint } from "../terminal/paint.ts";
import { table } from "../terminal/table.ts";
import type { OptionFacts, PositionalFacts } from "./arguments.ts";
import { type Command, globalsOf } from "./command.ts";

/** Longest line of a help page. */
const pageWidth = 100;

/** The usage line of a command, e.g. `baton ack [options] SEQ`. */
export function usageLine(name: string, command: Command): string {
  const required = (command.options ?? []).filter((option) => option.required === true);
  const hasOptional = (command.options ?? []).length > required.length;
  return [
    "baton",
    name,
    ...required.map((option) => `--${option.name} ${option.value ?? "VALUE"}`),
    ...(hasOptional ? ["[options]"] : []),
    ...(command.positionals ?? []).map(positionalUsage),
  ].join(" ");
}

/** The page of one command: what it does, its arguments, examples, what comes next. */
export function commandPage(name: string, summary: string, command: Command, paint: Paint): string {
  const positionals = (command.positionals ?? []).map(positionalRow);
  const options = (command.options ?? []).map(optionRow);
  const examples = command.examples.flatMap(({ line, meaning }) => [`  ${paint.faint(`# ${meaning}`)}`, `  ${line}`]);
  return [
    `${paint.strong(`baton ${name}`)}: ${summary}`,
    command.description,
    section("Usage", [`  ${usageLine(name, command)}`], paint),
    ...(positionals.length > 0 ? [section("Arguments", facts(positionals), paint)] : []),
    ...(options.length > 0 ? [section("Options", facts(options), paint)] : []),
    section("Everywhere", [...facts(globalsOf(command).map(optionRow)), "  The rest: baton --help"], paint),
    section("Examples", examples, paint),
    section("Next", [`  ${command.next}`], paint),
  ].join("\n\n");
}

/** An option as a row of a help page: how it is written, what it does. */
export function optionRow(option: OptionFacts): readonly string[] {
  const short = option.short === undefined ? "    " : `-${option.short}, `;
  const value = option.kind === "flag" ? "" : ` ${option.value ?? "VALUE"}`;
  const choices = option.choices === undefined ? "" : `: ${option.choices.join(", ")}`;
  const more = [...(option.required ? ["required"] : []), ...(option.repeatable ? ["repeatable"] : [])];
  const remark = more.length > 0 ? ` (${more.join(", ")})` : "";
  return [`${short}--${option.name}${value}`, `${option.summary}${choices}${remark}`];
}

function positionalRow({ name, summary, choices }: PositionalFacts): readonly string[] {
  return [name, choices === undefined ? summary : `${summary}: ${choices.join(", ")}`];
}

/** Rows of a help page as indented lines; what is too long for a line goes on below its own column. */
export function facts(rows: readonly (readonly string[])[]): string[] {
  const width = Math.max(0, ...rows.map(([first = ""]) => first.length));
  const folded = rows.flatMap(([first = "", second = ""]) => {
    return foldWords(second, pageWidth - width - 4).map((line, index) => [index === 0 ? first : "", line]);
  });
  return table(folded)
    .split("\n")
    .map((line) => `  ${line}`);
}

/** The words of `text` in lines of at most `width`, as far as single words allow. */
function foldWords(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** A titled part of a help page. */
export function section(title: string, lines: readonly string[], paint: Paint): string {
  return [paint.strong(title), ...lines].join("\n");
}

function positionalUsage({ name, required, repeatable }: PositionalFacts): string {
  const shown = repeatable === true ? `${name}…` : name;
  return required === true ? shown : `[${shown}]`;
}
