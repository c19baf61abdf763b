/**
 * Copies of a journal: a separate journal for a copied project, `baton journal copy` brings the entries into another
 * engine, and `baton journal backup` writes a whole copy while others write.
 */

import { existsSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { type TeamName, teamName } from "../../base/ids.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { visible } from "../../base/text.ts";
import type { Call, Command } from "../../doors/cli/kernel/command.ts";
import { type ExitCode, exitCodes } from "../../doors/cli/terminal/exit-codes.ts";
import {
  addressForm,
  copyEntries,
  fileAddress,
  type JournalAddress,
  moveJournal,
  oldJournalAt,
  readJournalUrl,
  serverForm,
  serverForms,
} from "../../journal/engines.ts";
import { openTeamJournal } from "../../perform/open.ts";
import { copiedWorkspace, placeOf } from "../../perform/workspace/place.ts";
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
import { type JournalOrigin, keptOf, recordOrigin } from "../handlers/record.ts";
import { withRecord } from "./journal-contents.ts";

/** Of `baton journal place --fork`: begins a new journal in a copied project. */
export async function forkHere(call: Call): Promise<ExitCode> {
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
}

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
  const problem = noteHome(workspace.state, workspace.root);
  return problem === null ? ok({ journal, kept }) : err([problem]);
}

async function teamIn({ teamFile, root }: Workspace): Promise<Result<TeamName, readonly Problem[]>> {
  const texts = readTeamTexts(teamFile);
  if (!texts.ok) return err([texts.error]);
  const team = await teamOfFile(texts.value);
  if (!team.ok) return team;
  const name = team.value === null ? null : teamName(team.value.name);
  if (name !== null) return ok(name);
  return err([
    makeProblem("not-initialised", root, "A new journal needs the team's file, and there is none.", {
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

/** `baton journal copy`: the same entries in a journal of any engine. */
export const copyCommand: Command = {
  isLocal: true,
  isOwners: true,
  globals: ["journal"],
  description:
    "Copies every team with its entries as they are (numbers, times and hashes) into another journal, while agents work, and\n" +
    "verifies the copy. Entries that it has are skipped, so the same command again brings what came meanwhile. This journal\n" +
    "stays as it is, and continues until `baton journal place` names the other one.",
  options: [{ name: "to", kind: "text", value: "URL", required: true, summary: `${addressForm} or ${serverForms}` }],
  examples: [
    { line: `baton journal copy --to ${serverForm}`, meaning: "from this project's journal into a server" },
    {
      line: `baton journal copy --journal ${serverForm} --to ${fileAddress("back.db")}`,
      meaning: "and back into a file",
    },
  ],
  next: "baton journal place URL names the copy as the project's journal; baton journal verify recomputes it.",
  run: async (call) => {
    const { output, given, config } = call;
    // A copy changes nothing of its source, which may be a backup or an archive.
    const place = await placeOf(call);
    if (!place.ok) return output.fail(place.error);
    const target = readJournalUrl(given.text("to") ?? "", "--to");
    if (!target.ok) return output.fail(target.error);
    const done = await copyEntries(place.value.address, pathOrUrl(target.value, config.directory));
    if (!done.ok) return output.fail(done.error);
    const { teams, place: copy } = done.value;
    output.result({ to: copy, teams }, () =>
      [
        ...teams.map(
          ({ team, added, head }) => `${team}: ${head.seq} entries, ${added} of them new, hash ${head.hash}`,
        ),
        `Verified in ${visible(copy)}.`,
      ].join("\n"),
    );
    return exitCodes.done;
  },
};

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
          makeProblem("not-found", dirname(file), "There is no such directory for the copy.", { hint }),
        );
      }
      call.output.progress("copying …");
      const done = await record.backup(file);
      call.output.progress(null);
      const problem = done.ok ? noteBackup(file) : done.error;
      if (problem !== null) return call.output.fail(problem);
      call.output.result({ file }, () => `Copied to ${file}.`);
      return exitCodes.done;
    }),
};
