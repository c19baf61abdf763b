/** The lines of single entries, for what knows their numbers and wants to say when they were recorded, or what they say. */
import type { Problem } from "../../../base/problem.ts";
import { ok, type Result } from "../../../base/result.ts";
import type { LogLine } from "../../../runtime/record/log-line.ts";
import type { Team } from "../../../runtime/team/team.ts";

/** The lines of these entries by their numbers, each read alone; a number that no entry has is left out. */
export async function entryLines(
  team: Pick<Team, "log">,
  seqs: Iterable<number>,
): Promise<Result<ReadonlyMap<number, LogLine>, Problem>> {
  const lines = new Map<number, LogLine>();
  for (const seq of new Set(seqs)) {
    // From its end the log reads a range and no more.
    for await (const line of team.log({ after: seq - 1, before: seq + 1, newestFirst: true })) {
      if (!line.ok) return line;
      lines.set(seq, line.value);
    }
  }
  return ok(lines);
}
