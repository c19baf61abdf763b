/** What the files of a team say together: `.baton/team.yaml`, and the message types next to it. */
import type { Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import { factsForOwnMessages } from "../../dialects/own-messages.ts";
import { dialectIds, dialects } from "../../dialects/registry.ts";
import type { TeamDefinition } from "../../team/definition.ts";
import { type OwnMessageFile, readOwnMessages } from "../../team/own-messages.ts";
import { readTeamFile } from "../../team/team-file.ts";

/** The text of `.baton/team.yaml` and where it is, with the files of `.baton/messages/`. */
export interface TeamFileText {
  readonly path: string;
  readonly text: string;
  /** Absent: the team has no custom message types. */
  readonly messages?: readonly OwnMessageFile[];
}

/** The definition that a team's files say; null for none. Problems: `team-file`, with line and column or JSON path. */
export async function teamOfFile(
  file: TeamFileText | null,
): Promise<Result<TeamDefinition | null, readonly Problem[]>> {
  if (file === null) return ok(null);
  const team = await readTeamFile(file.text, { dialects: dialectIds, path: file.path });
  if (!team.ok) return team;
  const messages = readOwnMessages(file.messages ?? [], team.value.dialects, factsForOwnMessages(dialects));
  if (!messages.ok) return messages;
  return ok(messages.value.length === 0 ? team.value : { ...team.value, messages: messages.value });
}
