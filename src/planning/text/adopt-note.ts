/**
 * The note of an adoption, next to the journal: what it made, and where the journal ended. By it a repeat knows that the
 * team comes from here, and `--undo` takes away what was made, unless the team has gone on working.
 * Rule: docs/protocol/record.md, section 28.
 */
import { existsSync, readdirSync, readFileSync, rmdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { sha256 } from "../../base/canonical.ts";
import { isJsonObject, parseBounded } from "../../base/json.ts";
import { readPlainFile, reasonOf, replacePlainFile } from "../../base/plain-file.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import { shorten } from "../../base/text.ts";
import { batonName, ownerName, unknownAuthor } from "../../messages/principal.ts";
import { openTeamJournal } from "../../perform/open.ts";
import type { LocalTeam } from "../../perform/team.ts";
import { homeFile, placeFile, type Workspace } from "../../perform/workspace/workspace.ts";
import { isSyncFile } from "../folders/folder-note.ts";

/** What an adoption made. */
export interface AdoptionNote {
  readonly team: string;
  /** SHA-256 of the team file as it was written. */
  readonly teamFile: string;
  /** Whether the folder of the journal was made by it. */
  readonly madeState: boolean;
  readonly madeFolder: boolean;
  /** Where the journal ended; null: the import was interrupted. */
  readonly head: { readonly seq: number; readonly hash: string } | null;
}

const noteBytesMax = 16 * 1024;

function notePath({ state }: Workspace): string {
  return join(state, "adopted.json");
}

/** The note; null: nothing was adopted here. */
export function readAdoption(place: Workspace): AdoptionNote | null {
  const file = readPlainFile(notePath(place), noteBytesMax);
  const parsed = file.ok && file.value !== null ? parseBounded(file.value.text) : null;
  if (parsed === null || !parsed.ok || !isJsonObject(parsed.value)) return null;
  const { team, teamFile, madeState, madeFolder, head } = parsed.value;
  if (typeof team !== "string" || typeof teamFile !== "string") return null;
  const at = isJsonObject(head ?? null) ? (head as { readonly seq?: unknown; readonly hash?: unknown }) : null;
  const ended = typeof at?.seq === "number" && typeof at.hash === "string" ? { seq: at.seq, hash: at.hash } : null;
  return { team, teamFile, madeState: madeState === true, madeFolder: madeFolder === true, head: ended };
}

/** Writes the note; returns why it cannot be. */
export function noteAdoption(place: Workspace, note: AdoptionNote): Problem | null {
  try {
    replacePlainFile(notePath(place), `${JSON.stringify(note, null, 2)}\n`);
    return null;
  } catch (cause) {
    return makeProblem("journal-cannot-open", place.state, `The adoption cannot be noted (${reasonOf(cause)}).`, {
      hint: "run baton adopt where you may write",
    });
  }
}

/** The digest by which a team file is known again. */
export function digestOfFile(text: string): string {
  return sha256(text);
}

/** Why the team may not be removed: it has gone on, or its file was changed; null: it may. */
export async function lifeSince(place: Workspace, note: AdoptionNote, team: LocalTeam): Promise<Problem | null> {
  const { head } = note;
  if (head === null)
    return makeProblem("not-ready", place.state, "The import was interrupted, so it is not known what came after it.", {
      hint: "run baton adopt again, and then baton adopt --undo",
    });
  const file = readPlainFile(place.teamFile, 1024 * 1024);
  const isChanged = !file.ok || file.value === null || digestOfFile(file.value.text) !== note.teamFile;
  if (isChanged)
    return makeProblem(
      "changed-meanwhile",
      place.teamFile,
      "The team file was changed since the project was adopted.",
      {
        hint: "keep a copy, bring the adopted one back, or remove .baton by hand",
      },
    );
  // Deadlines and verdicts are Baton's own.
  const since = await recordedAfter(team, head.seq, [batonName]);
  if (!since.ok) return since.error;
  const { count, first } = since.value;
  if (first === null) return null;
  return makeProblem(
    "changed-meanwhile",
    place.teamFile,
    `The team has gone on working: ${count} entries came since.`,
    {
      expected: `no entry after ${head.seq}`,
      received: shorten(first, 160),
      hint: "baton journal export keeps what was recorded; then remove the journal by hand",
    },
  );
}

/** Entries after `seq` of others than `except`, and the first of them. */
async function recordedAfter(
  team: LocalTeam,
  seq: number,
  except: readonly string[],
): Promise<Result<{ readonly count: number; readonly first: string | null }, Problem>> {
  let count = 0;
  let first: string | null = null;
  for await (const line of team.log({ after: seq })) {
    if (!line.ok) return line;
    if (except.includes(line.value.sender)) continue;
    count += 1;
    first ??= `${line.value.sender}: ${line.value.summary}`;
  }
  return ok({ count, first });
}

/**
 * Where the journal ended for the note, if somebody worked in the team before this repeat: what it adds must not make that
 * work look like its own. Null: nobody has. Of an interrupted import only the work of others than the owner is known.
 */
export async function headToKeep(
  { head }: AdoptionNote,
  team: LocalTeam,
): Promise<Result<AdoptionNote["head"], Problem>> {
  const own = head === null ? [batonName, ownerName, unknownAuthor] : [batonName];
  const since = await recordedAfter(team, head?.seq ?? 0, own);
  if (!since.ok) return since;
  return ok(since.value.first === null ? null : (head ?? { seq: 0, hash: "" }));
}

/** Why the journal may not be removed: it holds another team; null: it may. */
export async function othersIn(address: string, { team }: AdoptionNote): Promise<Problem | null> {
  const opened = await openTeamJournal(address, { readOnly: true, create: false });
  if (!opened.ok) return opened.error;
  const known = await opened.value.teams();
  await opened.value.close();
  if (!known.ok) return known.error;
  const other = known.value.find((each) => each !== team);
  if (other === undefined) return null;
  return makeProblem("changed-meanwhile", address, `The journal holds the team ${other}, too.`, {
    hint: "baton journal export keeps what was recorded; then remove the journal by hand",
  });
}

/** Removes what the adoption made. The journal must be closed. */
export function removeAdoption(place: Workspace, note: AdoptionNote, journal: string, ignored: string): Problem | null {
  try {
    const ignoreFile = join(place.directory, ".gitignore");
    rmSync(place.teamFile, { force: true });
    if (existsSync(ignoreFile) && readFileSync(ignoreFile, "utf8") === ignored) rmSync(ignoreFile);
    removeJournal(place, journal);
    const made = [...(note.madeFolder ? [place.directory] : []), ...(note.madeState ? [place.state] : [])];
    for (const folder of [join(place.directory, "messages"), ...made])
      if (existsSync(folder) && readdirSync(folder).length === 0) rmdirSync(folder);
    return null;
  } catch (cause) {
    return makeProblem("journal-cannot-open", place.state, `It cannot be removed whole (${reasonOf(cause)}).`, {
      hint: `remove ${place.directory} and ${place.state} by hand`,
    });
  }
}

/** What Baton puts next to a journal under the journal's name, by its ending or the beginning of it. */
const endings = ["", "-wal", "-shm", "-journal", ".head", ".sessions", ".team-file"];
const beginnings = [".head.", ".search", ".code-", ".hub-", ".team-file."];

/**
 * The journal with Baton's files next to it, and the notes about both. Whatever else is there stays: journals of teams in
 * folders below, a copy that somebody made.
 */
function removeJournal({ state }: Workspace, journal: string): void {
  const name = basename(journal);
  for (const each of existsSync(dirname(journal)) ? readdirSync(dirname(journal)) : []) {
    const rest = each.startsWith(name) ? each.slice(name.length) : null;
    const isJournals = rest !== null && (endings.includes(rest) || beginnings.some((start) => rest.startsWith(start)));
    if (isJournals || isSyncFile(each)) rmSync(join(dirname(journal), each));
  }
  for (const each of ["adopted.json", homeFile, placeFile]) rmSync(join(state, each), { force: true });
}
