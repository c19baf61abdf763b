/**
 * Commands that are made of the definition of their operation: their words and options, what the words become as the
 * operation's input, and what is printed of the answer. Text for people of what is shown is in `presented.ts`.
 */

import { existsSync } from "node:fs";
import { relative, resolve } from "node:path";
import { invariant } from "../../../base/invariant.ts";
import { makeProblem, type Problem } from "../../../base/problem.ts";
import type { Result } from "../../../base/result.ts";
import { listInText, type ReadNote, textListNote } from "../../../base/schema/text-list.ts";
import { fillTemplate, visible } from "../../../base/text.ts";
import { isTaskId } from "../../../messages/task-ids.ts";
import {
  type CommandOther,
  type CommandPage,
  callOf,
  type PageArgument,
} from "../../../perform/operations/command-page.ts";
import type { Grant } from "../../../perform/operations/generated/calls.ts";
import { pages } from "../../../perform/operations/generated/pages.ts";
import type { Accepted, Reply } from "../../../perform/operations/reply.ts";
import { checkoutAround } from "../../../perform/workspace/workspace.ts";
import { workText } from "../../../tasks/view/task-remarks.ts";
import { answer, hasChanged, isUnchanged, listed, withTeam } from "../place/session.ts";
import { type ExitCode, exitCodes } from "../terminal/exit-codes.ts";
import { localTime } from "../terminal/terminal-text.ts";
import { type Arguments, type OptionFacts, type PositionalFacts, usageProblem } from "./arguments.ts";
import type { Call, Command } from "./command.ts";
import { additionTo, present } from "./presented.ts";
import { fencingToken, fencingTokenOf } from "./time-argument.ts";

type Input = Readonly<Record<string, unknown>>;

/** The id by which an operation that is repeated is the same one. */
export const actId: OptionFacts = {
  name: "id",
  kind: "text",
  value: "ID",
  summary: "the id of this operation, for retries",
};

/** The command of this name, which must be one of `commands`. */
export function operationCommand(name: string): Command {
  const page = pages[name]?.();
  invariant(page !== undefined, `the command ${name} is made of a definition`);
  const { others = [] } = page;
  const options: readonly OptionFacts[] = [
    ...page.arguments.flatMap((each) => optionOf(each) ?? []),
    ...others.flatMap(({ as, says }) => (as === undefined ? [] : [{ name: as, kind: "flag", summary: says } as const])),
  ];
  const positionals = page.arguments.flatMap((each) => positionalOf(each, wordlessOf(page) !== undefined) ?? []);
  return {
    description: page.description,
    ...(positionals.length === 0 ? {} : { positionals }),
    options: page.answer === "shown" ? options : [...options, actId],
    examples: page.examples,
    next: page.next,
    ...(page.answer === "shown" ? {} : { acts: true }),
    ...(page.isOwners === undefined ? {} : { isOwners: (given: Arguments) => otherMeant(page, given) === undefined }),
    run: (call) => run(page, call),
  };
}

function optionOf({
  argument,
  option,
  kind,
  value,
  list,
  required,
  choices,
  summary,
}: PageArgument): OptionFacts | null {
  if (option === undefined) return null;
  // Its number shares an option with the hub's credential.
  if (option === fencingToken.name) return { ...fencingToken, argument };
  return {
    name: option,
    argument,
    kind,
    summary,
    ...(value === undefined ? {} : { value }),
    ...(list === undefined ? {} : { repeatable: true }),
    ...(required === undefined ? {} : { required }),
    ...(choices === undefined ? {} : { choices }),
  };
}

function positionalOf(
  { argument, word, list, required, choices, summary }: PageArgument,
  mayLack: boolean,
): PositionalFacts | null {
  if (word === undefined) return null;
  return {
    name: word,
    argument,
    summary,
    ...(list === undefined ? {} : { repeatable: true }),
    ...(required === undefined || mayLack ? {} : { required }),
    ...(choices === undefined ? {} : { choices }),
  };
}

/** What the command shows where it is given no word; undefined: nothing else. */
function wordlessOf({ others = [] }: CommandPage): CommandOther | undefined {
  return others.find(({ as }) => as === undefined);
}

/** What is to be shown in place of the page's own operation. */
function otherMeant(page: CommandPage, given: Arguments): CommandOther | undefined {
  const hasWord = page.arguments.some(({ word }) => word !== undefined && given.word(word) !== undefined);
  return page.others?.find(({ as }) => as !== undefined && given.flag(as)) ?? (hasWord ? undefined : wordlessOf(page));
}

async function run(page: CommandPage, call: Call): Promise<ExitCode> {
  const { given, output } = call;
  const notes: ReadNote[] = [];
  const input = inputOf(page, given, notes);
  output.notes(notes);
  const other = otherMeant(page, given);
  const problem = other === undefined ? choiceProblem(page, input) : idleProblem(page, other, input);
  if (problem !== null) return output.fail(problem);
  const misplaced = misplacedFile(call, input);
  if (misplaced !== null) return output.fail(misplaced);
  return await withTeam(call, async (team) => {
    if (page.answer === "shown") {
      const shown = other ?? { call: page.call, input };
      const found = await callOf<Result<unknown, Problem>>(team, shown)(shown.input, {});
      return found.ok ? present(call, team, shown.call, found.value, shown.input) : output.fail(found.error);
    }
    const id = given.text(actId.name);
    const named = id === undefined ? {} : { id };
    const reply = await callOf<Reply | Reply<Grant>>(team, page)(input, named);
    if ("granted" in reply) return showGrant(call, page.said ?? "", reply);
    const added = await additionTo(page.call, call, team, reply, input);
    return answer(call, reply, ({ seq }) => `${saidOf(page, input, seq, reply)}${added}`);
  });
}

function saidOf(page: CommandPage, input: Input, seq: number, reply: Reply): string {
  const { said = "", unchanged = said, changed = said } = page;
  const { task = input.task } = reply as { readonly task?: string }; // Of an operation that gives a task its number.
  const values: Input = { ...input, task, seq };
  const told = hasChanged(reply) ? changed : said;
  return fillTemplate(isUnchanged(reply) ? unchanged : told, (name) => {
    const value = values[name];
    return typeof value === "string" || typeof value === "number" ? visible(`${value}`) : null;
  });
}

/** What was given, by the names of the input; what was left out is not there. */
function inputOf({ input, arguments: all, sets = {} }: CommandPage, given: Arguments, notes: ReadNote[]): Input {
  const values = new Map<string, unknown>(all.map((each) => [each.argument, valueGiven(each, given, notes)]));
  for (const { argument, orElse } of all) {
    const word = values.get(argument);
    if (orElse === undefined || typeof word !== "string" || isTaskId(word) || values.get(orElse) !== undefined)
      continue;
    values.set(argument, undefined).set(orElse, word);
  }
  // In the order of the definition, as a request has them: a refusal records the beginning of what was asked.
  const entries = input.map((name) => [name, Object.hasOwn(sets, name) ? sets[name] : values.get(name)] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

function valueGiven(facts: PageArgument, given: Arguments, notes: ReadNote[]): unknown {
  const { option, word = "", kind, list, fallback } = facts;
  if (list === true) return listOf(facts, option === undefined ? given.words(word) : given.texts(option), notes);
  if (option === undefined) return given.word(word) ?? fallback;
  if (option === fencingToken.name) return fencingTokenOf(given);
  if (kind === "flag") return given.flag(option) ? true : undefined;
  return kind === "text" ? (given.text(option) ?? fallback) : given.number(option);
}

/** `["a,b/", "c"]` as `["a", "b/", "c"]` where commas divide; empty entries say nothing. A word may be a list in JSON. */
function listOf(
  { option, word = "", commas, single, literal }: PageArgument,
  given: readonly string[],
  notes: ReadNote[],
): unknown {
  if (given.length === 0) return undefined;
  const words = given.flatMap((each) => {
    const list = each.startsWith("[") ? (listInText(each) ?? [each]) : [each];
    if (list[0] !== each) notes.push(textListNote(option === undefined ? word : `--${option}`, list));
    return list;
  });
  const entries = commas === true ? words.flatMap((each) => each.split(",")).map((each) => each.trim()) : words;
  const values = commas === true ? entries.filter((each) => each !== "") : entries;
  const [only, ...others] = values;
  const isOne = only !== undefined && others.length === 0;
  return isOne && (single === true || only === literal) ? only : values;
}

/** The error of giving what belongs to the page's own operation next to what shows another; null: nothing was. */
function idleProblem({ arguments: all }: CommandPage, { as }: CommandOther, input: Input): Problem | null {
  const idle = all.find(({ argument }) => input[argument] !== undefined);
  if (idle === undefined) return null;
  const name = idle.option === undefined ? (idle.word ?? "") : `--${idle.option}`;
  const hint = as === undefined ? `name ${wordOf(all)}` : `leave ${name} or --${as} out`;
  return usageProblem(name, `${name} means nothing ${as === undefined ? "alone" : `with --${as}`}.`, hint);
}

function wordOf(all: readonly PageArgument[]): string {
  return all.find(({ word }) => word !== undefined)?.word ?? "";
}

/** The error of a file that is named from a folder of the repository, while files are named from its root. */
function misplacedFile({ config: { directory } }: Call, { files }: Input): Problem | null {
  const root = Array.isArray(files) ? checkoutAround(directory)?.root : undefined;
  if (root === undefined || relative(root, directory) === "") return null;
  const isHere = (file: unknown) =>
    typeof file === "string" && !existsSync(resolve(root, file)) && existsSync(resolve(directory, file));
  const file: unknown = (files as readonly unknown[]).find(isHere);
  if (typeof file !== "string") return null;
  return makeProblem("invalid-path", "--files", `Files are named from the repository's root, where ${file} is not.`, {
    expected: relative(root, resolve(directory, file)),
    received: file,
    hint: "Name it from the root, or run the command there.",
  });
}

/** The error of giving none, or several, of options that exclude each other. */
function choiceProblem({ oneOf, arguments: all }: CommandPage, input: Input): Problem | null {
  if (oneOf === undefined || oneOf.names.filter((name) => input[name] !== undefined).length === 1) return null;
  const written = oneOf.names.map((name) => {
    const { option = "", value = "VALUE" } = all.find(({ argument }) => argument === name) ?? {};
    return [`--${option}`, `--${option} ${value}`] as const;
  });
  return makeProblem("wrong-usage", written[0]?.[0] ?? "", oneOf.message, {
    expected: written.map(([, whole]) => whole).join(" or "),
    hint: oneOf.hint,
  });
}

/** Prints a granted claim: `{"granted":true,"task","token","expiresAt","files","receipt"}`. */
function showGrant({ output }: Call, verb: string, reply: Accepted<Grant>): ExitCode {
  const { granted, task, token, expiresAt, files, order, receipt, notes } = reply;
  output.notes(notes);
  output.result({ granted, task, token, expiresAt, files, ...(order === undefined ? {} : { order }), receipt }, () =>
    [
      `${output.paint.stdout.good(verb)}: ${visible(task)}, token ${token}, until ${localTime(expiresAt)}.`,
      files.length === 0 ? "  It covers no files yet." : `  files  ${listed(files)}`,
      ...(order?.title === undefined ? [] : [`  ${visible(order.title)}`]),
      ...(order === undefined ? [] : workText(order)),
    ].join("\n"),
  );
  return exitCodes.done;
}
