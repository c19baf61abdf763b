/**
 * Archives of what has ended: `baton journal archive` copies a team, or a team up to the end of a phase, into a file whose
 * digest the journal keeps, and may give up the entries; `baton journal restore` lets the team continue.
 */
import { existsSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { type TeamName, teamName } from "../../base/ids.ts";
import { type Problem, problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { visible } from "../../base/text.ts";
import { usageProblem } from "../../doors/cli/kernel/arguments.ts";
import type { Call, Command } from "../../doors/cli/kernel/command.ts";
import { type ExitCode, exitCodes } from "../../doors/cli/terminal/exit-codes.ts";
import { anchorPath } from "../../journal/anchor-file.ts";
import { fileAddress } from "../../journal/engines.ts";
import { type OpenedJournal, openTeamJournal } from "../../perform/open.ts";
import { writablePlaceOf } from "../../perform/workspace/place.ts";
import {
  type ArchivedTeam,
  type ArchiveOptions,
  archiveTeam,
  notEndedProblem,
  restoreTeam,
  unknownTeam,
} from "../handlers/journal-archive.ts";

export const archiveCommand: Command = {
  isLocal: true,
  isOwners: true,
  globals: ["journal"],
  description:
    "Copies a team that has ended, none of whose agents is at work, into a journal in a file, verifies the copy, and records its\n" +
    "SHA-256. Then nothing more is recorded in the team. With --drop the journal gives up the entries once the file is on the\n" +
    "disk: keep it, and a copy of it; from then on it is the only place where they are. An interrupted run is started again.\n" +
    "With --phase the copy ends with the end of that phase, and the team and its entries stay.",
  positionals: [{ name: "TEAM", summary: "the team; absent: with --ended" }],
  options: [
    {
      name: "to",
      kind: "text",
      value: "PATH",
      required: true,
      summary: "a new file, or a folder for files of the teams' names",
    },
    { name: "ended", kind: "flag", summary: "every team that has ended" },
    { name: "phase", kind: "text", value: "PHASE", summary: "only up to the end of this phase" },
    { name: "drop", kind: "flag", summary: "give up the entries here, where the engine can" },
  ],
  examples: [
    { line: "baton journal archive shop --to ../shop-2026.db", meaning: "copy it, and record nothing more in it" },
    {
      line: "baton journal archive --ended --drop --to /srv/archives",
      meaning: "give back the space of all teams that ended",
    },
    {
      line: "baton journal archive shop --phase 3 --to ../shop-3.db",
      meaning: "a copy of what led to the end of phase 3",
    },
  ],
  next: `baton status --journal ${fileAddress("FILE")} reads an archive; baton journal restore TEAM lets the team continue.`,
  run: async (call) => {
    const { output, given } = call;
    const [phase, givesUp] = [given.text("phase"), given.flag("drop")];
    if (phase !== undefined && givesUp)
      return output.fail(usageProblem("--drop", "A phase is only copied.", "Leave --drop out, or archive the team."));
    return await withJournal(call, async (journal) => {
      const teams = await chosenTeams(call, journal);
      if (!teams.ok) return output.fail(teams.error);
      const archives: ArchivedTeam[] = [];
      for (const team of teams.value) {
        const file = archivePath(call, team, phase);
        if (!file.ok) return output.fail(file.error);
        output.progress(`archiving ${team} …`);
        const options = { ...file.value, phase, givesUp };
        const done = await archiveTeam(journal, team, options);
        output.progress(null);
        if (!done.ok) {
          // What was done before stays, and is said.
          for (const line of archives.map(archivedLine)) output.say(line);
          return output.fail(done.error);
        }
        archives.push(done.value);
      }
      output.result({ archives }, () =>
        archives.length === 0 ? "No team has ended." : archives.map(archivedLine).join("\n"),
      );
      return exitCodes.done;
    });
  },
};

/** `baton journal restore`: an archived team continues. */
export const restoreCommand: Command = {
  isLocal: true,
  isOwners: true,
  globals: ["journal"],
  description:
    "Lets a team continue that was archived. Where the journal has given up its entries, they are put back from the archive, all\n" +
    "or none: its SHA-256 must be the one that the journal names. The archive stays as it is.",
  positionals: [{ name: "TEAM", required: true, summary: "the team" }],
  options: [{ name: "from", kind: "text", value: "FILE", summary: "its archive, where the entries were given up" }],
  examples: [
    { line: "baton journal restore shop --from ../shop-2026.db", meaning: "put its entries back" },
    { line: "baton journal restore shop", meaning: "after an archive without --drop" },
  ],
  next: "baton journal verify recomputes the journal; baton agent register brings agents back.",
  run: (call) =>
    withJournal(call, async (journal) => {
      const { output, given, config } = call;
      const named = given.word("TEAM") ?? "";
      const team = teamName(named);
      if (team === null) return output.fail(unknownTeam(named));
      const from = given.text("from");
      const done = await restoreTeam(journal, team, from === undefined ? null : resolve(config.directory, from));
      if (!done.ok) return output.fail(done.error);
      const { head } = done.value;
      output.result(
        { team, head },
        () => `The team ${team} continues behind entry ${head.seq}, with hash ${head.hash}.`,
      );
      return exitCodes.done;
    }),
};

async function withJournal(call: Call, act: (journal: OpenedJournal) => Promise<ExitCode>): Promise<ExitCode> {
  const place = await writablePlaceOf(call);
  if (!place.ok) return call.output.fail(place.error);
  const { address, journal: file } = place.value;
  const opened = await openTeamJournal(address, { create: false, headsFile: anchorPath(file) });
  if (!opened.ok) return call.output.fail(opened.error);
  await using journal = opened.value;
  return await act(journal);
}

/** The teams that are meant: the named one, or all that have ended. */
async function chosenTeams(call: Call, journal: OpenedJournal): Promise<Result<readonly TeamName[], Problem>> {
  const [named, isAll] = [call.given.word("TEAM"), call.given.flag("ended")];
  if ((named === undefined) !== isAll)
    return err(usageProblem("TEAM", "One of TEAM and --ended is needed.", "name a team, or say --ended"));
  const teams = await journal.teams();
  if (!teams.ok) return teams;
  if (named !== undefined) {
    const found = teams.value.filter((team) => team === named);
    return found.length > 0 ? ok(found) : err(unknownTeam(named));
  }
  const ended: TeamName[] = [];
  for (const team of teams.value) {
    const folded = await journal.state(team);
    if (!folded.ok) return folded;
    const { state } = folded.value;
    if (state.archived?.isGivenUp !== true && notEndedProblem(team, state) === null) ended.push(team);
  }
  return ok(ended);
}

/**
 * Where the team's archive goes. In a folder it gets the team's name, and the number of its last entry too where that
 * name is taken, as by an archive from before the team was restored. Another run finds the same names.
 */
function archivePath(
  call: Call,
  team: TeamName,
  phase: string | undefined,
): Result<Pick<ArchiveOptions, "file" | "otherFile">, Problem> {
  const path = resolve(call.config.directory, call.given.text("to") ?? "");
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  if (!isFolder && call.given.flag("ended"))
    return err(problem("not-found", path, "There is no such folder for the archives.", { hint: "make it first" }));
  if (!isFolder && !existsSync(dirname(path)))
    return err(
      problem("not-found", dirname(path), "There is no such folder for the archive.", { hint: "make it first" }),
    );
  const name = phase === undefined ? team : `${team}-phase-${phase.replaceAll(/[^A-Za-z0-9._-]/g, "_")}`;
  if (!isFolder) return ok({ file: path });
  return ok({ file: join(path, `${name}.db`), otherFile: ({ seq }) => join(path, `${name}-${seq}.db`) });
}

function archivedLine({ team, file, digest, head, phase, isGivenUp }: ArchivedTeam): string {
  const what = phase === null ? team : `${team}, up to the end of phase ${visible(phase)}`;
  const here = isGivenUp ? "; the journal has given them up" : "";
  return `${what}: ${head.seq} entries in ${visible(file)}, SHA-256 ${digest}${here}`;
}
