/** Options by which the commands about phases name a part, and the acts that they give on. */
import type { AskedPart } from "../../runtime/phase.ts";
import type { Arguments } from "./arguments.ts";
import type { Command } from "./command.ts";

/** `--phase` and `--department`. */
export const partOptions: NonNullable<Command["options"]> = [
  { name: "phase", kind: "text", value: "PHASE", summary: "the phase (default: the one that is worked in)" },
  { name: "department", kind: "text", value: "NAME", summary: "whose part (default: the caller's, or the whole team)" },
];

/** The part that is named. */
export function partGiven(given: Arguments): AskedPart {
  const [phase, department] = [given.text("phase"), given.text("department")];
  return { ...(phase === undefined ? {} : { phase }), ...(department === undefined ? {} : { department }) };
}

/** The id of the act, where one is given. */
export function actGiven(given: Arguments): { readonly id?: string } {
  const id = given.text("id");
  return id === undefined ? {} : { id };
}
