/**
 * Creating a team in a program, as `baton init` does it: no YAML is written by hand. Rule: docs/protocol/doors.md,
 * section 8.
 */
import type { Problem } from "../base/problem.ts";
import type { Result } from "../base/result.ts";
import type { DialectId } from "../message/message.ts";
import type { TeamKindName } from "../team/kinds.ts";
import type { CreatedTeam, NewAgent } from "./new-team.ts";

/** The team that is wanted. */
export interface CreateTeamOptions {
  /** The root of the project. Absent: the working folder. */
  readonly folder?: string;
  /** 1 to 64 of `a-z`, `0-9` and `-`. Absent: after the folder. */
  readonly name?: string;
  /** The wire formats of the team, the first is the default of its agents. Absent: `vbw/2`. */
  readonly dialects?: readonly DialectId[];
  /** Who is in the team. Absent: nobody yet; `team.register` adds agents later. */
  readonly agents?: readonly NewAgent[];
  /** Instead of dialects and agents: a whole team of this kind, as `baton init --kind`. */
  readonly kind?: TeamKindName;
}

/**
 * Creates a team in a folder: `.baton/team.yaml`, with comments for those who edit it, and what git ignores. A repeat
 * changes nothing; a team file that says something else is never overwritten.
 *
 * Problems: `missing-field`, `wrong-type`, `wrong-value`, `unknown-field`, `not-found` (no such folder),
 * `already-exists`, `human-required` (a program of an agent), `journal-cannot-open` (the folder cannot be written).
 *
 * @example
 * const created = await createTeam({
 *   folder: ".",
 *   dialects: ["vbw/2"],
 *   agents: [{ agent: "lead-1", role: "lead" }, { agent: "dev-1", role: "dev" }],
 * });
 */
export async function createTeam(options: CreateTeamOptions = {}): Promise<Result<CreatedTeam, readonly Problem[]>> {
  const { writeNewTeam } = await import("./new-team.ts");
  return await writeNewTeam(options);
}
