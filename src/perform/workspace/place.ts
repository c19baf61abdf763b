/**
 * Which journal and which team a command means: from `--journal`, `--team` and the nearest `.baton/`. A journal that an
 * older Baton has left in `.baton/` moves into the repository's git folder on the way.
 * Rule: docs/protocol/record.md, sections 23 to 25.
 */
import { existsSync, lstatSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import {
  addressForm,
  fileAddress,
  isServerAddress,
  moveJournal,
  oldJournalAt,
  readJournalUrl,
  serverFileName,
  shownAddress,
} from "../../journal/engines.ts";
import type { TeamFileText } from "../../team/handlers/team-file.ts";
import { noteServer } from "./server-note.ts";
import {
  carryHome,
  copiedProblem,
  copyProblem,
  createState,
  type Home,
  isElsewhere,
  journalOf,
  noteHome,
  notePlace,
  notFolder,
  readHome,
  serverOf,
} from "./state-folder.ts";
import { readTeamTexts } from "./team-files.ts";
import { findWorkspace, journalIn, linkedWorkspace, type Workspace, workspaceAbove } from "./workspace.ts";

export interface Place {
  /**
   * The journal's file, which need not exist yet. Of a journal in a server, a name in the state folder: notes about the
   * journal lie next to it, and there is no such file.
   */
  readonly journal: string;
  /** What is opened: the file, or the URL of the server, perhaps with credentials. */
  readonly address: string;
  /** Where the journal is, for people: without credentials. */
  readonly shown: string;
  /** The team's file, when there is one, with the team's own message types. */
  readonly teamFile: TeamFileText | null;
  /** The folder of the team's work: that of `.baton/`, or of the journal that was named. */
  readonly root: string;
  /** Why nothing may be recorded here, though it can be read; null: it may. */
  readonly refusal: Problem | null;
}

/** What a place is looked up from: a command's call, or what a program gives. */
export interface PlaceCall {
  /** Only `journal` is asked for: the URL of a journal that is named. */
  readonly given: { text(name: string): string | undefined };
  readonly config: { readonly directory: string; environment(): Readonly<Record<string, string>> };
}

/**
 * The place that the call means, ready to be written to. Refuses with `wrong-usage` a journal of no known kind, with
 * `not-initialised` none, with `journal-tracked` an old journal that a commit may have brought, with `journal-busy` one
 * that cannot move because another process has it open, and with the problems of files that cannot be used.
 */
export async function placeOf(call: PlaceCall): Promise<Result<Place, Problem>> {
  const url = call.given.text("journal");
  if (url !== undefined) return readyServer(namedPlace(url, call));
  const workspace = findWorkspace(call.config.directory);
  if (workspace === null) return err(nowhere(call.config.directory));
  if (workspace.missing !== null) return err(missingRepository(workspace.missing));
  const server = serverOf(workspace);
  if (!server.ok) return server;
  if (server.value !== null) return readyServer(serverPlace(server.value, workspace));
  const moved = await moveOldJournal(workspace, call);
  if (!moved.ok) return moved;
  const found = placeIn(workspace);
  if (!found.ok) return found;
  const home = settleHome(workspace, found.value);
  return home.ok ? ok({ ...found.value, refusal: home.value }) : home;
}

/** As `placeOf`, where something is recorded: also refuses with `journal-copied`. */
export async function writablePlaceOf(call: PlaceCall): Promise<Result<Place, Problem>> {
  const place = await placeOf(call);
  return place.ok && place.value.refusal !== null ? err(place.value.refusal) : place;
}

/** As `placeOf`, and changes nothing: an old journal is found where it is. */
export function lookForPlace(call: PlaceCall): Result<Place, Problem> {
  const url = call.given.text("journal");
  if (url !== undefined) return namedPlace(url, call);
  const workspace = findWorkspace(call.config.directory);
  if (workspace === null) return err(nowhere(call.config.directory));
  if (workspace.missing !== null) return err(missingRepository(workspace.missing));
  const server = serverOf(workspace);
  if (!server.ok) return server;
  if (server.value !== null) return serverPlace(server.value, workspace);
  const place = placeIn(workspace);
  if (!place.ok) return place;
  const refused = refusalOf(workspace.state);
  if (!refused.ok) return refused;
  const old = journalIn(workspace.directory);
  const isOld = workspace.isInGit && !existsSync(place.value.journal) && waitsToMove(old);
  return ok({ ...place.value, ...(isOld ? inFile(old) : {}), refusal: refused.value });
}

/** The workspace of the call, which was copied, and its note. Refuses `not-found` one that is at home. */
export function copiedWorkspace(
  call: PlaceCall,
): Result<{ readonly workspace: Workspace; readonly home: Home }, Problem> {
  const workspace = findWorkspace(call.config.directory);
  if (workspace === null) return err(nowhere(call.config.directory));
  const home = existsSync(workspace.state) ? readHome(workspace.state) : ok(null);
  if (!home.ok) return home;
  if (home.value !== null && isElsewhere(workspace.state, home.value)) return ok({ workspace, home: home.value });
  return err(
    makeProblem("not-found", workspace.state, "This project was not copied: its journal is at home here.", {
      hint: "There is nothing to do; `baton doctor` shows where the journal lies.",
    }),
  );
}

/** The journal that a URL names, with the team file next to it, or the one of the project whose state it is. */
function namedPlace(url: string, call: PlaceCall): Result<Place, Problem> {
  const { directory } = call.config;
  const read = readJournalUrl(url, "--journal");
  if (!read.ok) return read;
  if ("url" in read.value) {
    const workspace = findWorkspace(directory);
    return workspace === null ? strayServer(read.value.url, call) : serverPlace(read.value.url, workspace);
  }
  const journal = resolve(directory, read.value.file);
  const folder = dirname(journal);
  const home = readHome(folder);
  if (!home.ok) return home;
  const beside = readTeamTexts(join(folder, "team.yaml"));
  if (!beside.ok) return beside;
  const project = beside.value === null ? (home.value?.project ?? null) : null;
  const teamFile = project === null ? beside : readTeamTexts(join(project, ".baton", "team.yaml"));
  if (!teamFile.ok) return teamFile;
  const isCopy = home.value !== null && isElsewhere(folder, home.value);
  const refusal = isCopy ? copiedProblem(folder, home.value) : copyProblem(journal);
  return ok({ ...inFile(journal), teamFile: teamFile.value, root: project ?? folder, refusal });
}

function inFile(path: string): Pick<Place, "journal" | "address" | "shown"> {
  return { journal: path, address: path, shown: path };
}

function inServer(address: string, state: string): Pick<Place, "journal" | "address" | "shown"> {
  return { journal: join(state, serverFileName(address)), address, shown: shownAddress(address) };
}

/**
 * The journal of a project in a server. A copy of the project uses the same journal, so nothing is split and nothing is
 * refused.
 */
function serverPlace(address: string, workspace: Workspace): Result<Place, Problem> {
  const link = notFolder(workspace.state);
  if (link !== null) return err(link);
  const teamFile = readTeamTexts(workspace.teamFile);
  if (!teamFile.ok) return teamFile;
  const { state, root } = workspace;
  return ok({ ...inServer(address, state), teamFile: teamFile.value, root, refusal: null });
}

/** A journal in a server that is named outside of any project: what lies next to a journal is in the user's own state. */
function strayServer(address: string, { config }: PlaceCall): Result<Place, Problem> {
  const own = ownState(config.environment()) ?? join(config.directory, ".local/state/baton");
  return ok({ ...inServer(address, own), teamFile: null, root: config.directory, refusal: null });
}

/** Where this user keeps what belongs to no project; null: the environment names no home. */
export function ownState(environment: Readonly<Record<string, string>>): string | null {
  const { XDG_STATE_HOME: given = "", HOME: home = "" } = environment;
  if (isAbsolute(given)) return join(given, "baton");
  return isAbsolute(home) ? join(home, ".local/state/baton") : null;
}

/** The place with its state folder created, and a note there of which server it is. */
function readyServer(place: Result<Place, Problem>): Result<Place, Problem> {
  if (!place.ok || !isServerAddress(place.value.address)) return place;
  const problem = createState(dirname(place.value.journal)) ?? noteServer(place.value);
  return problem === null ? place : err(problem);
}

function placeIn(workspace: Workspace): Result<Place, Problem> {
  const link = notFolder(workspace.state);
  if (link !== null) return err(link);
  const journal = journalOf(workspace);
  if (!journal.ok) return journal;
  // A link in the project's folder could lead a new journal anywhere, and an old one away from it.
  if (lstatSync(journal.value, { throwIfNoEntry: false })?.isSymbolicLink() === true)
    return err(linkedJournal(journal.value));
  const teamFile = readTeamTexts(workspace.teamFile);
  if (!teamFile.ok) return teamFile;
  return ok({ ...inFile(journal.value), teamFile: teamFile.value, root: workspace.root, refusal: null });
}

/** Whether what is in `.baton/` is a journal of an older Baton that has not moved yet. */
function waitsToMove(old: string): boolean {
  return ["journal", "marked"].includes(oldJournalAt(old) ?? "");
}

/** Moves the journal of an older Baton, or finishes moving it. A second journal stays where it is; `doctor` reports it. */
async function moveOldJournal(workspace: Workspace, call: PlaceCall): Promise<Result<void, Problem>> {
  const old = journalIn(workspace.directory);
  if (!workspace.isInGit || !waitsToMove(old)) return ok(undefined);
  const link = notFolder(workspace.state);
  if (link !== null) return err(link);
  const journal = journalOf(workspace);
  if (!journal.ok) return journal;
  const isThere = existsSync(journal.value);
  if (isThere && oldJournalAt(old) === "journal") return ok(undefined);
  if (!isThere) {
    const tracked = await trackedOld(workspace, call);
    if (tracked !== null) return err(tracked);
  }
  const problem = createState(workspace.state) ?? carryHome(workspace.directory, workspace.state);
  return problem === null ? await moveJournal(old, journal.value) : err(problem);
}

/** Whether git tracks the whole folder as a submodule, or a file of it that only Baton writes. */
function isState(path: string): boolean {
  const folded = path.toLowerCase();
  return folded === ".baton" || folded === ".baton/home.json" || folded.startsWith(".baton/journal.db");
}

/** Why the journal in `.baton/` may have come with a commit; null: git knows nothing of it. */
export async function trackedOld({ root, directory }: Workspace, { config }: PlaceCall): Promise<Problem | null> {
  // Loaded only here: most commands never ask git.
  const { trackedBelow } = await import("../../evidence/git/repository.ts");
  const listed = await trackedBelow(root, ".baton", config.environment());
  if (!listed.ok) return listed.error;
  const isOwnRepository = lstatSync(join(directory, ".git"), { throwIfNoEntry: false }) !== undefined;
  const found = listed.value.find(isState);
  if (found === undefined && !isOwnRepository) return null;
  return makeProblem(
    "journal-tracked",
    join(root, found ?? ".baton"),
    "Git tracks this, so a commit may have brought it: it is neither trusted nor moved.",
    {
      hint: "Look with git log who committed it, and remove it with git rm -r; git rm -r --cached keeps one that is your own.",
    },
  );
}

/** Notes at first use which folder this is. Answers why nothing may be recorded, which is so in a copied project. */
function settleHome(workspace: Workspace, { journal, teamFile }: Place): Result<Problem | null, Problem> {
  const { state, root, isInGit } = workspace;
  const exists = existsSync(journal);
  if (!exists && teamFile === null) return ok(null);
  if (isInGit && !existsSync(state)) {
    const problem = createState(state);
    if (problem !== null) return err(problem);
  }
  const home = readHome(state);
  if (!home.ok) return home;
  if (home.value !== null && isElsewhere(state, home.value)) return ok(copiedProblem(state, home.value));
  const problem = noteHome(state, root, home.value) ?? notePlace(journal, workspace);
  // Where a journal can only be read, so can its folder; the journal itself says so to who wants to write.
  return ok(exists ? null : problem);
}

function refusalOf(state: string): Result<Problem | null, Problem> {
  if (!existsSync(state)) return ok(null);
  const home = readHome(state);
  if (!home.ok) return home;
  return ok(home.value !== null && isElsewhere(state, home.value) ? copiedProblem(state, home.value) : null);
}

/** A second journal in the work tree would split the record, and a commit could put files next to it. */
function missingRepository(folder: string): Problem {
  return makeProblem("journal-cannot-open", folder, "The repository that this folder belongs to cannot be reached.", {
    hint: "mount it or bring it back, or correct the file .git (git worktree repair); in a container use Baton's MCP tools",
  });
}

function nowhere(directory: string): Problem {
  const above = workspaceAbove(directory);
  const link = linkedWorkspace(directory);
  if (link !== null && above === null) {
    const fact = "This .baton is a link, and a commit could lead it anywhere: it is not followed.";
    const hint = `make it a folder of this project, or name a journal with --journal ${addressForm}`;
    return makeProblem("not-initialised", link, fact, { hint });
  }
  const named = above === null ? addressForm : fileAddress(journalIn(above.state));
  return makeProblem(
    "not-initialised",
    directory,
    above === null
      ? "There is no .baton/ here or in any directory above."
      : `There is no .baton/ in this repository; the one in ${above.root} is another team's.`,
    { hint: `run \`baton init\` in the root of your repository, or name a journal with --journal ${named}` },
  );
}

function linkedJournal(path: string): Problem {
  return makeProblem("journal-cannot-open", path, "The journal's name is a link here, and no link is followed.", {
    hint: "Look where it comes from (git log shows whether a commit brought it), and remove it.",
  });
}
