/** A command that shows a list, or one thing of it where that is named: made of the two. */
import { type Arguments, type OptionFacts, usageProblem } from "./arguments.ts";
import type { Command } from "./command.ts";

/** A part of a command, such as one thing of a list, which its first word names. */
export type OneOfList = Pick<Command, "description" | "positionals" | "options" | "examples" | "run">;

/** What `list` shows, and `one` where its word is given. Refuses an option that only the other of the two takes. */
export function listOrOne(list: Command, one: OneOfList): Command {
  const [{ required: _, ...word } = { name: "", summary: "" }] = one.positionals ?? [];
  const [ofList, ofOne] = [list.options ?? [], one.options ?? []];
  return {
    ...list,
    description: `${list.description}\nWith ${word.name}: ${one.description}`,
    positionals: [word],
    options: [...ofList, ...without(ofOne, ofList)],
    examples: [...list.examples, ...one.examples],
    run: async (call) => {
      const isOne = call.given.word(word.name) !== undefined;
      const idle = without(isOne ? ofList : ofOne, isOne ? ofOne : ofList).find((each) => isGiven(call.given, each));
      if (idle === undefined) return await (isOne ? one : list).run(call);
      const name = `--${idle.name}`;
      const how = isOne ? `with ${word.name}` : `without ${word.name}`;
      return call.output.fail(
        usageProblem(name, `${name} means nothing ${how}.`, isOne ? `leave one of the two out` : `name ${word.name}`),
      );
    },
  };
}

function without(options: readonly OptionFacts[], others: readonly OptionFacts[]): readonly OptionFacts[] {
  return options.filter(({ name }) => !others.some((other) => other.name === name));
}

/** Whether the option was given at all. */
export function isGiven(given: Arguments, { name, kind }: OptionFacts): boolean {
  if (kind === "flag") return given.flag(name);
  return kind === "text" ? given.texts(name).length > 0 : given.number(name) !== undefined;
}
