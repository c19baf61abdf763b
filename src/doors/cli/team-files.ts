/** The files of a team on disk: `team.yaml`, and its own message types in `messages/` beside it. */
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ownTypeBytesMax, ownTypesMax } from "../../base/limits.ts";
import { type Problem, problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { TeamFileText } from "../../runtime/team-files.ts";

/**
 * The texts of the team file at `path` and of the `messages/*.json` beside it, or null where there is no team file.
 * Refuses with `team-file` what cannot be read, is no plain file, or is more than a team may have.
 */
export function readTeamTexts(path: string): Result<TeamFileText | null, Problem> {
  const team = textOf(path);
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
    const text = messageText(file);
    if (!text.ok) return text;
    messages.push({ path: file, text: text.value });
  }
  return ok({ path, text: team.value, ...(messages.length === 0 ? {} : { messages }) });
}

function textOf(path: string): Result<string | null, Problem> {
  try {
    return ok(readFileSync(path, "utf8"));
  } catch (cause) {
    const reason = reasonOf(cause);
    return isAbsent(reason) ? ok(null) : err(unreadable(path, reason));
  }
}

function namesIn(folder: string): Result<readonly string[], Problem> {
  try {
    return ok(
      readdirSync(folder)
        .filter((name) => name.endsWith(".json"))
        .toSorted(),
    );
  } catch (cause) {
    const reason = reasonOf(cause);
    return isAbsent(reason) ? ok([]) : err(unreadable(folder, reason));
  }
}

/** A link could lead anywhere and a pipe never end, so only plain files are read, and only small ones. */
function messageText(file: string): Result<string, Problem> {
  try {
    const facts = lstatSync(file);
    if (!facts.isFile()) return err(unreadable(file, "it is no plain file"));
    if (facts.size > ownTypeBytesMax) return err(unreadable(file, `it has more than ${ownTypeBytesMax} bytes`));
    return ok(readFileSync(file, "utf8"));
  } catch (cause) {
    return err(unreadable(file, reasonOf(cause)));
  }
}

function isAbsent(reason: string): boolean {
  return reason === "ENOENT" || reason === "ENOTDIR";
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error && "code" in cause ? String(cause.code) : String(cause);
}

function unreadable(path: string, reason: string): Problem {
  return problem("team-file", path, `The team's definition cannot be read (${reason}).`, {
    hint: "it must be a plain file that you may read",
  });
}
