/**
 * What progress means for a task. Where a dialect has a message of its own for completions, and the team's mode is the
 * one it is used in, progress only informs; in all others it completes.
 * Source: docs/protocol/verdicts.md.
 */
import type { Dialect } from "../../dialects/dialect.ts";
import type { TeamDefinition } from "../../team/definition.ts";

/** In which modes a dialect has completions of its own; `undefined` stands for every mode. Dialects never change. */
const completionModes = new WeakMap<Dialect, ReadonlySet<string | undefined>>();

/** Whether a task is done when progress in this dialect says so. */
export function progressCompletes(dialect: Dialect | null, definition: TeamDefinition | null): boolean {
  if (dialect === null) return true;
  const modes = completionModes.get(dialect) ?? modesOf(dialect);
  return !modes.has(undefined) && !modes.has(definition?.teamMode ?? "teammate");
}

function modesOf(dialect: Dialect): ReadonlySet<string | undefined> {
  const completions = [...dialect.definitions.values()].filter(({ kind }) => kind === "completion");
  const modes = new Set(completions.map(({ routing }) => routing.mode));
  completionModes.set(dialect, modes);
  return modes;
}
