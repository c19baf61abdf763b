/** The files of a team on disk: `team.yaml`, and its own message types in `messages/` next to it. */
import { lstatSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { ownTypeBytesMax, ownTypesMax, yamlBytesMax } from "../../base/limits.ts";
import { readPlainFile, reasonOf } from "../../base/plain-file.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { type TeamFileText, teamOfFile } from "../../team/handlers/team-file.ts";
import type { TeamDefinition } from "../../team/state/definition.ts";
import { findWorkspace } from "./workspace.ts";

/**
 * The content of the team file at `path` and of the `messages/*.json` next to it, or null where there is no team file.
 * Refuses with `team-file` what cannot be read, is no plain file, or is more than a team may have.
 */
export function readTeamTexts(path: string): Result<TeamFileText | null, Problem> {
  const team = textOf(path, yamlBytesMax);
  if (!team.ok) return team;
  if (team.value === null) return ok(null);
  const folder = join(dirname(path), "messages");
  const names = namesIn(folder);
  if (!names.ok) return names;
  if (names.value.length > ownTypesMax)
    return err(unreadable(folder, `it holds more than ${ownTypesMax} message types`));
  const messages: { path: string; text: string }[] = [];
  for (const name of names.value) {
    const file = join(folder, name);
    const text = textOf(file, ownTypeBytesMax);
    if (!text.ok) return text;
    // Absent: it has just been removed.
    if (text.value !== null) messages.push({ path: file, text: text.value });
  }
  return ok({ path, text: team.value, ...(messages.length === 0 ? {} : { messages }) });
}

/** A link could lead anywhere and a pipe never end, so only plain files are read, and only small ones. */
function textOf(path: string, bytesMax: number): Result<string | null, Problem> {
  const file = readPlainFile(path, bytesMax);
  return file.ok ? ok(file.value?.text ?? null) : err(unreadable(path, file.error));
}

function namesIn(folder: string): Result<readonly string[], Problem> {
  try {
    const facts = lstatSync(folder, { throwIfNoEntry: false });
    if (facts === undefined) return ok([]);
    if (!facts.isDirectory()) return err(unreadable(folder, "it is no plain folder"));
    return ok(
      readdirSync(folder)
        .filter((name) => name.endsWith(".json"))
        .toSorted(),
    );
  } catch (cause) {
    return err(unreadable(folder, reasonOf(cause)));
  }
}

function unreadable(path: string, reason: string): Problem {
  return makeProblem("team-file", path, `The team's definition cannot be read (${reason}).`, {
    hint: "it must be a plain file that you may read",
  });
}

/* The team that the files of the nearest `.baton/` say. */

/**
 * The team that `directory` (absolute) is in, or null where there is none. A team file that is there and broken is no
 * reason to judge by something else: its problems are reported.
 */
export async function nearestTeam(directory: string): Promise<Result<TeamDefinition | null, readonly Problem[]>> {
  const workspace = findWorkspace(directory);
  const file = workspace === null ? ok(null) : readTeamTexts(workspace.teamFile);
  return file.ok ? teamOfFile(file.value) : err([file.error]);
}
