/** What is said where a command line names no command: the one that was probably meant. */
import { nearest } from "../../../base/text.ts";
import { beforeTerminator } from "./arguments.ts";
import { type Catalogue, isGroup } from "./catalogue.ts";
import { globalOptions } from "./command.ts";

/** What people call a command elsewhere. */
const otherWords: Readonly<Record<string, string>> = {
  open: "start --link",
  page: "start --link",
  begin: "start",
  serve: "up",
  hub: "up",
  down: "stop",
  tail: "log --follow",
  history: "log",
  board: "task list",
  available: "task list --available",
  share: "token create --link",
};

/** More commands than one would read through are no hint. */
const guessesMax = 6;

/** A hint for the words `name`, which name no command: which were meant, or where to look. */
export function commandHint(catalogue: Catalogue, name: readonly string[]): string {
  const [first = ""] = name;
  const meant = commandsMeant(catalogue, name);
  if (meant.length > 0) return `did you mean ${meant.map((each) => `"baton ${each}"`).join(" or ")}?`;
  return isGroup(catalogue, first) ? subCommands(catalogue, first) : "see baton help --all";
}

/** A hint for an option that only one command of the group takes; null: there is none on the line. */
export async function commandTaking(
  catalogue: Catalogue,
  group: string,
  rest: readonly string[],
): Promise<string | null> {
  const said = beforeTerminator(rest)
    .find((word) => word.startsWith("--"))
    ?.split("=", 1)[0];
  if (said === undefined || globalOptions.some(({ name }) => `--${name}` === said)) return null;
  const taking: string[] = [];
  for (const entry of catalogue.filter(({ name }) => name.startsWith(`${group} `))) {
    const { options = [] } = (await entry.load()).command;
    if (options.some(({ name }) => `--${name}` === said)) taking.push(entry.name);
  }
  const [only] = taking;
  return only === undefined || taking.length > 1 ? null : `${said} is an option of "baton ${only}"`;
}

/** `one of: list, register, retire`: the commands of a group. */
export function subCommands(catalogue: Catalogue, group: string): string {
  const names = catalogue.map(({ name }) => name).filter((name) => name.startsWith(`${group} `));
  return `one of: ${names.map((name) => name.slice(group.length + 1)).join(", ")}`;
}

/** The commands that these words stand for most likely; none: nothing is near. */
function commandsMeant(catalogue: Catalogue, name: readonly string[]): readonly string[] {
  const [first = ""] = name;
  const said = name.join(" ");
  const names = catalogue.map((entry) => entry.name);
  const elsewhere = Object.hasOwn(otherWords, said) ? otherWords[said] : undefined;
  if (elsewhere !== undefined) return [elsewhere];
  // A list shows one of its things by name.
  if (name[1] === "show" && names.includes(`${first} list`)) return [`${first} list`];
  // Who named a group meant a command of it.
  if (isGroup(catalogue, first))
    return some(
      nearest(
        said,
        names.filter((each) => each.startsWith(`${first} `)),
      ),
    );
  // `tasks` lists them where `task` groups the commands about them.
  if (first.endsWith("s") && names.includes(`${first.slice(0, -1)} list`)) return [`${first.slice(0, -1)} list`];
  const halves = names.filter((each) => each.endsWith(` ${first}`));
  if (halves.length > 0 && halves.length <= guessesMax) return halves;
  const near = nearest(said, names);
  return near !== null ? [near] : some(nearest(first, [...new Set(names.map((each) => each.split(" ")[0] ?? ""))]));
}

function some(word: string | null): readonly string[] {
  return word === null ? [] : [word];
}
