/**
 * What a state folder says about itself: where its owner put the journal (`place.json`: a folder, or a server), which
 * folder on which disk it is (`home.json`), so that a copied project is noticed, and whether a journal is a backup, in
 * which nothing is recorded: what is written there would be missing in the journal that goes on. All of it is next to the
 * journal, where git cannot put a file.
 * Rule: docs/protocol/record.md, sections 23 to 25.
 */
import { existsSync, lstatSync, mkdirSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { isJsonObject, type JsonObject, parseBounded } from "../../base/json.ts";
import { readPlainFile, reasonOf, replacePlainFile } from "../../base/plain-file.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { fileAddress, isServerAddress } from "../../journal/engines.ts";
import { homeFile, journalIn, placeFile, type Workspace } from "./workspace.ts";

/** A state folder as its note tells it. */
export interface Home {
  /** Absolute, links resolved. */
  readonly path: string;
  /** The numbers by which the system knows the folder, as text: they may be larger than a number holds exactly. */
  readonly device: string;
  readonly inode: string;
  /** The folder of the team's `.baton/`, absolute. */
  readonly project: string;
}

const noteBytesMax = 16 * 1024;

/**
 * The journal of a workspace: in its state folder, or where its owner has put it. Refuses a setting that cannot be read, or
 * whose folder is not there: an empty journal must not take the place of one that is merely out of reach. Outside of a
 * repository there is no such setting, for the state folder is then one that a project can bring with it.
 */
export function journalOf({ state, isInGit }: Pick<Workspace, "state" | "isInGit">): Result<string, Problem> {
  if (!isInGit) return ok(journalIn(state));
  const setting = readNote(join(state, placeFile));
  if (!setting.ok) return setting;
  if (setting.value === null || typeof setting.value.server === "string") return ok(journalIn(state));
  const { folder } = setting.value;
  if (typeof folder !== "string" || !isAbsolute(folder))
    return err(unreadable(join(state, placeFile), "no folder in it"));
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return ok(journalIn(folder));
  return err(
    makeProblem("journal-cannot-open", folder, "The journal's owner has put it into this folder, which is not there.", {
      hint: `mount the disk, or correct ${join(state, placeFile)}`,
    }),
  );
}

/**
 * The address of the server in which the owner of a workspace put its journal, perhaps with credentials; null: it is in a
 * file. Refuses as `journalOf` does.
 */
export function serverOf({ state, isInGit }: Pick<Workspace, "state" | "isInGit">): Result<string | null, Problem> {
  if (!isInGit) return ok(null);
  const setting = readNote(join(state, placeFile));
  if (!setting.ok) return setting;
  const server = setting.value?.server;
  if (server === undefined) return ok(null);
  if (typeof server === "string" && isServerAddress(server)) return ok(server);
  return err(unreadable(join(state, placeFile), "no server in it"));
}

/** Records that the journal is in a server. The address may hold a password: only this user may read it. */
export function writeServer(state: string, server: string): void {
  replacePlainFile(join(state, placeFile), `${JSON.stringify({ server })}\n`, { mode: 0o600, isSynced: true });
}

/** Records that the journal is in `folder`. Throws the system's error. */
export function writePlace(state: string, folder: string): void {
  replacePlainFile(join(state, placeFile), `${JSON.stringify({ folder })}\n`, { isSynced: true });
}

/** The journal is in the state folder itself again. Throws the system's error. */
export function removePlace(state: string): void {
  rmSync(join(state, placeFile), { force: true });
}

/**
 * Creates the state folder. A process that may not, as in an agent's sandbox, gets a hint about what to use instead.
 */
export function createState(state: string): Problem | null {
  try {
    mkdirSync(state, { recursive: true });
    return notFolder(state);
  } catch (cause) {
    return cannotWriteState(state, reasonOf(cause));
  }
}

/** Why the state folder is not to be used: it, or that of sessions in it, is a link. Null: folders, or not there. */
export function notFolder(state: string): Problem | null {
  const link = [state, join(state, "sessions")].find(
    (path) => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === false,
  );
  if (link === undefined) return null;
  return makeProblem("journal-cannot-open", link, "Baton's state needs a folder here, and no link is followed.", {
    hint: "replace it by a folder; `baton journal place DIR` puts the journal elsewhere",
  });
}

/** The state cannot be written by this process. One line, for agents read it. */
export function cannotWriteState(state: string, received: string): Problem {
  return makeProblem("journal-read-only", state, "This process may not write Baton's state.", {
    received,
    hint: "in an agent's sandbox use Baton's MCP tools instead of this command (send_message, read_inbox, task, team_status); elsewhere give this user write permission on the folder",
  });
}

/** The note of the state folder; null: there is none yet. */
export function readHome(state: string): Result<Home | null, Problem> {
  const note = readNote(join(state, homeFile));
  if (!note.ok || note.value === null) return note.ok ? ok(null) : note;
  const { path, device, inode, project } = note.value;
  if (
    typeof path !== "string" ||
    typeof device !== "string" ||
    typeof inode !== "string" ||
    typeof project !== "string"
  )
    return err(unreadable(join(state, homeFile), "not a note of Baton's"));
  return ok({ path, device, inode, project });
}

/** Notes which folder this is now, unless `known` says the same. Returns why the note cannot be written, or null. */
export function noteHome(state: string, project: string, known: Home | null = null): Problem | null {
  try {
    const home: Home = { ...identityOf(state), project };
    if (known !== null && isSameHome(home, known)) return null;
    writeNote(join(state, homeFile), home);
    return null;
  } catch (cause) {
    return cannotWriteState(state, reasonOf(cause));
  }
}

/**
 * Notes in the folder of a journal that its owner put outside of the state folder which project it belongs to. So a copy of
 * that folder is noticed where `--journal` names it, and the team's file is found from there.
 */
export function notePlace(journal: string, { state, root }: Pick<Workspace, "state" | "root">): Problem | null {
  const folder = dirname(journal);
  if (folder === state) return null;
  const known = readHome(folder);
  return known.ok ? noteHome(folder, root, known.value) : known.error;
}

/** The other project whose state is in this folder; null: it is free, or this project's. */
export function otherProjectIn(folder: string, root: string): string | null {
  const home = readHome(folder);
  if (!home.ok || home.value === null || isElsewhere(folder, home.value)) return null;
  const { project } = home.value;
  return project !== root && existsSync(join(project, ".baton")) ? project : null;
}

/** A journal has left this folder, which then belongs to no project. Throws the system's error. */
export function removeHome(folder: string): void {
  rmSync(join(folder, homeFile), { force: true });
}

/**
 * Takes the note of `from` away, whose journal moves to the state folder `to`. A note about a copy is kept: a copied
 * project does not become another by moving its journal.
 */
export function carryHome(from: string, to: string): Problem | null {
  const home = readHome(from);
  if (!home.ok) return home.error;
  if (home.value === null) return null;
  try {
    if (isElsewhere(from, home.value)) writeNote(join(to, homeFile), home.value);
    removeHome(from);
    return null;
  } catch (cause) {
    return cannotWriteState(to, reasonOf(cause));
  }
}

/**
 * Whether the folder is another one than its note says: a copy, or brought here from elsewhere. A folder that was renamed,
 * or is seen under another name of the same disk, is the same; so is one whose disk has another number since the last start.
 */
export function isElsewhere(state: string, home: Pick<Home, "path" | "device" | "inode">): boolean {
  const { path, device, inode } = identityOf(state);
  if (inode !== home.inode) return true;
  return path !== home.path && device !== home.device;
}

/** The file in which a repository that its owner has named keeps its id, and which folder on which disk it is. */
const repositoryFile = "repository.json";

/** The id of the repository whose state folder this is; null: nobody named it, or it is a copy of one that was. */
export function repositoryIn(state: string): string | null {
  const note = notFolder(state) === null ? readNote(join(state, repositoryFile)) : ok(null);
  const { id, path, device, inode } = note.ok && note.value !== null ? note.value : {};
  const isWhole = typeof id === "string" && typeof path === "string";
  if (!isWhole || typeof device !== "string" || typeof inode !== "string") return null;
  return isElsewhere(state, { path, device, inode }) ? null : id;
}

/** Keeps the id in the state folder, which is made. */
export function keepRepository(state: string, id: string): Problem | null {
  const problem = createState(state);
  if (problem !== null) return problem;
  try {
    writeNote(join(state, repositoryFile), { id, ...identityOf(state) });
    return null;
  } catch (cause) {
    return cannotWriteState(state, reasonOf(cause));
  }
}

/** Why nothing may be recorded in a folder that is another one than its note says. */
export function copiedProblem(state: string, home: Home): Problem {
  const fact = isOriginalThere(home)
    ? `This project was copied from ${home.project}, which is still there with the same journal`
    : `This journal was last used in ${home.project}: the project was copied, restored or moved to another disk`;
  return makeProblem("journal-copied", state, `${fact}. It can be read; nothing is recorded.`, {
    hint: "`baton journal place --fork` starts a new journal for a copy; `baton journal place --here` says that this is the only one left",
  });
}

/** Whether the folder of the note is still in its place. */
export function isOriginalThere(home: Home): boolean {
  const original = statSync(home.path, { bigint: true, throwIfNoEntry: false });
  return original !== undefined && String(original.ino) === home.inode;
}

/** Worktrees of a bare repository are equals: the one that is noted stays so while it is there. */
function isSameHome(now: Home, known: Home): boolean {
  const isProjectThere = now.project === known.project || existsSync(join(known.project, ".baton"));
  return now.path === known.path && now.device === known.device && now.inode === known.inode && isProjectThere;
}

/** The number by which the system knows the folder. */
export function inodeOf(state: string): string {
  return identityOf(state).inode;
}

function identityOf(state: string): Pick<Home, "path" | "device" | "inode"> {
  const path = realpathSync(state);
  const { dev, ino } = statSync(path, { bigint: true });
  return { path, device: String(dev), inode: String(ino) };
}

function readNote(path: string): Result<JsonObject | null, Problem> {
  const file = readPlainFile(path, noteBytesMax);
  if (!file.ok) return err(unreadable(path, file.error));
  if (file.value === null) return ok(null);
  const read = parseBounded(file.value.text);
  return read.ok && isJsonObject(read.value) ? ok(read.value) : err(unreadable(path, "not a JSON object"));
}

function writeNote(path: string, note: Home | (Omit<Home, "project"> & { readonly id: string })): void {
  replacePlainFile(path, `${JSON.stringify(note)}\n`, { mode: 0o644, isSynced: true });
}

function unreadable(path: string, reason: string): Problem {
  return makeProblem("journal-cannot-open", path, `This file of Baton's state cannot be read (${reason}).`, {
    hint: "restore it; if you are sure which journal is the right one, remove it",
  });
}

/** The note of a backup in `file`. */
function backupNote(file: string): string {
  return `${file}.backup`;
}

/** Notes that `file` is a backup that was just written. The note of an earlier one there is replaced. */
export function noteBackup(file: string): Problem | null {
  const note = backupNote(file);
  try {
    rmSync(note, { force: true });
    // A link that is there by now is not followed.
    writeFileSync(note, "Baton: this journal is a backup. Remove this file to record in it.\n", { flag: "wx" });
    return null;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    return makeProblem("journal-cannot-open", note, `The backup is whole, but not marked as one: ${reason}.`, {
      hint: "Do not record in it while the journal that it was made from goes on.",
    });
  }
}

/** Why nothing may be recorded in the journal `file`: it is a backup. Null: it is none. */
export function copyProblem(file: string): Problem | null {
  const note = backupNote(file);
  if (lstatSync(note, { throwIfNoEntry: false }) === undefined) return null;
  return makeProblem("journal-copied", file, "This journal is a backup. It can be read; nothing is recorded.", {
    hint: `Record in the journal that it was made from. Where that is gone, remove ${note}, and this one goes on, or bring its entries into a new journal: \`baton journal copy --journal ${fileAddress(file)} --to URL\`.`,
  });
}
