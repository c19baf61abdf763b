/**
 * The note of an adoption, next to the journal: what it made, and where the journal ended. By it a repeat knows that the
 * team comes from here, and `--undo` takes away what was made, unless the team has gone on working.
 * Rule: docs/protocol/adopting.md, section 5.
 */
import { existsSync, readdirSync, readFileSync, rmdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { sha256 } from "../../../base/canonical.ts";
import { isJsonObject, parseBounded } from "../../../base/json.ts";
import { readPlainFile, reasonOf, replacePlainFile } from "../../../base/plain-file.ts";
import { type Problem, problem } from "../../../base/problem.ts";
import { batonName } from "../../../message/principal.ts";
import type { LocalTeam } from "../../../runtime/team/team.ts";
import type { Workspace } from "../../../workspace/workspace.ts";

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
    return problem("journal-cannot-open", place.state, `The adoption cannot be noted (${reasonOf(cause)}).`, {
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
    return problem("not-ready", place.state, "The import was interrupted, so it is not known what came after it.", {
      hint: "run baton adopt again, and then baton adopt --undo",
    });
  const file = readPlainFile(place.teamFile, 1024 * 1024);
  const isChanged = !file.ok || file.value === null || digestOfFile(file.value.text) !== note.teamFile;
  if (isChanged)
    return problem("changed-meanwhile", place.teamFile, "The team file was changed since the project was adopted.", {
      hint: "keep a copy, bring the adopted one back, or remove .baton by hand",
    });
  let since = 0;
  let first: string | null = null;
  for await (const line of team.log({ after: head.seq })) {
    if (!line.ok) return line.error;
    // Deadlines and verdicts are Baton's own.
    if (line.value.sender === batonName) continue;
    since += 1;
    first ??= `${line.value.sender}: ${line.value.summary}`;
  }
  if (since === 0) return null;
  return problem("changed-meanwhile", place.teamFile, `The team has gone on working: ${since} entries came since.`, {
    expected: `no entry after ${head.seq}`,
    ...(first === null ? {} : { received: first.slice(0, 160) }),
    hint: "baton journal export keeps what was recorded; then remove the journal by hand",
  });
}

/** Removes what the adoption made. The journal must be closed. */
export function removeAdoption(place: Workspace, note: AdoptionNote, journal: string, ignored: string): Problem | null {
  try {
    const ignoreFile = join(place.directory, ".gitignore");
    rmSync(place.teamFile, { force: true });
    if (existsSync(ignoreFile) && readFileSync(ignoreFile, "utf8") === ignored) rmSync(ignoreFile);
    if (note.madeState && place.isInGit) rmSync(place.state, { recursive: true, force: true });
    else removeJournal(place, journal);
    for (const folder of [join(place.directory, "messages"), ...(note.madeFolder ? [place.directory] : [])])
      if (existsSync(folder) && readdirSync(folder).length === 0) rmdirSync(folder);
    return null;
  } catch (cause) {
    return problem("journal-cannot-open", place.state, `It cannot be removed whole (${reasonOf(cause)}).`, {
      hint: `remove ${place.directory} and ${place.state} by hand`,
    });
  }
}

/** The journal with the files next to it that have its name, and the notes about both. */
function removeJournal({ state }: Workspace, journal: string): void {
  const name = basename(journal);
  for (const each of existsSync(dirname(journal)) ? readdirSync(dirname(journal)) : [])
    if (each === name || each.startsWith(`${name}-`) || each.startsWith(`${name}.`))
      rmSync(join(dirname(journal), each));
  for (const each of ["adopted.json", "home.json"]) rmSync(join(state, each), { force: true });
}
