/**
 * Reading the files of a team, with the dialects that their words belong to. `team-file.ts` loads this file for what no
 * command has read before.
 */
import type { Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import { factsForOwnMessages } from "../../messages/dialects/own-messages.ts";
import { dialectIds, dialects } from "../../messages/dialects/registry.ts";
import type { TeamTexts } from "../../perform/context.ts";
import type { TeamDefinition } from "../state/definition.ts";

/** The definition that the files say. Problems: `team-file`, with line and column or JSON path. */
export async function readTeamFiles(file: TeamTexts): Promise<Result<TeamDefinition, readonly Problem[]>> {
  const { readTeamFile } = await import("../state/team-file.ts");
  const team = await readTeamFile(file.text, { dialects: dialectIds, path: file.path });
  if (!team.ok || file.messages === undefined) return team;
  const { readOwnMessages } = await import("../state/own-messages.ts");
  const messages = readOwnMessages(file.messages, team.value.dialects, factsForOwnMessages(dialects));
  if (!messages.ok) return messages;
  return ok(messages.value.length === 0 ? team.value : { ...team.value, messages: messages.value });
}
