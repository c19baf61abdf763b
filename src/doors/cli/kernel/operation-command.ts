/**
 * Commands that are made of the definition of their operation: their words and options, what the words become as the
 * operation's input, and what is printed of the answer. Text for people of what is shown is in `presented.ts`.
 */

import { invariant } from "../../../base/invariant.ts";
import { type JsonObject, jsonLine } from "../../../base/json.ts";
import { makeProblem, type Problem } from "../../../base/problem.ts";
import type { Result } from "../../../base/result.ts";
import { fillTemplate, visible } from "../../../base/text.ts";
import { type CommandPage, callOf, type PageArgument } from "../../../perform/operations/command-page.ts";
import { pages } from "../../../perform/operations/generated/pages.ts";
import type { ClaimAnswer, Reply } from "../../../perform/operations/reply.ts";
import { answer, hasChanged, isUnchanged, listed, withTeam } from "../place/session.ts";
import { type ExitCode, exitCodeOf, exitCodes } from "../terminal/exit-codes.ts";
import { localTime } from "../terminal/terminal-text.ts";
import type { Arguments, OptionFacts, PositionalFacts } from "./arguments.ts";
import type { Call, Command } from "./command.ts";
import { additionTo, present, presentResult } from "./presented.ts";
import { fencingToken, fencingTokenOf } from "./time-argument.ts";

type Input = Readonly<Record<string, unknown>>;

/** The id by which an operation that is repeated is the same one. */
const actId: OptionFacts = { name: "id", kind: "text", value: "ID", summary: "the id of this operation, for retries" };

/** The command of this name, which must be one of `commands`. */
export function operationCommand(name: string): Command {
  const page = pages[name]?.();
  invariant(page !== undefined, `the command ${name} is made of a definition`);
  const { instead } = page;
  const options: readonly OptionFacts[] = [
    ...page.arguments.flatMap((each) => optionOf(each) ?? []),
    ...(instead === undefined ? [] : [{ name: instead.as, kind: "flag", summary: instead.says } as const]),
  ];
  const positionals = page.arguments.flatMap((each) => positionalOf(each) ?? []);
  return {
    description: page.description,
    ...(positionals.length === 0 ? {} : { positionals }),
    options: page.answer === "shown" ? options : [...options, actId],
    examples: page.examples,
    next: page.next,
    ...(page.answer === "shown" ? {} : { acts: true }),
    ...(page.isOwners === undefined ? {} : { isOwners: page.isOwners }),
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

function positionalOf({ argument, word, list, required, choices, summary }: PageArgument): PositionalFacts | null {
  if (word === undefined) return null;
  return {
    name: word,
    argument,
    summary,
    ...(list === undefined ? {} : { repeatable: true }),
    ...(required === undefined ? {} : { required }),
    ...(choices === undefined ? {} : { choices }),
  };
}

async function run(page: CommandPage, call: Call): Promise<ExitCode> {
  const { given, output } = call;
  const input = inputOf(page, given);
  const problem = choiceProblem(page, input);
  if (problem !== null) return output.fail(problem);
  const { instead } = page;
  return await withTeam(call, async (team) => {
    if (instead !== undefined && given.flag(instead.as)) {
      const found = await callOf<Result<readonly JsonObject[], Problem>>(team, instead)({}, {});
      if (!found.ok) return output.fail(found.error);
      for (const each of found.value) output.raw(jsonLine(each));
      return exitCodes.done;
    }
    if (page.answer === "shown") {
      const found = await callOf<Result<unknown, Problem>>(team, page)(input, {});
      return found.ok ? present(call, team, page.call, found.value, input) : output.fail(found.error);
    }
    const id = given.text(actId.name);
    const named = id === undefined ? {} : { id };
    if (page.answer === "grant") {
      return answerClaim(call, page.said ?? "", await callOf<ClaimAnswer>(team, page)(input, named));
    }
    if (page.hasMore === true) {
      const come = await callOf<{ readonly reply: Reply }>(team, page)(input, named);
      if (come.reply.outcome !== "accepted") return answer(call, come.reply, () => "");
      output.notes(come.reply.notes);
      return presentResult(page.call, come, come.reply.receipt, output);
    }
    const reply = await callOf<Reply>(team, page)(input, named);
    const added = await additionTo(page.call, call, team, reply, input);
    return answer(call, reply, ({ seq }) => `${saidOf(page, input, seq, reply)}${added}`);
  });
}

function saidOf(page: CommandPage, input: Input, seq: number, reply: Reply): string {
  const { said = "", unchanged = said, changed = said } = page;
  const values: Input = { ...input, seq };
  const told = hasChanged(reply) ? changed : said;
  return fillTemplate(isUnchanged(reply) ? unchanged : told, (name) => {
    const value = values[name];
    return typeof value === "string" || typeof value === "number" ? visible(`${value}`) : null;
  });
}

/** What was given, by the names of the input; what was left out is not there. */
function inputOf({ input, arguments: all, sets = {} }: CommandPage, given: Arguments): Input {
  const values = new Map<string, unknown>(all.map((each) => [each.argument, valueGiven(each, given)]));
  // In the order of the definition, as a request has them: a refusal records the beginning of what was asked.
  const entries = input.map((name) => [name, Object.hasOwn(sets, name) ? sets[name] : values.get(name)] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

function valueGiven(facts: PageArgument, given: Arguments): unknown {
  const { option, word = "", kind, list, fallback } = facts;
  if (list === true) return listOf(facts, option === undefined ? given.words(word) : given.texts(option));
  if (option === undefined) return given.word(word);
  if (option === fencingToken.name) return fencingTokenOf(given);
  if (kind === "flag") return given.flag(option) ? true : undefined;
  return kind === "text" ? (given.text(option) ?? fallback) : given.number(option);
}

/** `["a,b/", "c"]` as `["a", "b/", "c"]` where commas divide; empty entries say nothing. */
function listOf({ commas, single, literal }: PageArgument, words: readonly string[]): unknown {
  if (words.length === 0) return undefined;
  const entries = commas === true ? words.flatMap((each) => each.split(",")).map((each) => each.trim()) : words;
  const values = commas === true ? entries.filter((each) => each !== "") : entries;
  const [only, ...others] = values;
  const isOne = only !== undefined && others.length === 0;
  return isOne && (single === true || only === literal) ? only : values;
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

/* What `task claim` and `task renew` print: a grant, or a denial that names what prevents it. */

/**
 * Prints the answer. Granted: `{"granted":true,"task","token","expiresAt","files","receipt"}`, exit 0. Denied:
 * `{"granted":false,"reason","holder","paths","receipt","problems"}`, exit 2, whatever the reason. An error that is no
 * denial (nobody may claim so) has the reason null and the exit code of its problem; without an answer there is none.
 */
function answerClaim(call: Call, verb: string, answer: ClaimAnswer): ExitCode {
  const { output } = call;
  const { reply } = answer;
  if (reply.outcome === "failed") return output.fail(reply.problem);
  output.notes(reply.notes);
  if (answer.granted) {
    const { task, token, expiresAt, files } = answer;
    const paint = output.paint.stdout;
    output.result({ granted: true, task, token, expiresAt, files, receipt: reply.receipt }, () =>
      [
        `${paint.good(verb)}: ${visible(task)}, token ${token}, until ${localTime(expiresAt)}.`,
        files.length === 0 ? "  It covers no files yet." : `  files  ${listed(files)}`,
      ].join("\n"),
    );
    return exitCodes.done;
  }
  const { reason, holder, paths } = answer;
  const problems = reply.outcome === "refused" ? reply.problems : [];
  output.result(
    { granted: false, reason, holder, paths, receipt: reply.receipt, problems: output.worded(problems) },
    () => null,
  );
  output.say(reason === null ? "Refused." : `Denied: ${reason}.`);
  output.problems(problems);
  const [first] = problems;
  return reason !== null || first === undefined ? exitCodes.refused : exitCodeOf(first);
}
