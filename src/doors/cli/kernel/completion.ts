/**
 * What may follow on a command line that is being typed: commands, options, and the values that they take, each from the
 * catalogue that parsing and help read too. A shell's script asks for it at every press of its key
 * (`main/commands/completion.ts`).
 */
import { invariant } from "../../../base/invariant.ts";
import { type Arguments, type OptionFacts, readArguments, splitName } from "./arguments.ts";
import { type Catalogue, findCommand, isGroup } from "./catalogue.ts";
import { type Call, type Command, globalOptions, globalsOf } from "./command.ts";
import { type Looking, liveValues } from "./live-values.ts";
import { isPlainWord } from "./next-command.ts";
import { fencingToken } from "./time-argument.ts";

/** One word that may be where the cursor is. */
export interface Candidate {
  readonly word: string;
  /** What it is, in a line; null: the word says it. */
  readonly summary: string | null;
}

/** The call that asks, whose own words say nothing of the line that is typed, and how long it waits for a hub. */
export type Asking = Pick<Call, "config" | "output" | "signal" | "connectHub"> & Pick<Looking, "hubMsMax">;

/**
 * What may be in place of the last of `words`, which follow `baton` and end at the cursor; none: it is a file, or
 * unknown. A value that a shell would read as more than a word is left out, for an agent may have written it.
 */
export async function candidatesFor(
  catalogue: Catalogue,
  words: readonly string[],
  asking: Asking,
): Promise<readonly Candidate[]> {
  const current = words.at(-1) ?? "";
  const before = words.slice(0, -1);
  if (before.includes("--")) return [];
  const { name } = splitName(before, globalOptions, (word) => word === "help" || isGroup(catalogue, word));
  if (name[0] === "help")
    return beginningWith(current, commandWords(catalogue, before.slice(before.indexOf("help") + 1)));
  const entry = findCommand(catalogue, name) ?? findCommand(catalogue, name.slice(0, 1));
  const command = entry === null ? null : (await entry.load()).command;
  const typed = { before, current, name: entry?.name.split(" ") ?? name, command };
  return beginningWith(current, await possible(catalogue, typed, asking));
}

function beginningWith(current: string, candidates: readonly Candidate[]): readonly Candidate[] {
  return candidates.filter(({ word }) => word.startsWith(current));
}

/** The line up to the cursor. */
interface Typed {
  readonly before: readonly string[];
  readonly current: string;
  /** The words of the command's name, or as many of them as there are. */
  readonly name: readonly string[];
  /** Null: the name is not complete. */
  readonly command: Command | null;
}

async function possible(catalogue: Catalogue, typed: Typed, asking: Asking): Promise<readonly Candidate[]> {
  const { before, current, name, command } = typed;
  const options = command === null ? globalOptions : optionsOf(command);
  const [, inline] = /^--([a-z-]+)=/.exec(current) ?? [];
  if (inline !== undefined) {
    const values = await optionValues(options, inline, typed, asking);
    return values.map(({ word, summary }) => ({ word: `--${inline}=${word}`, summary }));
  }
  const last = before.at(-1) ?? "";
  const waiting = options.find((option) => last === `--${option.name}` && option.kind !== "flag");
  if (waiting !== undefined) return await optionValues(options, waiting.name, typed, asking);
  if (current.startsWith("-")) return optionWords(options, before);
  if (command === null) return commandWords(catalogue, name);
  // A command whose name begins others too may still become one of them.
  const others =
    positionalsIn(before, options) === name.length && name.length === 1 ? commandWords(catalogue, name) : [];
  return [...others, ...(await positionalValues(typed, options, asking))];
}

async function positionalValues(
  typed: Typed,
  options: readonly OptionFacts[],
  asking: Asking,
): Promise<readonly Candidate[]> {
  const { before, name, command } = typed;
  const positionals = command?.positionals ?? [];
  const place = positionalsIn(before, options) - name.length;
  const facts = positionals[Math.min(place, positionals.length - 1)];
  if (facts === undefined || (place >= positionals.length && facts.repeatable !== true)) return [];
  if (facts.choices !== undefined) return plain(facts.choices);
  return plain(await valuesOf(facts.name, typed, asking));
}

/** What a command takes, and what every command does. */
function optionsOf(command: Command): readonly OptionFacts[] {
  const everywhere = globalOptions.filter(({ name }) => ["help", "no-color"].includes(name));
  const own = command.options ?? [];
  return [
    ...own,
    ...[...globalsOf(command), ...everywhere].filter(({ name }) => !own.some((each) => each.name === name)),
  ];
}

/** The options that are not there yet, or may be there again. */
function optionWords(options: readonly OptionFacts[], before: readonly string[]): readonly Candidate[] {
  return options
    .filter(({ name, repeatable }) => repeatable === true || !before.some((word) => isOption(word, name)))
    .map(({ name, summary }) => ({ word: `--${name}`, summary }));
}

function isOption(word: string, name: string): boolean {
  return word === `--${name}` || word.startsWith(`--${name}=`);
}

async function optionValues(
  options: readonly OptionFacts[],
  name: string,
  typed: Typed,
  asking: Asking,
): Promise<readonly Candidate[]> {
  const facts = options.find((option) => option.name === name);
  if (facts === undefined || facts.kind === "flag") return [];
  return plain(facts.choices ?? (await valuesOf(facts.value ?? "", typed, asking)));
}

/** The next words of the names that begin with those that are there, and what each does where it ends a name. */
function commandWords(catalogue: Catalogue, name: readonly string[]): readonly Candidate[] {
  const start = name.map((word) => `${word} `).join("");
  const found = new Map<string, string | null>();
  for (const entry of catalogue) {
    if (!entry.name.startsWith(start)) continue;
    const [word = "", second] = entry.name.slice(start.length).split(" ");
    found.set(word, second === undefined ? entry.summary : (found.get(word) ?? null));
  }
  return [...found].map(([word, summary]) => ({ word, summary }));
}

function plain(words: readonly string[]): readonly Candidate[] {
  return words.map((word) => ({ word, summary: null }));
}

/** How many words of the line are no options and no values of options. */
function positionalsIn(before: readonly string[], options: readonly OptionFacts[]): number {
  let count = 0;
  for (const [at, word] of before.entries()) {
    const previous = before[at - 1] ?? "";
    const isValue = [...options, ...globalOptions].some(
      ({ name, kind }) => kind !== "flag" && previous === `--${name}`,
    );
    if (!isValue && !word.startsWith("-")) count++;
  }
  return count;
}

/** Values of the team that the line is about, but for those that a shell or the command would take for something else. */
async function valuesOf(value: string, { before, name, command }: Typed, asking: Asking): Promise<readonly string[]> {
  const [group = ""] = name;
  const isLocal = command?.isLocal === true;
  const values = await liveValues({ ...asking, given: whereIn(before), isLocal }, value, group);
  return values.filter((word) => isPlainWord(word) && !word.startsWith("-"));
}

/** Which journal, team and hub the line names so far, with the token; nothing else on the line matters. */
function whereIn(before: readonly string[]): Arguments {
  const names = ["team", "journal", "hub", "token"];
  const words = before.flatMap((word, at) => {
    const name = names.find((each) => isOption(word, each));
    if (name === undefined) return [];
    return word === `--${name}` ? (before[at + 1] === undefined ? [] : [`${word}=${before[at + 1]}`]) : [word];
  });
  // Of two that are one the first counts, but for `--token`, which may be a claim's and the hub's.
  const once = words.filter(
    (word, at) =>
      isOption(word, "token") || words.findIndex((each) => each.split("=")[0] === word.split("=")[0]) === at,
  );
  const declared = {
    options: [...globalOptions.filter(({ name }) => name !== "token"), fencingToken],
    positionals: [],
  };
  const read = [readArguments(once, declared), readArguments([], declared)].find(({ ok }) => ok);
  invariant(read?.ok === true, "no words at all are no error");
  return read.value;
}

/**
 * The words as they were typed, of the words as bash has them: it breaks them at `=` and `:`, which it keeps as
 * separate words.
 */
export function joinedWords(words: readonly string[]): readonly string[] {
  const joined: string[] = [];
  let goesOn = false;
  for (const word of words) {
    const breaks = word === "=" || word === ":";
    if ((breaks || goesOn) && joined.length > 0) joined[joined.length - 1] += word;
    else joined.push(word);
    goesOn = breaks;
  }
  return joined;
}

/** The part of `word` that bash puts in place of what is behind the last `=` or `:` of `current`. */
export function behindBreak(word: string, current: string): string {
  return word.slice(Math.max(current.lastIndexOf("="), current.lastIndexOf(":")) + 1);
}
