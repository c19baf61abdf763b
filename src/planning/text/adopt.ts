/** `baton adopt`: takes over a project of VBW, YOLO or BMAD. Rule: docs/protocol/record.md, sections 26 to 29. */
import { existsSync } from "node:fs";
import { dirname, relative } from "node:path";
import { teamName } from "../../base/ids.ts";
import { readPlainFile } from "../../base/plain-file.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { usageProblem } from "../../doors/cli/kernel/arguments.ts";
import type { Call, Command } from "../../doors/cli/kernel/command.ts";
import { hubOf } from "../../doors/cli/place/hub-address.ts";
import { runningHubs } from "../../doors/cli/place/running-hubs.ts";
import { type ExitCode, exitCodes } from "../../doors/cli/terminal/exit-codes.ts";
import { isServerAddress } from "../../journal/engines.ts";
import { ownerName, unknownAuthor } from "../../messages/principal.ts";
import { writablePlaceOf } from "../../perform/workspace/place.ts";
import { createState } from "../../perform/workspace/state-folder.ts";
import {
  ignoredFiles,
  isLink,
  linkProblem,
  nameFrom,
  rootFor,
  teamText,
  type Wanted,
  writeFiles,
} from "../../perform/workspace/team-creation.ts";
import {
  hasJournal,
  journalIn,
  liesInRepository,
  type Workspace,
  workspaceAt,
} from "../../perform/workspace/workspace.ts";
import { planningFolders } from "../../team/state/definition.ts";
import { withoutOwn } from "../folders/folder-note.ts";
import { readProject } from "../folders/planning-folder.ts";
import { type Imported, importFound } from "../folders/planning-import.ts";
import { type Found, origins } from "../reading/found.ts";
import { teamOf } from "../reading/planning-settings.ts";
import {
  type AdoptionNote,
  digestOfFile,
  headToKeep,
  lifeSince,
  noteAdoption,
  othersIn,
  readAdoption,
  removeAdoption,
} from "./adopt-note.ts";
import { type Adopted, nextSteps, showAdoption } from "./adopt-text.ts";
import { opener } from "./sync.ts";

export const command: Command = {
  isLocal: true,
  isOwners: (given) => !given.flag("dry-run"),
  globals: ["team"],
  description:
    "Reads the planning folder of VBW (.vbw-planning), YOLO (.yolo-planning) or BMAD that is here, and makes a team of it: the\n" +
    "team file, and in the journal plans with their tasks, what is done by the folder's account, open escalations, and the\n" +
    "rest as history. It prints line by line what it understood and what not. Commits that summaries name are looked up in\n" +
    "git. No file of the other tool is changed. A repeat adds only what is new; --undo takes everything back, as long as\n" +
    "nobody has worked in the team.",
  options: [
    { name: "dry-run", kind: "flag", summary: "only say what was understood and what would be written" },
    { name: "undo", kind: "flag", summary: "remove the team and the journal that this command made here" },
    {
      name: "strict-scope",
      kind: "flag",
      summary: "the files of a plan bound its work (default: they are a forecast)",
    },
    { name: "no-verify", kind: "flag", summary: "do not look up commits now; baton verify or a hub does it later" },
  ],
  examples: [
    { line: "baton adopt --dry-run", meaning: "what is here, and what Baton would make of it" },
    { line: "baton adopt", meaning: "make the team and import the work" },
    { line: "baton adopt --undo", meaning: "take it back" },
  ],
  next: "baton status shows the team; baton task list --available lists what can be worked on.",
  run: async (call) => {
    const { config, given, output } = call;
    if (given.flag("undo") && given.flag("dry-run"))
      return output.fail(usageProblem("--undo", "--undo and --dry-run exclude each other.", "give one of them"));
    const hub = hubOf(call);
    if (hub !== null && !given.flag("dry-run")) return output.fail(throughHub(hub.url));
    const place = workspaceAt(rootFor(config.directory));
    if (isLink(place.directory)) return output.fail(linkProblem(place.directory));
    return given.flag("undo") ? await undo(call, place) : await adopt(call, place);
  },
};

async function adopt(call: Call, place: Workspace): Promise<ExitCode> {
  const { config, given, output, signal } = call;
  const note = readAdoption(place);
  const name = given.text("team") ?? note?.team ?? nameFrom(place.root);
  if (teamName(name) === null)
    return output.fail(usageProblem("--team", "A team's name is 1 to 64 of a-z, 0-9 and -.", "write --team web", name));
  const read = await readProject(place.root, config.environment().VBW_PLANNING_DIR, signal);
  if (!read.ok) return output.fail(read.error);
  if (signal.aborted) return exitCodes.interrupted;
  const { found, others } = read.value;
  const isStrict = given.flag("strict-scope");
  const text = teamText(wantedFor(found, name, isStrict));
  const shown = { found, others, text };
  if (given.flag("dry-run")) {
    showAdoption(call, shown, null);
    output.say(`Nothing was written; ${relative(config.directory, place.teamFile)} and a journal would be.`);
    return exitCodes.done;
  }
  const isNew = note === null || !existsSync(place.teamFile);
  const problem = isNew ? begin(place, note, wantedFor(found, name, isStrict), text) : null;
  if (problem !== null) return output.fail(problem);
  const done = await bringIn(call, place, found, isStrict);
  if (!done.ok) return output.fail(done.error);
  const isTeamFileKept = digestOfFile(text) !== currentDigest(place);
  showAdoption(call, shown, { ...done.value, isTeamFileKept });
  if (isNew) output.say(nextSteps(call));
  return exitCodes.done;
}

/** Writes the team file and the note. Refuses `already-exists` where a team is that no adoption made. */
function begin(place: Workspace, note: AdoptionNote | null, wanted: Wanted, text: string): Problem | null {
  if (existsSync(place.teamFile))
    return makeProblem(
      "already-exists",
      place.teamFile,
      "There is a team here that adopt did not make; nothing was changed.",
      {
        hint: "baton journal import brings in rows and messages as history",
      },
    );
  // Its team's file is perhaps on another branch. Whose record it is can only be said by that file.
  if (note === null && (hasJournal(place) || existsSync(journalIn(place.directory))))
    return makeProblem(
      "already-exists",
      place.state,
      "There is a journal here that adopt did not make; nothing was changed.",
      {
        hint: "bring the team file of its team back, or baton init; baton journal import brings in rows as history",
      },
    );
  const made = note ?? { madeState: !existsSync(place.state), madeFolder: !existsSync(place.directory) };
  const { madeState, madeFolder } = made;
  const noted: AdoptionNote = {
    team: wanted.name,
    teamFile: digestOfFile(text),
    madeState,
    madeFolder,
    head: note?.head ?? null,
  };
  // The note comes first: a repeat then finishes what was interrupted at any point.
  return createState(place.state) ?? noteAdoption(place, noted) ?? writeFiles(place, wanted);
}

async function bringIn(
  call: Call,
  place: Workspace,
  found: Found,
  isStrict: boolean,
): Promise<Result<Adopted, readonly Problem[]>> {
  const there = await writablePlaceOf(call);
  if (!there.ok) return err([there.error]);
  const open = opener(call, there.value);
  const owner = await open(ownerName);
  if (!owner.ok) return owner;
  await using team = owner.value;
  const before = readAdoption(place);
  const kept = before === null ? ok(null) : await headToKeep(before, team);
  if (!kept.ok) return err([kept.error]);
  const progress = (part: string) => call.output.progress(`Importing: ${part}`);
  const options = { isStrict, signal: call.signal, progress };
  const theirs = withoutOwn(found, { state: dirname(there.value.journal), project: there.value.root }, team.name);
  const imported = await importFound({ owner: team, openAuthor: () => open(unknownAuthor) }, theirs, options);
  call.output.progress(null);
  if (!imported.ok) return imported;
  if (call.signal.aborted) return err([stopped]);
  const isVerified = liesInRepository(there.value.root) && !call.given.flag("no-verify") && imported.value.reports > 0;
  const repository = { directory: there.value.root, environment: call.config.environment() };
  const verdicts = isVerified ? await team.verify(repository, {}) : ok([]);
  const status = await team.status();
  if (!status.ok) return err([status.error]);
  const note = readAdoption(place);
  const { seq, hash } = status.value.head;
  const head = note === null ? null : (kept.value ?? headAfter(note, imported.value, { seq, hash }));
  const problem = note === null ? null : noteAdoption(place, { ...note, head });
  if (problem !== null) return err([problem]);
  return verdicts.ok ? ok({ imported: imported.value, verdicts: verdicts.value }) : err([verdicts.error]);
}

/** A repeat that added nothing leaves the head where it was, so that what the team did since still counts as its life. */
function headAfter({ head }: AdoptionNote, imported: Imported, now: { readonly seq: number; readonly hash: string }) {
  const { plans, tasks, reports, escalations, history } = imported;
  return head === null || plans + tasks + reports + escalations + history > 0 ? now : head;
}

async function undo(call: Call, place: Workspace): Promise<ExitCode> {
  const { output } = call;
  const note = readAdoption(place);
  if (note === null)
    return output.fail(
      makeProblem("not-found", place.root, "Nothing was adopted here, so there is nothing to undo.", {
        hint: "baton adopt makes a team of a planning folder",
      }),
    );
  const there = await writablePlaceOf(call);
  if (!there.ok) return output.fail(there.error);
  const { journal, address } = there.value;
  if (isServerAddress(address))
    return output.fail(
      makeProblem("wrong-usage", place.root, "The journal is in a server, where nothing is removed.", {
        hint: "remove .baton, and the team in the server, by hand",
      }),
    );
  const [hub] = await runningHubs(journal);
  if (hub !== undefined)
    return output.fail(
      makeProblem("journal-busy", hub.url, "A hub serves this team.", { hint: "end it with baton down" }),
    );
  const opened = await opener(call, there.value)(ownerName);
  if (!opened.ok) return output.fail(opened.error);
  const life = (await lifeSince(place, note, opened.value)) ?? (await othersIn(address, note));
  await opened.value[Symbol.asyncDispose]();
  const problem = life ?? removeAdoption(place, note, journal, ignoredFiles);
  if (problem !== null) return output.fail(problem);
  output.result({ undone: true, team: note.team }, () => `Team ${note.team} and its journal are removed.`);
  return exitCodes.done;
}

const stopped = makeProblem("interrupted", "adopt", "The import was stopped; run baton adopt again to finish it.");

function throughHub(url: string): Problem {
  return usageProblem("BATON_HUB", "BATON_HUB names a hub, and adopt works where the project is.", "unset it", url);
}

function currentDigest({ teamFile }: Workspace): string | null {
  const file = readPlainFile(teamFile, 1024 * 1024);
  return file.ok && file.value !== null ? digestOfFile(file.value.text) : null;
}

/** The team file that goes on with the work. Rule: docs/protocol/record.md, section 26. */
export function wantedFor({ settings, root }: Found, name: string, isStrict: boolean): Wanted {
  const { dialects, chain, agents, names } = teamOf(settings);
  const { escalationSeconds, leaseSeconds, policy, teamMode } = settings;
  const planning = planningFolders.find((folder) => root === folder || root.startsWith(`${folder}/`));
  return {
    name,
    kind: null,
    dialects,
    agents,
    chain,
    about: `Taken over from ${origins[settings.origin]}`,
    settings: {
      policy,
      teamMode,
      claims: "edits",
      scope: isStrict ? "strict" : "advisory",
      ...(planning === undefined ? {} : { planning }),
      names,
      limits: {
        ...(escalationSeconds === null ? {} : { escalationSeconds }),
        ...(leaseSeconds === null ? {} : { leaseSeconds }),
      },
    },
  };
}
