/**
 * Opening the team of a folder in a program, with the rules of the command: the same folder, settings, refusals and
 * checks. Rules: docs/protocol/doors.md, section 8; docs/protocol/state-folder.md.
 */
import type { Problem } from "../base/problem.ts";
import type { Result } from "../base/result.ts";
import type { Team } from "./team.ts";

/** Which team is opened, and who acts. */
export interface OpenTeamOptions {
  /**
   * Who acts: an agent of the team, or `owner`, the person. There is no default: a program that forgets it must not
   * become the owner.
   */
  readonly agent: string;
  /**
   * A folder of the project; the team is looked for here and above, up to the repository's root. Absent: the working
   * folder.
   */
  readonly folder?: string;
  /**
   * A journal by its URL, as the command's `--journal` takes it, or by its path from the folder. Absent: the team's own.
   */
  readonly journal?: string;
  /** Needed where a journal that is named holds several teams. */
  readonly team?: string;
  /** How long a call waits for other processes' locks, in milliseconds; absent: as long as the command does. */
  readonly waitMs?: number;
  /**
   * Called with words for a person: the project was copied and can only be read, a changed team file has an error or
   * waits for the owner, entries are missing.
   */
  onNotice?(words: string): void;
}

/**
 * Opens the team of a folder as an agent. Works in the same way with a hub on the same journal and without one. Close
 * the team when you are done, or declare it with `await using`.
 *
 * Problems: `missing-field`, `wrong-type`, `unknown-field` (arguments); `unknown-agent`; `not-found` (no such folder);
 * `not-initialised` (no team there); `unknown-team`; `team-file`; and those of the journal (`journal-…`).
 *
 * @example
 * const opened = await openTeam({ folder: ".", agent: "dev-1" });
 * if (!opened.ok) throw new Error(opened.error[0]?.message);
 * await using team = opened.value;
 */
export async function openTeam(options: OpenTeamOptions): Promise<Result<Team, readonly Problem[]>> {
  // Loaded here: programs that only read messages need none of it.
  const { openFolderTeam } = await import("./folder-team.ts");
  return await openFolderTeam(options);
}
