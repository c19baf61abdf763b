/**
 * What progress means for a task. Where a dialect has a message of its own for completions, and the team's mode is the
 * one it is used in, progress only informs; in all others it completes.
 * Source: semantics.md section 3 (Completion).
 */
import type { Dialect } from "../dialects/dialect.ts";
import type { TeamDefinition } from "../team/definition.ts";

/** Whether a task is done when progress in this dialect says so. */
export function progressCompletes(dialect: Dialect | null, definition: TeamDefinition | null): boolean {
  const mode = definition?.teamMode ?? "teammate";
  for (const { kind, routing } of dialect?.definitions.values() ?? []) {
    if (kind === "completion" && (routing.mode === undefined || routing.mode === mode)) return false;
  }
  return true;
}
