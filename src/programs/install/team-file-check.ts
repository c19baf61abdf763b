/** What `baton doctor` says of the team file: whether it can be read, and whether the team has a newer one. */
import { invariant } from "../../base/invariant.ts";
import { counted } from "../../base/text.ts";
import type { OpenedJournal } from "../../perform/open.ts";
import type { Place } from "../../perform/workspace/place.ts";
import { seenFileNote } from "../../perform/workspace/team-opening.ts";
import { olderFile, teamOfFile } from "../../team/handlers/team-file.ts";
import type { Check } from "./examined-programs.ts";

/** Whether the team file can be read, and what it says. */
export async function teamFileCheck({ teamFile }: Place): Promise<Check> {
  if (teamFile === null)
    return {
      check: "team file",
      state: "warn",
      finding: "there is none",
      advice: "baton init writes one",
    };
  const read = await teamOfFile(teamFile);
  if (!read.ok) {
    const finding = read.error.map(({ path, message }) => `${path}: ${message}`).join("; ");
    return { check: "team file", state: "fail", finding, advice: "correct the file" };
  }
  invariant(read.value !== null, "a file that is there says a team");
  const { name, agents, policy, dialects, messages = [] } = read.value;
  const own = messages.length === 0 ? "" : `, own messages ${messages.map(({ type }) => type).join(", ")}`;
  const named = `${counted(agents.length, "agent")} named in it`;
  const finding = `team ${name}, ${named}, ${dialects.join(", ")}, ${policy}${own}`;
  return { check: "team file", state: "ok", finding, advice: null };
}

/** A warning where the team file is older than the team's; nothing is recorded or remembered. */
export async function olderFileChecks(opened: OpenedJournal, { journal, teamFile }: Place): Promise<readonly Check[]> {
  const read = await teamOfFile(teamFile);
  if (!read.ok || read.value === null || teamFile === null) return [];
  const teams = await opened.teams();
  const team = teams.ok ? teams.value.find((each) => each === read.value?.name) : undefined;
  const folded = team === undefined ? null : await opened.state(team);
  if (folded?.ok !== true) return [];
  const seenFile = seenFileNote(journal, teamFile.path);
  const older = olderFile({ seenFile }, read.value, folded.value.state.team);
  return older === null
    ? []
    : [{ check: "team file", state: "warn", finding: older.message, advice: older.hint ?? null }];
}
