/**
 * Where the journal is: `baton journal place` shows it, puts the journal into another folder, or says what a project is
 * that looks like a copy, as its owner decides.
 */
import { existsSync, realpathSync, rmSync, statSync } from "node:fs";
import { dirname, relative, resolve, sep } from "node:path";
import type { TeamName } from "../../base/ids.ts";
import { reasonOf } from "../../base/plain-file.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import { visible } from "../../base/text.ts";
import { usageProblem } from "../../doors/cli/kernel/arguments.ts";
import type { Call, Command } from "../../doors/cli/kernel/command.ts";
import { endingCommand, hubsElsewhere, hubWords } from "../../doors/cli/place/hubs-elsewhere.ts";
import { type ExitCode, exitCodes } from "../../doors/cli/terminal/exit-codes.ts";
import {
  addressForm,
  fileAddress,
  isServerAddress,
  moveJournal,
  oldJournalAt,
  readJournalUrl,
  serverForm,
  serverForms,
} from "../../journal/engines.ts";
import type { Head } from "../../journal/entry.ts";
import { openTeamJournal } from "../../perform/open.ts";
import { copiedWorkspace, lookForPlace, type Place, writablePlaceOf } from "../../perform/workspace/place.ts";
import {
  cannotWriteState,
  copiedProblem,
  createState,
  isOriginalThere,
  noteHome,
  notePlace,
  otherProjectIn,
  removeHome,
  removePlace,
  writePlace,
  writeServer,
} from "../../perform/workspace/state-folder.ts";
import { checkoutAround, findWorkspace, journalIn, type Workspace } from "../../perform/workspace/workspace.ts";
import { forkHere } from "./journal-copies.ts";

/** Options by which it changes something. */
const changes = ["default", "here", "fork"] as const;

export const placeCommand: Command = {
  isLocal: true,
  isOwners: (given) => given.word("DIR") !== undefined || changes.some((name) => given.flag(name)),
  globals: [],
  description:
    "Without a folder it prints where the journal lies. With one it moves the journal there, whole or not at all, and notes\n" +
    "the place in Baton's folder in git's own, which no commit can change. The folder must be there, outside of the work tree.\n" +
    `\`--default\` moves it back. With ${serverForms} every command of this project and its\n` +
    "hub use the journal in that server from now on; only your user may read the note, which holds the URL as you gave it.\n" +
    "In a project that was copied, brought to another disk or restored from a backup nothing is recorded until you say which it\n" +
    "is. With --fork a new journal begins here, whose first entry names the project it was copied from and its last entry; the\n" +
    "copied record is kept next to it. --here says that this is the only one left; it is refused while the original is there.",
  positionals: [{ name: "DIR", summary: "the folder for the journal, or the URL of a server" }],
  options: [
    { name: "default", kind: "flag", summary: "back into git's own folder" },
    { name: "here", kind: "flag", summary: "the project is here now, and nowhere else" },
    { name: "fork", kind: "flag", summary: "a new journal for a copied project" },
  ],
  examples: [
    { line: "baton journal place", meaning: "the path of the journal" },
    { line: "baton journal place /srv/baton/shop", meaning: "on another disk from now on" },
    {
      line: `baton journal place ${serverForm}`,
      meaning: "in a server, for agents on several machines",
    },
    { line: "baton journal place --fork", meaning: "in a copy of a project, once" },
    { line: "baton journal place --here", meaning: "in the project at its new place, once" },
  ],
  next: "baton doctor shows whether the place can be used.",
  run: async (call) => {
    const { given } = call;
    const wanted = [
      given.word("DIR") ?? [],
      ...changes.flatMap((name) => (given.flag(name) ? `--${name}` : [])),
    ].flat();
    if (wanted.length > 1)
      return call.output.fail(usageProblem(wanted[1] ?? "", "Only one of these at a time.", "leave all but one out"));
    if (given.flag("here")) return settleHere(call);
    if (given.flag("fork")) return await forkHere(call);
    const place = await writablePlaceOf(call);
    if (!place.ok) return call.output.fail(place.error);
    const { journal, shown } = place.value;
    const named = call.given.word("DIR");
    const workspace = findWorkspace(call.config.directory);
    if ((named === undefined && !call.given.flag("default")) || workspace === null) return show(call, shown);
    if (named !== undefined && isServerAddress(named)) return await setServer(call, workspace, place.value, named);
    const url = named?.includes("://") === true ? readJournalUrl(named, "DIR") : ok(null);
    if (!url.ok) return call.output.fail(url.error);
    if (isServerAddress(place.value.address)) return await leaveServer(call, workspace, place.value, named);
    const folder = named === undefined ? workspace.state : resolve(call.config.directory, named);
    const problem = unfitFolder(folder, workspace);
    if (problem !== null) return call.output.fail(problem);
    return await moveTo(call, workspace, { journal, folder });
  },
};

/**
 * Notes that the journal is in a server, which must answer and be fit for one. Entries that are in a file stay there,
 * so nothing is set while there are any that the server does not have.
 */
async function setServer(
  call: Call,
  workspace: Workspace,
  { journal, address, shown }: Place,
  server: string,
): Promise<ExitCode> {
  const { output } = call;
  if (!workspace.isInGit) return output.fail(withoutRepository(workspace.root));
  const last = address === journal && existsSync(journal) ? await lastEntries(journal) : ok([]);
  const held = last.ok ? await holdsAll(server, last.value) : last;
  if (!held.ok) return output.fail(held.error);
  if (!held.value) {
    const hint = "end its hubs, `baton journal copy --to URL`, and then name the server";
    return output.fail(
      makeProblem(
        "already-exists",
        journal,
        "The journal of this project has entries, in a file, that the server lacks.",
        {
          hint,
        },
      ),
    );
  }
  const opened = await openTeamJournal(server);
  if (!opened.ok) return output.fail(opened.error);
  await opened.value.close();
  const made = createState(workspace.state);
  if (made !== null) return output.fail(made);
  try {
    writeServer(workspace.state, server);
  } catch (cause) {
    return output.fail(cannotWriteState(workspace.state, reasonOf(cause)));
  }
  const { place } = opened.value;
  if (place !== shown && isServerAddress(address)) call.output.say(staysInServer(shown));
  if (existsSync(journal))
    call.output.say(
      `The file ${visible(journal)} stays as it is, with the entries from before. Nothing more is recorded in it.`,
    );
  await sayWhoStays(call);
  return show(call, place);
}

function staysInServer(shown: string): string {
  return `The journal in ${visible(shown)} stays as it is. To read it, name it by --journal.`;
}

/** Says which hubs still use the journal that was the project's: they read the setting when they start. */
async function sayWhoStays(call: Call): Promise<void> {
  const place = lookForPlace(call);
  for (const hub of place.ok ? await hubsElsewhere(call, place.value.journal) : [])
    call.output.say(
      `warning: a hub still uses the other journal: ${hubWords(hub)}. End it by \`${endingCommand(call, hub)}\`, and start it again.`,
    );
}

/** The last entry of a team that has more than what its team file says. */
interface LastEntry {
  readonly team: TeamName;
  readonly head: Head;
  /** The journal in which the team continues, as an older version left it; null: this one. */
  readonly moved: string | null;
}

/** A journal with more entries than this is more than a team file. */
const definitionsMax = 100;

/**
 * The last entries of the journal, without teams that have nothing but what their team file says: the first command records
 * that wherever it is called.
 */
async function lastEntries(address: string): Promise<Result<readonly LastEntry[], Problem>> {
  const opened = await openTeamJournal(address, { create: false, readOnly: true });
  if (!opened.ok) return opened;
  await using journal = opened.value;
  const teams = await journal.teams();
  if (!teams.ok) return teams;
  const last: LastEntry[] = [];
  for (const team of teams.value) {
    const folded = await journal.state(team);
    if (!folded.ok) return folded;
    const { state, head } = folded.value;
    const first = await journal.read(team, { limit: definitionsMax });
    if (!first.ok) return first;
    const { entries } = first.value;
    const isAll = entries.at(-1)?.seq === head.seq;
    if (!isAll || entries.some(({ kind }) => kind !== "team")) last.push({ team, head, moved: state.moved ?? null });
  }
  return ok(last);
}

/**
 * Whether the journal at the address holds these entries, and so those before them. A team that continues in a third journal
 * need not be there.
 */
async function holdsAll(address: string, last: readonly LastEntry[]): Promise<Result<boolean, Problem>> {
  if (last.length === 0) return ok(true);
  const opened = await openTeamJournal(address, { create: false, readOnly: true });
  if (!opened.ok && opened.error.code === "journal-missing") return ok(last.every(({ moved }) => moved !== null));
  if (!opened.ok) return opened;
  await using journal = opened.value;
  for (const { team, head, moved } of last) {
    if (moved !== null && moved !== journal.place) continue;
    const read = await journal.read(team, { after: head.seq - 1, limit: 1 });
    if (!read.ok) return read;
    if (read.value.entries[0]?.hash !== head.hash) return ok(false);
  }
  return ok(true);
}

/**
 * The setting is taken away, and the journal is in git's own folder again; the one in the server stays as it is. Refused
 * while the file lacks entries of the server, because they would be left behind. A server that is gone keeps nobody.
 */
async function leaveServer(
  call: Call,
  { state }: Workspace,
  { address, shown }: Place,
  folder: string | undefined,
): Promise<ExitCode> {
  const target = fileAddress(journalIn(state));
  if (folder !== undefined) {
    const hint = `bring the teams back with \`baton journal copy --to ${target}\`, then use --default, then name the folder`;
    return call.output.fail(makeProblem("wrong-usage", folder, "The journal is in a server.", { hint }));
  }
  const journal = journalIn(state);
  const last = await lastEntries(address);
  const held = last.ok ? await holdsAll(journal, last.value) : ok(true);
  if (!held.ok) return call.output.fail(held.error);
  if (!held.value) {
    const hint = `End its hubs. \`baton journal copy --to ${target}\` brings them here; then run this again.`;
    return call.output.fail(
      makeProblem("already-exists", shown, "The journal in the server has entries that the file here lacks.", { hint }),
    );
  }
  try {
    removePlace(state);
  } catch (cause) {
    return call.output.fail(cannotWriteState(state, reasonOf(cause)));
  }
  if (!existsSync(journal))
    call.output.say("There is no such file yet: the next command that records something begins it.");
  call.output.say(staysInServer(shown));
  await sayWhoStays(call);
  return show(call, journal);
}

function show(call: Call, journal: string): ExitCode {
  call.output.result({ journal }, () => visible(journal));
  return exitCodes.done;
}

/** Why the journal cannot be there. */
function unfitFolder(folder: string, { state, isInGit, root }: Workspace): Problem | null {
  if (!isInGit) return withoutRepository(root);
  if (folder === state) return null;
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    return makeProblem("not-found", folder, "There is no such folder.", { hint: "make it first" });
  const owner = otherProjectIn(folder, root);
  if (owner !== null)
    return makeProblem("already-exists", folder, `This is the folder of another project's journal: ${owner}.`, {
      hint: "name another folder",
    });
  const tree = checkoutAround(root)?.root ?? root;
  const path = relative(realpathSync(tree), realpathSync(folder));
  if (path.startsWith("..") || path === "" ? path !== "" : path.split(sep)[0] === ".git") return null;
  return makeProblem("wrong-usage", folder, "This folder is in the work tree, where a commit can put files.", {
    hint: "name a folder outside of it",
  });
}

function withoutRepository(root: string): Problem {
  const hint = `run \`git init\`, or name the journal with --journal at each command: ${addressForm}, or ${serverForms}`;
  return makeProblem("repository-missing", root, "Without a repository no setting is safe from files of a project.", {
    hint,
  });
}

async function moveTo(
  call: Call,
  { state, root }: Workspace,
  { journal, folder }: { readonly journal: string; readonly folder: string },
): Promise<ExitCode> {
  const target = journalIn(folder);
  if (target === journal) {
    call.output.say("The journal is there already; nothing was changed.");
    return show(call, journal);
  }
  // A move that was interrupted has left the stub here already, and the journal there.
  const isMoved = oldJournalAt(journal) === "stub";
  if (oldJournalAt(target) === "stub") rmSync(target);
  else if (existsSync(target) && !isMoved) {
    const hint = folder === state ? "Move that file to another folder, and run this again." : "name an empty folder";
    return call.output.fail(makeProblem("already-exists", target, "There is a journal already.", { hint }));
  }
  const made = createState(state);
  if (made !== null) return call.output.fail(made);
  try {
    if (existsSync(journal) && !isMoved) {
      const moved = await moveJournal(journal, target);
      if (!moved.ok) return call.output.fail(moved.error);
    }
    if (folder === state) removePlace(state);
    else writePlace(state, folder);
    const before = dirname(journal);
    if (before !== state && before !== folder) removeHome(before);
    const problem = notePlace(target, { state, root });
    if (problem !== null) return call.output.fail(problem);
  } catch (cause) {
    return call.output.fail(cannotWriteState(state, reasonOf(cause)));
  }
  call.output.say(
    existsSync(target)
      ? `The journal is here now. The file ${visible(journal)} has no entries any more: it only says that the journal has moved.`
      : "Nothing is recorded yet: the first command that records something begins the journal here.",
  );
  return show(call, target);
}

/** The project was brought here, and there is no other; refused while the original is still in its place. */
function settleHere(call: Call): ExitCode {
  const copied = copiedWorkspace(call);
  if (!copied.ok) return call.output.fail(copied.error);
  const { workspace, home } = copied.value;
  const problem = isOriginalThere(home)
    ? copiedProblem(workspace.state, home)
    : noteHome(workspace.state, workspace.root);
  if (problem !== null) return call.output.fail(problem);
  call.output.result({ state: workspace.state, before: home.path }, () => {
    return `The journal is at home in ${visible(workspace.state)} now; before, it was in ${visible(home.path)}.`;
  });
  return exitCodes.done;
}
