/**
 * Copies of a journal: `baton journal fork` begins a separate journal for a copied project, `baton journal migrate` brings
 * the entries into another engine, and `baton journal backup` writes a whole copy while others write.
 */

import { existsSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { type TeamName, teamName } from "../../base/ids.ts";
import { type Problem, problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { visible } from "../../base/text.ts";
import type { Call, Command } from "../../doors/cli/kernel/command.ts";
import { exitCodes } from "../../doors/cli/terminal/exit-codes.ts";
import {
  addressForm,
  fileAddress,
  type JournalAddress,
  migrateJournal,
  moveJournal,
  oldJournalAt,
  readJournalUrl,
  serverForm,
  serverForms,
} from "../../journal/engines.ts";
import { openTeamJournal } from "../../perform/open.ts";
import { copiedWorkspace, placeOf, writablePlaceOf } from "../../perform/workspace/place.ts";
import {
  type Home,
  inodeOf,
  journalOf,
  noteBackup,
  noteHome,
  removePlace,
} from "../../perform/workspace/state-folder.ts";
import { readTeamTexts } from "../../perform/workspace/team-files.ts";
import { journalIn, type Workspace } from "../../perform/workspace/workspace.ts";
import { teamOfFile } from "../../team/handlers/team-file.ts";
import { leaveJournal } from "../handlers/journal-migration.ts";
import { type JournalOrigin, keptOf, recordOrigin } from "../handlers/record.ts";
import { withRecord } from "./journal-contents.ts";
import { undoMigration } from "./journal-undo.ts";

export const forkCommand: Command = {
  isLocal: true,
  isOwners: true,
  globals: [],
  description:
    "In a copied project nothing is recorded: two projects would go on in one record. This command begins a new journal here,\n" +
    "whose first entry names the project it was copied from and its last entry. The copied record is kept next to it.",
  examples: [
    { line: "baton journal fork", meaning: "in the copy, once" },
    { line: "baton journal fork --json", meaning: "the same, answered as a line of JSON" },
  ],
  next: "baton up starts a hub of the copy; tokens and links of the original project do not hold here.",
  run: async (call) => {
    const copied = copiedWorkspace(call);
    if (!copied.ok) return call.output.fail(copied.error);
    const { workspace, home } = copied.value;
    const forked = await forkJournal(workspace, home);
    if (!forked.ok) return call.output.fail(forked.error);
    const { journal, kept } = forked.value;
    call.output.result({ journal, kept, project: home.project }, () => {
      return `A new journal begins in ${visible(journal)}; what ${visible(home.project)} had recorded is in ${visible(kept)}.`;
    });
    return exitCodes.done;
  },
};

/*
 * A new journal for a copied project. The copied record is kept next to it under another name and can be read there. Until
 * the last step the folder still counts as a copy, so a fork that was interrupted is simply started again.
 * Rule: docs/protocol/record.md, sections 23 to 25.
 */

/** What a fork has left. */
export interface ForkedJournal {
  readonly journal: string;
  /** Where the copied record is kept. */
  readonly kept: string;
}

/** Begins a new journal in the workspace, whose state folder was copied from `home`. */
async function forkJournal(workspace: Workspace, home: Home): Promise<Result<ForkedJournal, readonly Problem[]>> {
  const team = await teamIn(workspace);
  if (!team.ok) return team;
  const copied = journalOf(workspace);
  if (!copied.ok) return err([copied.error]);
  const journal = journalIn(workspace.state);
  // If the journal has another place the record was never copied: it is the original's, and stays untouched.
  const isCopied = copied.value === journal;
  // Named after this very folder: the copy of a fork brings its own record put aside along.
  const kept = isCopied ? join(workspace.state, `origin-${inodeOf(workspace.state)}.db`) : copied.value;
  if (isCopied) {
    const aside = await putAside(journal, kept);
    if (aside !== null) return err([aside]);
  } else if (oldJournalAt(journal) === "stub") rmSync(journal);
  const origin = await originOf(kept, team.value);
  if (!origin.ok) return err([origin.error]);
  const opened = await openTeamJournal(journal, { create: true });
  if (!opened.ok) return err([opened.error]);
  await using begun = opened.value;
  const recorded = await recordOrigin(begun, team.value, { project: home.project, ...origin.value });
  if (!recorded.ok) return err([recorded.error]);
  if (!isCopied) removePlace(workspace.state);
  const fault = noteHome(workspace.state, workspace.root);
  return fault === null ? ok({ journal, kept }) : err([fault]);
}

async function teamIn({ teamFile, root }: Workspace): Promise<Result<TeamName, readonly Problem[]>> {
  const texts = readTeamTexts(teamFile);
  if (!texts.ok) return err([texts.error]);
  const team = await teamOfFile(texts.value);
  if (!team.ok) return team;
  const name = team.value === null ? null : teamName(team.value.name);
  if (name !== null) return ok(name);
  return err([
    problem("not-initialised", root, "A new journal needs the team's file, and there is none.", {
      hint: "bring .baton/team.yaml back from git, or run `baton init`",
    }),
  ]);
}

/** Moves the copied record to `kept`, whole or not at all, and frees its name. */
async function putAside(journal: string, kept: string): Promise<Problem | null> {
  const kind = oldJournalAt(journal);
  // An interrupted fork has put it aside already; what has the name now is the new journal.
  if (kind === "none" || (kind === "journal" && existsSync(kept))) return null;
  const moved = kind === "stub" ? ok(undefined) : await moveJournal(journal, kept);
  if (!moved.ok) return moved.error;
  rmSync(journal, { force: true });
  return null;
}

/** How far the copied record had come, and which definition was in force there. */
async function originOf(path: string, team: TeamName): Promise<Result<Omit<JournalOrigin, "project">, Problem>> {
  if (!existsSync(path)) return ok({ head: null, definition: null, members: null });
  const opened = await openTeamJournal(path, { create: false, readOnly: true });
  if (!opened.ok) return opened;
  await using origin = opened.value;
  const folded = await origin.state(team);
  if (!folded.ok) return folded;
  const { head, state } = folded.value;
  return ok({ head: head.seq === 0 ? null : head, ...keptOf(state.team) });
}

/** `baton journal migrate`: the journal in another engine, with the same entries. */
export const migrateCommand: Command = {
  isLocal: true,
  isOwners: true,
  globals: ["journal"],
  description:
    "Copies every team with its entries as they are (numbers, times and hashes), while agents work. Then an entry of each team\n" +
    "says where it continues, and this journal records nothing more: its hubs and commands answer with the new address. What\n" +
    "came meanwhile is copied, and the copy is verified. An interrupted run is started again. To return, migrate back; with\n" +
    "--undo this journal continues without what the other one has recorded since, and the other one records nothing more.",
  options: [
    { name: "to", kind: "text", value: "URL", summary: `${addressForm} or ${serverForms}` },
    { name: "copy", kind: "flag", summary: "only copy: this journal continues" },
    { name: "undo", kind: "flag", summary: "let this journal continue after a migration; --to only for credentials" },
    { name: "target-lost", kind: "flag", summary: "with --undo: the other journal is lost for good" },
  ],
  examples: [
    { line: `baton journal migrate --to ${serverForm}`, meaning: "from this project's journal into a server" },
    {
      line: `baton journal migrate --journal ${serverForm} --to ${fileAddress("back.db")}`,
      meaning: "and back into a file",
    },
  ],
  next: "baton journal place URL names the new journal for this project; baton journal verify recomputes it.",
  run: async (call) => {
    const { output, given } = call;
    // A copy changes nothing of its source, which may be a backup or an archive.
    const place = await (given.flag("copy") ? placeOf(call) : writablePlaceOf(call));
    if (!place.ok) return output.fail(place.error);
    const { address } = place.value;
    const [to, isUndone] = [given.text("to"), given.flag("undo")];
    const fault = usageFault(given);
    if (fault !== null) return output.fail(fault);
    const target = to === undefined ? ok(undefined) : readJournalUrl(to, "--to");
    if (!target.ok) return output.fail(target.error);
    const other = target.value === undefined ? undefined : pathOrUrl(target.value, call.config.directory);
    if (isUndone || other === undefined) return await undoMigration(call, place.value, other);
    const done = given.flag("copy")
      ? await migrateJournal(address, other)
      : await leaveJournal(openTeamJournal, address, other);
    if (!done.ok) return output.fail(done.error);
    const { teams, place: copy } = done.value;
    output.result({ to: copy, teams }, () =>
      [
        ...teams.map(
          ({ team, added, head }) => `${team}: ${head.seq} entries, ${added} of them new, hash ${head.hash}`,
        ),
        given.flag("copy")
          ? `Verified in ${visible(copy)}.`
          : `Verified in ${visible(copy)}, where all teams continue. Nothing more is recorded here.`,
      ].join("\n"),
    );
    return exitCodes.done;
  },
};

/** Which options do not go together. */
function usageFault(given: Call["given"]): Problem | null {
  const [isUndone, isCopy] = [given.flag("undo"), given.flag("copy")];
  if (given.text("to") === undefined && !isUndone) {
    const hint = "name the journal with --to URL, or take a migration back with --undo";
    return problem("wrong-usage", "--to", "One of --to and --undo is needed.", { hint });
  }
  if (isUndone && isCopy) {
    const hint = "a copy takes nothing over, so there is nothing to take back";
    return problem("wrong-usage", "--copy", "--copy and --undo exclude each other.", { hint });
  }
  if (isUndone || !given.flag("target-lost")) return null;
  return problem("wrong-usage", "--target-lost", "--target-lost is only for --undo.", { hint: "leave it out" });
}

function pathOrUrl(address: JournalAddress, directory: string): string {
  return "file" in address ? resolve(directory, address.file) : address.url;
}

/** `baton journal backup`: a whole copy of the journal while others write. */
export const backupCommand: Command = {
  description:
    "Writes a consistent copy of the whole journal, with its anchor, while agents go on working. Copying the database\nfile by other means can lose its write-ahead log. Refuses to overwrite a file. The copy can be read; nothing is recorded\nin it until you remove the note FILE.backup next to it.",
  positionals: [{ name: "FILE", required: true, summary: "the copy's path; it must not exist" }],
  examples: [
    { line: "baton journal backup ../baton-backup.db", meaning: "a copy next to the repository" },
    { line: `baton journal verify --journal ${fileAddress("../baton-backup.db")}`, meaning: "check the copy" },
  ],
  next: `baton journal verify --journal ${fileAddress("FILE")} checks the copy.`,
  run: (call) =>
    withRecord(call, { readOnly: false }, async (record) => {
      const file = resolve(call.config.directory, call.given.word("FILE") ?? "");
      if (!existsSync(dirname(file))) {
        const hint = "make it first, or name another place";
        return call.output.fail(
          problem("not-found", dirname(file), "There is no such directory for the copy.", { hint }),
        );
      }
      call.output.progress("copying …");
      const done = await record.backup(file);
      call.output.progress(null);
      const fault = done.ok ? noteBackup(file) : done.error;
      if (fault !== null) return call.output.fail(fault);
      call.output.result({ file }, () => `Copied to ${file}.`);
      return exitCodes.done;
    }),
};
