/**
 * Names an operation's argument in an error independently of the door (`arguments.id`), and an operation by its command
 * in backticks (`baton agent list`). These neutral names are recorded; each door translates both into its own words (an
 * option, a header, a tool's argument; a route, a tool) when the refusal leaves it. Source: docs/protocol/doors.md,
 * section 2.
 */

/** Arguments that open a door and belong to no operation: the team, the acting agent, its credential, the hub. */
export const openingArguments = ["team", "actor", "credential", "hub"] as const;

type OpeningArgument = (typeof openingArguments)[number];

/**
 * The path of the argument `name`, a word in camelCase such as `proseId`, of an operation or of those that open a door.
 */
export function argument(name: string): string {
  return `arguments.${name}`;
}

/**
 * By this header a client of a hub that stands for another door asks for refusals as they are recorded, and names
 * things itself.
 */
export const asRecorded = { header: "baton-names", value: "neutral" } as const;

/** The header in which the page shows the secret of its session; unlike a cookie it is sent to no other port. */
export const sessionHeader = "baton-session";

/** A door's own names. */
export interface DoorNames {
  readonly opening: { readonly [Name in OpeningArgument]: string };
  /** The door's name for the argument `name` of the requested operation; null: it has none of that name. */
  of(name: string): string | null;
  /** What does at this door as the command `baton NAME` does; null: nothing does, so it stays advice to a person. */
  command(name: string): string | null;
}

/**
 * Translates a problem into the door's words: a neutral path, and in the hint the arguments and commands in backticks.
 * An argument that the door does not take keeps its bare name.
 */
export function atDoor<Told extends { readonly path: string; readonly hint?: string }>(
  told: Told,
  names: DoorNames,
): Told {
  const path = ownName(told.path, names) ?? told.path;
  const hint = told.hint
    ?.replaceAll(/(?<=`)arguments\.[a-z][A-Za-z]*(?=[ `])/g, (said) => ownName(said, names) ?? said)
    .replaceAll(/`baton ([^`]+)`/g, (quoted, line: string) => ownCommand(line, names) ?? quoted);
  return { ...told, path, ...(hint === undefined ? {} : { hint }) };
}

function ownName(path: string, names: DoorNames): string | null {
  const [, name, rest = ""] = /^arguments\.([a-z][A-Za-z]*)((?:[.[].*)?)$/s.exec(path) ?? [];
  if (name === undefined) return null;
  const opening = openingArguments.find((each) => each === name);
  const own = opening === undefined ? names.of(name) : names.opening[opening];
  return `${own ?? name}${rest}`;
}

/** A command has a name of one word or of two, and perhaps an option; what follows is what it is given. */
function ownCommand(line: string, names: DoorNames): string | null {
  const words = line.split(" ", 3);
  for (; words.length > 0; words.pop()) {
    const own = names.command(words.join(" "));
    if (own !== null) return own;
  }
  return null;
}
