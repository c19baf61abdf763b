/**
 * How a refusal names what was given beside a message, or to an act: by the argument's neutral name, `arguments.id`.
 * What calls it so is recorded and knows no door; each door turns such a path into its own name for the thing (an
 * option, a header, a field, a tool's argument) as the refusal leaves it, by what it declares of itself.
 * Source: interfaces.md (the same act by the command, HTTP, MCP and the library).
 */

/** What a door is opened with, and no act takes: the team, who acts, the credential that proves it, the hub. */
export const openingArguments = ["team", "actor", "credential", "hub"] as const;

type OpeningArgument = (typeof openingArguments)[number];

/** The path of the argument `name`, a word in camelCase such as `proseId`, of an act or of those that open a door. */
export function argument(name: string): string {
  return `arguments.${name}`;
}

/** By this header a client of a hub that stands for another door asks for refusals as they are recorded, and names things itself. */
export const asRecorded = { header: "baton-names", value: "neutral" } as const;

/** A door's own names. */
export interface DoorNames {
  readonly opening: { readonly [Name in OpeningArgument]: string };
  /** What the door calls the argument `name` of the act that was asked; null: it takes none of that name. */
  of(name: string): string | null;
}

/** `told` with the door's name where its path is a neutral one, or with the bare name where the door has none. */
export function atDoor<Told extends { readonly path: string }>(told: Told, names: DoorNames): Told {
  const [, name, rest = ""] = /^arguments\.([a-z][A-Za-z]*)((?:[.[].*)?)$/s.exec(told.path) ?? [];
  if (name === undefined) return told;
  const opening = openingArguments.find((each) => each === name);
  const own = opening === undefined ? names.of(name) : names.opening[opening];
  return { ...told, path: `${own ?? name}${rest}` };
}
