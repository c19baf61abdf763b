/**
 * The help page of one command, built from the facts that parsing uses. Knows no other command, so that the hook's
 * small bundle can print its own page.
 */
import { type Command, globalOptions, type OptionFacts, type PositionalFacts } from "./command.ts";
import type { Paint } from "./paint.ts";
import { table } from "./table.ts";

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
  const positionals = (command.positionals ?? []).map((one) => [one.name, one.summary]);
  const options = (command.options ?? []).map(optionRow);
  const examples = command.examples.flatMap(({ line, meaning }) => [`  ${paint.faint(`# ${meaning}`)}`, `  ${line}`]);
  return [
    `${paint.strong(`baton ${name}`)}: ${summary}`,
    command.description,
    section("Usage", [`  ${usageLine(name, command)}`], paint),
    ...(positionals.length > 0 ? [section("Arguments", facts(positionals), paint)] : []),
    ...(options.length > 0 ? [section("Options", facts(options), paint)] : []),
    section("Everywhere", facts(globalOptions.map(optionRow)), paint),
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

/** Rows of a help page as indented lines. */
export function facts(rows: readonly (readonly string[])[]): string[] {
  return table(rows)
    .split("\n")
    .map((line) => `  ${line}`);
}

/** A titled part of a help page. */
export function section(title: string, lines: readonly string[], paint: Paint): string {
  return [paint.strong(title), ...lines].join("\n");
}

function positionalUsage({ name, required, repeatable }: PositionalFacts): string {
  const shown = repeatable === true ? `${name}…` : name;
  return required === true ? shown : `[${shown}]`;
}
