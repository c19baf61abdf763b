/**
 * The help page of one command, built from the facts that parsing uses. Knows no other command, so that the hook's
 * small bundle can print its own page.
 */
import type { Paint } from "../terminal/output.ts";
import { table } from "../terminal/terminal-text.ts";
import type { OptionFacts, PositionalFacts } from "./arguments.ts";
import type { Catalogue } from "./catalogue.ts";
import { type Command, globalOptions, globalsOf } from "./command.ts";

/** Longest line of a help page. */
const pageWidth = 100;

/** A command as the catalogue lists it. */
type NamedCommand = Pick<Catalogue[number], "name" | "summary">;

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

/**
 * The page of one command: what it does, its arguments, examples, what comes next. `below`: the commands whose names begin
 * with this one's, such as `phase skip` for `phase`.
 */
export function commandPage(
  { name, summary }: NamedCommand,
  command: Command,
  paint: Paint,
  below: readonly NamedCommand[] = [],
): string {
  const positionals = (command.positionals ?? []).map(positionalRow);
  const options = (command.options ?? []).map(optionRow);
  const examples = command.examples.flatMap(({ line, meaning }) => [`  ${paint.faint(`# ${meaning}`)}`, `  ${line}`]);
  return [
    `${paint.strong(`baton ${name}`)}: ${summary}`,
    command.description,
    section("Usage", [`  ${usageLine(name, command)}`], paint),
    ...(positionals.length > 0 ? [section("Arguments", facts(positionals), paint)] : []),
    ...(options.length > 0 ? [section("Options", facts(options), paint)] : []),
    ...(below.length > 0
      ? [section("Commands", facts(below.map((each) => [`baton ${each.name}`, each.summary])), paint)]
      : []),
    section("Everywhere", [...facts(globalsOf(command).map(optionRow)), "  The rest: baton help --all"], paint),
    section("Examples", examples, paint),
    section("Next", [`  ${command.next}`], paint),
  ].join("\n\n");
}

/** An option as a row of a help page: how it is written, what it does. */
function optionRow(option: OptionFacts): readonly string[] {
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
function facts(rows: readonly (readonly string[])[]): string[] {
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
function section(title: string, lines: readonly string[], paint: Paint): string {
  return [paint.strong(title), ...lines].join("\n");
}

function positionalUsage({ name, required, repeatable }: PositionalFacts): string {
  const shown = repeatable === true ? `${name}…` : name;
  return required === true ? shown : `[${shown}]`;
}

/* The pages of several commands. */

/** What the commands of a group are about. */
const groupWords: Readonly<Record<string, string>> = {
  agent: "who is in the team; changes are recorded in the journal, the team file stays as it is",
  handoff: "work passed on with a document: what to do, what it rests on, and files that can be checked",
  journal: "the record itself: whether it is sound, what it holds, copies of it",
  task: "the board: who works on what; two agents never hold the same task or the same file",
  token: "credentials that prove an agent, or the owner, to a hub",
};

/** What a person's day needs, in the person's words; the other commands are on the whole page. */
const day: readonly (readonly [title: string, names: readonly string[]])[] = [
  ["Begin", ["start"]],
  ["Give work", ["task add", "plan add"]],
  ["See how it goes", ["status", "log"]],
  ["Decide", ["needs", "approve", "land", "receipt"]],
  ["End", ["stop"]],
];

/** The first page of help: the commands of a person's day, and where the others are. */
export function firstPage(catalogue: Catalogue, paint: Paint): string {
  const rows = day.map(
    ([title, names]) => [title, names.flatMap((name) => catalogue.find((each) => each.name === name) ?? [])] as const,
  );
  const width = Math.max(...rows.flatMap(([, entries]) => entries.map(({ name }) => name.length)));
  return [
    `${paint.strong("baton")}: typed, verified handoffs between coding agents`,
    section("Usage", ["  baton COMMAND [options]"], paint),
    ...rows.map(([title, entries]) => {
      return section(title, facts(entries.map(({ name, summary }) => [name.padEnd(width), summary])), paint);
    }),
    section(
      "More",
      facts([
        ["baton help --all", `all ${catalogue.length} commands`],
        ["baton help COMMAND", "one of them, with examples"],
        ["baton demo", "a team at work, on a scratch repository"],
      ]),
      paint,
    ),
  ].join("\n\n");
}

/** The page of all commands, or of those of one group (`agent`). */
export function overview(catalogue: Catalogue, paint: Paint, group?: string): string {
  const shown = group === undefined ? catalogue : catalogue.filter(({ name }) => name.startsWith(`${group} `));
  const groups = Map.groupBy(shown, (entry) => entry.group);
  const line = `baton${group === undefined ? "" : ` ${group}`} COMMAND`;
  return [
    group === undefined
      ? `${paint.strong("baton")}: typed, verified handoffs between coding agents`
      : `${paint.strong(`baton ${group}`)}: ${groupWords[group] ?? "these commands belong together"}`,
    section("Usage", [`  ${line} [options]`], paint),
    ...[...groups].map(([name, entries]) => {
      return section(name, facts(entries.map((entry) => [entry.name, entry.summary])), paint);
    }),
    section("Everywhere", facts(globalOptions.map(optionRow)), paint),
    section("Next", [`  Every page has examples: ${line} --help`], paint),
  ].join("\n\n");
}
