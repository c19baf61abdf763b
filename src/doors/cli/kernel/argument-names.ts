/**
 * What the command line calls the arguments of an act: the options and words that the command declares. The only place
 * where a neutral name becomes one that can be typed.
 */
import { atDoor, type DoorNames } from "../../../base/argument.ts";
import type { Problem } from "../../../base/problem.ts";
import type { Output } from "../terminal/output.ts";
import type { Declared } from "./arguments.ts";

/**
 * `output`, whose problems name things as one types them for a command that declares `declared`: `--files`, `TASK`.
 * What it takes under no name is named as it is.
 */
export function namingOutput(output: Output, declared: Declared): Output {
  const names = namesOf(declared);
  const worded = (problems: readonly Problem[]) => output.worded(problems.map((each) => atDoor(each, names)));
  return {
    ...output,
    worded,
    problems: (problems) => output.problems(worded(problems)),
    fail: (fault) => output.fail(worded("code" in fault ? [fault] : fault)),
  };
}

function namesOf({ options, positionals }: Declared): DoorNames {
  return {
    opening: { team: "--team", actor: "--as", credential: "--token", hub: "--hub" },
    of(name) {
      const declared = [...options, ...positionals].find(({ argument }) => argument === name);
      if (declared !== undefined) return "kind" in declared ? `--${declared.name}` : declared.name;
      const dashed = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
      // An option that may be repeated is called after one of the things: `--reason`, of `reasons`.
      const spellings = [dashed, dashed.replace(/s$/, "")];
      const option = options.find((each) => spellings.includes(each.name));
      if (option !== undefined) return `--${option.name}`;
      return positionals.find((each) => spellings.includes(each.name.toLowerCase()))?.name ?? null;
    },
    command: () => null,
  };
}
