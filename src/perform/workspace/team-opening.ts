/**
 * Opening the team of a place on this machine: the same for a command and for a program that uses the library. A note
 * next to the journal holds the definition that the team's files give, so that the next command does not read YAML. It
 * counts for exactly these files and this version of Baton; otherwise it is ignored and the files are read. It grants
 * nothing: its definition is compared with the one in force, like that of a changed team file. A second note says which of
 * the team's files was here last. Rule: docs/protocol/record.md, section 24.
 */

import { sha256 } from "../../base/canonical.ts";
import { readPlainFile, replacePlainFile } from "../../base/plain-file.ts";
import type { Problem } from "../../base/problem.ts";
import type { Result } from "../../base/result.ts";
import { anchorPath } from "../../journal/anchor-file.ts";
import type { TeamFileMemory, TeamFileText } from "../../team/handlers/team-file.ts";
import type { TeamDefinition } from "../../team/state/definition.ts";
import type { SeenFile } from "../context.ts";
import { type OpenOptions, openTeam } from "../open.ts";
import type { LocalTeam } from "../team.ts";
import { packageFacts } from "./package-root.ts";
import type { Place } from "./place.ts";
import { readTeamTexts } from "./team-files.ts";
import { liesInRepository } from "./workspace.ts";

/** How a team is opened beyond what its place says. */
export type OpeningOptions = Pick<
  OpenOptions,
  | "agent"
  | "checkedOut"
  | "older"
  | "passOver"
  | "program"
  | "proposed"
  | "starts"
  | "team"
  | "token"
  | "via"
  | "waitMs"
>;

/**
 * Opens the team of `place`; git runs with what it needs of `environment`. Refuses as `openTeam` of the runtime does. A
 * place with a refusal is opened for reading.
 */
export async function openAt(
  { journal, address, teamFile, root, refusal }: Place,
  environment: Readonly<Record<string, string>>,
  options: OpeningOptions,
): Promise<Result<LocalTeam, readonly Problem[]>> {
  const hasRepository = liesInRepository(root);
  const repository = { directory: root, environment };
  return await openTeam({
    journal: address,
    headsFile: anchorPath(journal),
    // A copied project records nothing, a note neither.
    teamFile:
      teamFile === null || refusal !== null ? teamFile : { ...teamFile, memory: teamFileNote(journal, teamFile) },
    // A team file is the proof that a team was meant to be here; a journal alone must exist already.
    create: teamFile !== null,
    hasRepository,
    // Nobody else may be there to look, so a report is checked at once.
    ...(hasRepository ? { judgesAt: repository } : {}),
    // Only what records a task asks for them.
    readBranches: async () => (await import("../../evidence/git/tips.ts")).readTips(repository.directory, repository),
    ...(refusal === null ? {} : { refusal }),
    ...(teamFile === null || refusal !== null
      ? {}
      : { readTeamFile: () => readTeamTexts(teamFile.path), seenFile: seenFileNote(journal, teamFile.path) }),
    ...options,
  });
}

/**
 * The note next to the journal at `journal` that says which of the team's files the folder of the team file at `path` had
 * last. Several worktrees may share the journal's folder, so each has its own.
 */
export function seenFileNote(journal: string, path: string): SeenFile {
  const note = `${journal}.team-seen-${sha256(path).slice(0, 12)}`;
  return {
    mark() {
      const file = readPlainFile(note, seenBytesMax);
      return file.ok ? (file.value?.text ?? null) : null;
    },
    keep(mark) {
      try {
        replacePlainFile(note, mark);
      } catch {
        // The folder may be read-only: then a file that is changed back counts as older.
      }
    },
  };
}

/** A mark is a number and a digest. */
const seenBytesMax = 1024;

/** Most bytes of a note; a larger definition is read from the files each time. */
const noteBytesMax = 1024 * 1024;

/** Raise it when the same files give another definition within one version. */
const noteForm = 1;

/** The note on `files` next to the journal at `path`. */
function teamFileNote(path: string, files: TeamFileText): TeamFileMemory {
  const note = `${path}.team-file`;
  const key = keyOf(files);
  return {
    recall: () => definitionIn(note, key),
    keep(definition) {
      const body = `${key}\n${JSON.stringify(definition)}`;
      const text = `${sha256(body)}\n${body}`;
      if (Buffer.byteLength(text) > noteBytesMax) return;
      try {
        replacePlainFile(note, text);
      } catch {
        // The folder may be read-only or missing: then the next command reads the files again.
      }
    },
  };
}

/** The definition in the note; null: there is no note, it is on other files, or it is damaged. */
function definitionIn(note: string, key: string): TeamDefinition | null {
  const file = readPlainFile(note, noteBytesMax);
  if (!file.ok || file.value === null) return null;
  const { text } = file.value;
  const bodyAt = text.indexOf("\n") + 1;
  const body = text.slice(bodyAt);
  if (text.slice(0, Math.max(0, bodyAt - 1)) !== sha256(body) || !body.startsWith(`${key}\n`)) return null;
  // The digest shows that `keep` wrote this text from a definition.
  return JSON.parse(body.slice(key.length + 1)) as TeamDefinition;
}

function keyOf({ text, messages = [] }: TeamFileText): string {
  return sha256(JSON.stringify([noteForm, packageFacts().version, text, messages]));
}
