/**
 * Reading the command line strictly: an option nobody declared, a missing value, a word too many are refused with what
 * was meant, never dropped. `util.parseArgs` splits the words; the judging is here, because its strict mode stops at
 * the first error and its errors do not say what to type instead.
 */
import { parseArgs } from "node:util";
import { invariant } from "../../../base/invariant.ts";
import { makeProblem, type Problem } from "../../../base/problem.ts";
import { err, ok, type Result } from "../../../base/result.ts";
import { nearest } from "../../../base/text.ts";

/**
 * One option. Kinds: `flag` takes no value; `count` is a whole number from 1, `position` the number of an entry or 0,
 * `port` one of TCP or 0; `seconds` a decimal number from 0.
 */
export interface OptionFacts {
  /** Long name without dashes. */
  readonly name: string;
  /** The argument of the operation that it gives, by which refusals name it; absent: the argument with the same name. */
  readonly argument?: string;
  readonly kind: "flag" | "text" | "count" | "position" | "port" | "seconds";
  readonly summary: string;
  /** One letter, without the dash. */
  readonly short?: string;
  /** What the value is called in help, e.g. `AGENT`. */
  readonly value?: string;
  readonly repeatable?: true;
  readonly required?: true;
  /** The only values it takes. */
  readonly choices?: readonly string[];
}

/** One positional argument, in its place. Only the last may be repeatable. */
export interface PositionalFacts {
  /** As help shows it, e.g. `FILE`. */
  readonly name: string;
  /** As of an option; absent: none. */
  readonly argument?: string;
  readonly summary: string;
  readonly required?: true;
  readonly repeatable?: true;
  /** These words are another program's; its options come after `--`. */
  readonly isHandedOn?: true;
  /** The only words it takes. */
  readonly choices?: readonly string[];
}

/** What was given, by declared name. Asking for a name that was not declared is a bug of ours and throws. */
export interface Arguments {
  flag(name: string): boolean;
  /** The last value given, or undefined. */
  text(name: string): string | undefined;
  texts(name: string): readonly string[];
  /** A `count`, `position`, `port` or `seconds` value, or undefined. */
  number(name: string): number | undefined;
  /** The positional called `name`, or undefined; a repeatable one gives its first. */
  word(name: string): string | undefined;
  words(name: string): readonly string[];
}

/** What a command takes. */
export interface Declared {
  readonly options: readonly OptionFacts[];
  readonly positionals: readonly PositionalFacts[];
}

interface Collected {
  readonly values: Map<string, (string | true)[]>;
  readonly words: string[];
}

/** Splits off the words of the command's name: the leading positionals, with options before, between and after kept. */
export function splitName(
  line: readonly string[],
  globals: readonly OptionFacts[],
  isGroup: (word: string) => boolean,
): { readonly name: readonly string[]; readonly rest: readonly string[] } {
  const { tokens } = tokenise(line, globals);
  const name: string[] = [];
  const taken = new Set<number>();
  for (const token of tokens) {
    if (token.kind === "option-terminator") break;
    if (token.kind !== "positional") continue;
    name.push(token.value);
    taken.add(token.index);
    if (name.length === 2 || !isGroup(token.value)) break;
  }
  return { name, rest: line.filter((_, index) => !taken.has(index)) };
}

/** The arguments of a command, or the first error in the order of typing (`wrong-usage`). */
export function readArguments(line: readonly string[], declared: Declared): Result<Arguments, Problem> {
  const collected: Collected = { values: new Map(), words: [] };
  for (const token of tokenise(line, declared.options).tokens) {
    if (token.kind === "positional") collected.words.push(token.value);
    if (token.kind !== "option") continue;
    const problem = takeOption(token, declared, collected);
    if (problem !== null) return err(problem);
  }
  // Help is given however incomplete the rest of the line is.
  if (collected.values.has("help")) return ok(accessors(collected, declared));
  const problem = missingOption(collected, declared.options) ?? judgeWords(collected, declared);
  return problem === null ? ok(accessors(collected, declared)) : err(problem);
}

/** A `wrong-usage` problem about `subject`. */
export function usageProblem(subject: string, message: string, hint?: string, received?: string): Problem {
  return makeProblem("wrong-usage", subject, message, { hint, received });
}

function tokenise(line: readonly string[], options: readonly OptionFacts[]) {
  const config: Record<string, { type: "boolean" | "string"; short?: string; multiple: true }> = {};
  for (const { name, kind, short } of options) {
    config[name] = {
      type: kind === "flag" ? "boolean" : "string",
      multiple: true,
      ...(short === undefined ? {} : { short }),
    };
  }
  return parseArgs({ args: [...line], options: config, strict: false, allowPositionals: true, tokens: true });
}

interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

function takeOption(token: OptionToken, declared: Declared, into: Collected): Problem | null {
  const facts = declared.options.find(({ name }) => name === token.name);
  if (facts === undefined) return unknownOption(token.rawName, declared);
  const values = into.values.get(facts.name) ?? [];
  into.values.set(facts.name, values);
  if (facts.kind === "flag") {
    if (token.value !== undefined)
      return usageProblem(token.rawName, `${token.rawName} takes no value.`, `write ${token.rawName} alone`);
    values.push(true);
    return null;
  }
  const { value } = token;
  const wanted = facts.value ?? "VALUE";
  if (value === undefined || (!token.inlineValue && /^-[^\d]/.test(value))) {
    return usageProblem(token.rawName, `${token.rawName} needs a value.`, `write ${token.rawName} ${wanted}`);
  }
  if (values.length > 0 && facts.repeatable !== true) {
    return usageProblem(token.rawName, `${token.rawName} was given twice.`, "give it once");
  }
  // None of the choices has a comma, so several may be given at once.
  const each = facts.repeatable === true && facts.choices !== undefined ? value.split(",") : [value];
  values.push(...each);
  const problems = each.flatMap((one) => judgeValue(token.rawName, one, facts) ?? []);
  return problems[0] ?? null;
}

const portMax = 65_535;

function judgeValue(shown: string, value: string, facts: OptionFacts): Problem | null {
  if (facts.kind === "count" && !/^[1-9]\d{0,14}$/.test(value)) {
    return usageProblem(shown, `${shown} needs a whole number from 1.`, `write ${shown} 20`, value);
  }
  if (facts.kind === "position" && !/^\d{1,15}$/.test(value)) {
    return usageProblem(shown, `${shown} needs a whole number from 0 on.`, `write ${shown} 17`, value);
  }
  if (facts.kind === "port" && !(/^\d{1,5}$/.test(value) && Number(value) <= portMax)) {
    return usageProblem(
      shown,
      `${shown} needs a port, 0 to ${portMax}.`,
      `write ${shown} 4777; 0 takes a free one`,
      value,
    );
  }
  if (facts.kind === "seconds" && !/^\d{1,9}(\.\d{1,3})?$/.test(value)) {
    return usageProblem(shown, `${shown} needs a number of seconds.`, `write ${shown} 30`, value);
  }
  if (facts.choices === undefined || facts.choices.includes(value)) return null;
  return unknownChoice(shown, value, facts.choices);
}

function unknownOption(shown: string, { options, positionals }: Declared): Problem {
  const meant = shown.startsWith("--")
    ? nearest(
        shown.slice(2),
        options.map(({ name }) => name),
      )
    : null;
  const others =
    positionals.at(-1)?.isHandedOn === true
      ? `words for the program itself go after --: -- ${shown}`
      : `the options are ${optionList(options)}`;
  const hint = meant === null ? others : `did you mean --${meant}?`;
  return usageProblem(shown, `There is no option ${shown} here.`, hint, shown);
}

function optionList(options: readonly OptionFacts[]): string {
  return options.map(({ name }) => `--${name}`).join(", ");
}

function missingOption(collected: Collected, options: readonly OptionFacts[]): Problem | null {
  for (const { name, required, value } of options) {
    if (required === true && !collected.values.has(name)) {
      return usageProblem(`--${name}`, `--${name} is missing.`, `add --${name} ${value ?? "VALUE"}`);
    }
  }
  return null;
}

function judgeWords({ words, values }: Collected, { options, positionals }: Declared): Problem | null {
  const missing = positionals[words.length];
  if (missing?.required === true) {
    const hint = missing.choices === undefined ? undefined : `one of: ${missing.choices.join(", ")}`;
    return usageProblem(missing.name, `${missing.name} is missing: ${missing.summary}.`, hint);
  }
  const surplus = words[positionals.length];
  const last = positionals.at(-1);
  if (surplus !== undefined && last?.repeatable !== true) {
    const hint = surplusHint(surplus, { words, values }, { options, positionals });
    return usageProblem(surplus, `"${surplus}" is one argument too many.`, hint, surplus);
  }
  for (const [place, word] of words.entries()) {
    const facts = positionals[place];
    if (facts?.choices !== undefined && !facts.choices.includes(word))
      return unknownChoice(facts.name, word, facts.choices);
  }
  return null;
}

/** What was most likely meant by the first word for which a command has no place. */
function surplusHint(surplus: string, { words, values }: Collected, { options, positionals }: Declared): string {
  // `vbw/2 plan_contract` was meant as DIALECT/TYPE.
  if (positionals.at(-1)?.name.includes("/") === true) return `write it as one: ${words.join("/")}`;
  const own = options.filter(({ kind, argument }) => kind !== "flag" && argument !== undefined);
  const isPartOfValue = positionals.length > 0 || own.some(({ name }) => values.has(name));
  const meant = isPartOfValue ? undefined : own.find((option) => judgeValue("", surplus, option) === null);
  if (meant !== undefined) return `did you mean --${meant.name} ${surplus}?`;
  const several = options.find(({ name, repeatable, kind }) => repeatable && kind === "text" && values.has(name));
  const quote = "quote an argument that contains spaces";
  return several === undefined ? quote : `${quote}; give --${several.name} once for each value`;
}

function unknownChoice(shown: string, value: string, choices: readonly string[]): Problem {
  // A role's long form, such as developer, begins with its name.
  const meant = nearest(value, choices) ?? choices.find((choice) => value.toLowerCase().startsWith(choice)) ?? null;
  const hint = meant === null ? `one of: ${choices.join(", ")}` : `did you mean "${meant}"?`;
  return usageProblem(shown, `${shown} does not know "${value}".`, hint, value);
}

function accessors({ values, words }: Collected, { options, positionals }: Declared): Arguments {
  const given = (name: string): readonly (string | true)[] => {
    invariant(
      options.some((option) => option.name === name),
      `the option --${name} is declared`,
    );
    return values.get(name) ?? [];
  };
  const texts = (name: string): readonly string[] => given(name).filter((value) => value !== true);
  const wordsOf = (name: string): readonly string[] => {
    const place = positionals.findIndex((positional) => positional.name === name);
    invariant(place >= 0, `the argument ${name} is declared`);
    return positionals[place]?.repeatable === true ? words.slice(place) : words.slice(place, place + 1);
  };
  return {
    flag: (name) => given(name).length > 0,
    text: (name) => texts(name).at(-1),
    texts,
    number: (name) => {
      const text = texts(name).at(-1);
      return text === undefined ? undefined : Number(text);
    },
    word: (name) => wordsOf(name)[0],
    words: wordsOf,
  };
}

export function beforeTerminator(words: readonly string[]): readonly string[] {
  const end = words.indexOf("--");
  return end < 0 ? words : words.slice(0, end);
}
